"""A database in a file, from which processes of their own send: `python -m tests.support.notice_home VERB`.

send: as `zhuiwen notice send` by the manager `changhe-manager`; after: what is left by one that was killed, tried again
before and after it must have ended. Each prints one JSON object.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(folder: Path, smtp_url: str) -> dict[str, str]:
    """Return the environment of the processes that send from a folder."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "webadmin.worker_settings",
        "ZHUIWEN_HOME": str(folder),
        "ZHUIWEN_EVIDENCE_URL": f"file://{folder / 'evidence'}",
        "ZHUIWEN_SMTP_URL": smtp_url,
        "ZHUIWEN_SMTP_SENDER": "notices@changhe.example",
    }


def started(verb: str, env: dict[str, str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.support.notice_home", verb]
    return subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(process: "subprocess.Popen[str]") -> dict[str, object]:
    """Return what a process said before it ended."""
    out, errors = process.communicate(timeout=90)
    assert process.returncode == 0, errors
    return dict(json.loads(out.splitlines()[-1]))


def _send() -> dict[str, object]:
    from django.conf import settings

    from core.clock import SystemClock
    from core.errors import BadInput
    from webadmin.accounts.models import User
    from webadmin.notices.models import Notice
    from webadmin.notices.services import mails

    notice = Notice.objects.exclude(state=Notice.State.DRAFTED).get()
    manager = User.objects.get(username="changhe-manager")
    try:
        mail = mails.send_now(notice, manager, SystemClock(), settings.ZHUIWEN)
    except BadInput as error:
        return {"refused": error.message.code}
    return {"state": str(mail.state)}


def _after() -> dict[str, object]:
    from core.clock import SystemClock
    from webadmin.notices.models import NoticeMail
    from webadmin.notices.services import mails

    said = [_send()]
    mails.mark_lost_mails(SystemClock().now() + mails.LOST_AFTER)
    said.append(_send())
    return {"mails": list(NoticeMail.objects.values_list("state", flat=True)), "said": said}


if __name__ == "__main__":
    import django

    django.setup()
    sys.stdout.write(json.dumps({"send": _send, "after": _after}[sys.argv[1]]()))
