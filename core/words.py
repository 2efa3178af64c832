"""Words for people in both languages of the interface, where they belong to a record and not to a page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The same in English and in Simplified Chinese."""

    en: str
    zh: str

    def in_language(self, code: str) -> str:
        """By a language code such as Django's.

        >>> Words("feed", "订阅源").in_language("zh-hans")
        '订阅源'
        """
        return self.zh if code.startswith("zh") else self.en
