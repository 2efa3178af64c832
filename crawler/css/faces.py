"""The faces that a style sheet brings along, also those whose files stand in the sheet itself."""

import re
from collections.abc import Sequence

import tinycss2
from tinycss2.ast import Node

from crawler.css.sheets import FontFace
from crawler.css.values import address_of, families

_DATA_URL = re.compile(r"""url\(\s*(["']?)(data:[^"')\s]{1,16000000})\1\s*\)""", re.IGNORECASE)


def without_data(text: str) -> tuple[str, list[str]]:
    """A sheet with a short stand-in for each data: address, and those addresses: they are as long as a font."""
    data: list[str] = []

    def kept(match: re.Match[str]) -> str:
        data.append(match[2])
        return f"url(embedded:{len(data) - 1})"

    return (_DATA_URL.sub(kept, text) if "data:" in text else text), data


def embedded(face: FontFace, data: Sequence[str]) -> FontFace:
    """A face with the addresses that `without_data` took out."""
    numbers = (source.removeprefix("embedded:") for source in face.sources)
    sources = (
        data[int(number)] if number != source and number.isdigit() and int(number) < len(data) else source
        for source, number in zip(face.sources, numbers, strict=True)
    )
    return FontFace(face.family, tuple(sorted(sources, key=_is_odd_form)))


def face_of(content: Sequence[Node]) -> FontFace | None:
    """What stands in a @font-face, None where it lacks a name or a file."""
    family, sources = "", list[str]()
    for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if item.type == "declaration" and item.lower_name == "font-family":
            family = next(iter(families(tinycss2.serialize(item.value))), "")
        elif item.type == "declaration" and item.lower_name == "src":
            sources += [address for each in item.value if (address := address_of(each))]
    return FontFace(family, tuple(sorted(sources, key=_is_odd_form))) if family and sources else None


def _is_odd_form(address: str) -> bool:
    """Whether the file is of a form that only old browsers ask for."""
    return address.startswith("#") or bool(re.search(r"\.(?:eot|svg)\b|fontobject|svg\+xml", address[:200]))
