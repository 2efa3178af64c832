"""The eyes of a crawl: readers of fonts and pictures with one process for hostile files, and a site's resources."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crawler.disguises.font_process import FontProcess
from crawler.disguises.fonts import FontReader
from crawler.disguises.glyph_ocr import Recognizer
from crawler.disguises.pictures import PictureReader
from crawler.disguises.reference_fonts import ReferenceFonts
from crawler.fetching.resources import NO_RESOURCES, Resources

ResourcesOf = Callable[[str], Resources]


@dataclass(frozen=True, slots=True)
class OpenEyes:
    """crawler.disguises.undoing.Sight with everything that this machine has; `close` when done."""

    fonts: FontReader
    pictures: PictureReader
    resources_of: ResourcesOf
    _process: FontProcess

    def resources(self, url: str) -> Resources:
        """What a page at `url` may ask for."""
        return self.resources_of(url)

    def close(self) -> None:
        self._process.close()


def open_eyes(
    resources_of: ResourcesOf = lambda url: NO_RESOURCES,
    references: ReferenceFonts | None = None,
    recognizer: Recognizer | None = None,
    kept_in: Path | None = None,
) -> OpenEyes:
    """Nothing is loaded or started before the first page that needs it.

    kept_in: where the machine's references are kept once they are drawn (crawler.disguises.reference_store).
    """
    process = FontProcess()
    faces = references if references is not None else ReferenceFonts(kept_in=kept_in)
    ocr = recognizer if recognizer is not None else Recognizer()
    return OpenEyes(FontReader(process, faces, ocr), PictureReader(process, faces, ocr), resources_of, process)
