"""The Celery application with the tasks of all applications: `celery --app webadmin.celery worker`."""

from webadmin.process import set_up

set_up()  # Called first, because Celery reads DJANGO_SETTINGS_MODULE when the application is created.

from pipeline.app import app  # noqa: E402

app.conf.update(imports=["webadmin.worker"], beat_scheduler="webadmin.clock:Scheduler")
app.autodiscover_tasks(force=False)
