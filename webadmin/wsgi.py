"""The WSGI application that the web server runs."""

import logging
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webadmin.settings")

# Log to standard error, which the supervisor writes to web.log: warnings, and the traceback of each status 500.
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s", level=logging.WARNING)

application = get_wsgi_application()
