"""The Celery application with its tasks: `celery --app webadmin.celery worker`."""

from pipeline.app import app
from webadmin.process import set_up

app.conf.update(imports=["webadmin.tasks", "webadmin.worker"], beat_scheduler="webadmin.clock:Scheduler")
set_up()
