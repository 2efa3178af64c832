"""What a crawl has beside the bytes of pages: readers of fonts and pictures, in processes, and a site's resources."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crawler.fetching.resources import NO_RESOURCES, Resources
from crawler.obfuscation.font_process import FontProcess
from crawler.obfuscation.fonts import FontReader
from crawler.obfuscation.glyph_ocr import Recognizer
from crawler.obfuscation.picture_reader import PictureReader
from crawler.obfuscation.reference_fonts import ReferenceFonts
from crawler.obfuscation.text_process import TextProcess

ResourcesOf = Callable[[str], Resources]


@dataclass(frozen=True, slots=True)
class OpenRenderContext:
    """crawler.obfuscation.deobfuscation.RenderContext with everything that this machine has; `close` when done."""

    fonts: FontReader
    pictures: PictureReader
    texts: TextProcess
    resources_of: ResourcesOf
    _process: FontProcess

    def resources(self, url: str) -> Resources:
        """What a page at `url` may ask for."""
        return self.resources_of(url)

    def close(self) -> None:
        self._process.close()
        self.texts.close()


def open_render_context(
    resources_of: ResourcesOf = lambda url: NO_RESOURCES,
    references: ReferenceFonts | None = None,
    recognizer: Recognizer | None = None,
    kept_in: Path | None = None,
    texts: TextProcess | None = None,
) -> OpenRenderContext:
    """Nothing is loaded or started before the first page that needs it.

    kept_in: where the machine's references are kept once they are drawn (crawler.obfuscation.reference_store).
    """
    process = FontProcess()
    faces = references if references is not None else ReferenceFonts(kept_in=kept_in)
    ocr = recognizer if recognizer is not None else Recognizer()
    pictured = texts if texts is not None else TextProcess()
    return OpenRenderContext(
        FontReader(process, faces, ocr), PictureReader(process, faces, ocr), pictured, resources_of, process
    )
