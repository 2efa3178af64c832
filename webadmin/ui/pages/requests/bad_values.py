"""Values that nothing of the desk can use: answered with status 400 and a sentence that names them."""

from django.core.exceptions import BadRequest
from django.utils.translation import gettext as _

from core.hidden_characters import clipped

MAX_SHOWN_CHARS = 60


class BadValue(BadRequest):
    """One value of an address or a form. `sentence`: what is wrong with it and what may stand there, translated."""

    def __init__(self, name: str, value: str, wanted: str) -> None:
        self.name = name
        shown = {"name": clipped(name, MAX_SHOWN_CHARS), "value": clipped(value, MAX_SHOWN_CHARS), "wanted": wanted}
        self.sentence = _("“%(name)s” cannot be “%(value)s”: %(wanted)s") % shown
        super().__init__(f"{name}: a value that cannot be used")
