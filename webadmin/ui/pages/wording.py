"""What other packages say, in the language of whoever reads the desk."""

from django.utils.translation import get_language

from core.errors import ZhuiwenError
from core.wording import Message, say


def said(message: Message | ZhuiwenError) -> str:
    """A message, or that of an error."""
    return say(message.message if isinstance(message, ZhuiwenError) else message, get_language() or "en")
