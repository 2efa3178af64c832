"""The Celery application with the tasks of all applications: `celery --app webadmin.celery worker`."""

from pipeline.app import app
from webadmin.process import set_up

app.conf.update(imports=["webadmin.worker"], beat_scheduler="webadmin.clock:Scheduler")
set_up()
app.autodiscover_tasks(force=False)
