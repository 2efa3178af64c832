"""Loads the fonts with which obfuscated glyphs are compared: free fonts that are installed on the machine.

No font is shipped. The dependency mplfonts provides Noto Sans and Noto Serif (SIL Open Font License), and more fonts
under the same licence are read from the font folders of Linux. Fonts without a free licence are ignored.
"""

import fcntl
import hashlib
import logging
import platform
import re
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import closing, contextmanager
from functools import cached_property
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from PIL import __version__ as pillow_version
from PIL import features as pillow_features

from crawler.characters.repertoire import COMMON_HAN, HAN, SECOND_HAN
from crawler.obfuscation import glyph_shapes
from crawler.obfuscation.glyph_shapes import FEATURES, KEPT, GlyphIndex, GlyphModel, Raster, features, learn_model
from crawler.obfuscation.worker_process import WorkerProcess

SIZE_PX = 72  # side of rendered references and of the glyphs that are compared with them
MAX_FACES = 3  # they cost 12 s of processor time once per machine, and 49 MB (2026-11)
_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
# Free fonts with all characters of GB 2312, the best known first. Two weights of two styles are better than many fonts
# of one style.
_FREE = (
    r"^(?:NotoSans(?:CJK)?(?:sc)?|NotoSansCJKsc|SourceHanSansSC?|SourceHanSansCN)-Regular",
    r"^(?:NotoSerifCJKsc|NotoSerifCJK|SourceHanSerifSC?|SourceHanSerifCN)-Regular",
    r"^(?:NotoSansCJKsc|NotoSansCJK|SourceHanSansSC?|SourceHanSansCN)-Bold",
    r"^(?:NotoSerifCJKsc|NotoSerifCJK|SourceHanSerifSC?|SourceHanSerifCN)-Bold",
    r"^(?:wqy-microhei|wqy-zenhei|uming|ukai|LXGWWenKai-Regular)",
)
_SUFFIXES = (".otf", ".ttf", ".ttc")
_MAX_FACES_OF_FILE = 10
_MAX_SECONDS = 300.0  # for rendering: thirty times the usual time; a busy machine would be as slow in this process
_DRAWN_WITH = ("freetype2", "raqm", "harfbuzz")
_SOURCES = (__file__, glyph_shapes.__file__)
# Both levels of GB 2312 (novels use 鸢 and 晌), and the first level of Big5; known in every font.
_USUAL = COMMON_HAN | frozenset(char for char in SECOND_HAN if char.encode("gb2312", "ignore"))
# All of Unicode's first block, which GBK contains: the second level of Big5 is .2 % of traditional prose, and
# characters in neither GB 2312 nor Big5 are .01 % of articles (産 邨 樫). Known in two fonts
# (docs/decisions/obfuscation.md).
_RARE = frozenset(map(chr, range(0x4E00, 0x9FA6))) - _USUAL
_FACES_OF_RARE = 2
_STROKES = frozenset("囗丨丿丶亅")  # unused in texts, and similar to 口, 1 and punctuation
_OTHERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_log = logging.getLogger(__name__)


class ReferenceFonts:
    """The known characters as the reference fonts render them. They are rendered when first needed, and never change.

    kept_in: a folder in which processes share the rendered references, or None to render them here and store them in
    memory
    """

    def __init__(self, paths: Sequence[Path] | None = None, kept_in: Path | None = None) -> None:
        self._paths = paths
        self._store = ReferenceStore(kept_in) if kept_in is not None else None

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        return tuple(self._paths if self._paths is not None else free_fonts())

    @property
    def are_installed(self) -> bool:
        """True if the machine has reference fonts. Nothing is rendered."""
        return bool(self.paths)

    @cached_property
    def index(self) -> GlyphIndex | None:
        """The index of the known characters, or None if the machine has no reference font."""
        faces = _open_faces(self.paths)
        if not faces:
            return None
        usual, more = _known_chars()
        chars = [*usual, *more]

        def draw() -> GlyphModel:
            return _draw_apart(self.paths, len(faces), len(chars))

        key = _key(faces, chars) if self._store else ""
        known = self._store.get(key, len(faces), len(chars), draw) if self._store and key else draw()
        return GlyphIndex(chars, known)


def free_fonts() -> list[Path]:
    """Return the files of the free fonts on this machine, at most MAX_FACES, in order of use."""
    files = [path for folder in _folders() for path in sorted(folder.rglob("*")) if path.suffix.lower() in _SUFFIXES]
    chosen = (next((path for path in files if re.match(pattern, path.name)), None) for pattern in _FREE)
    return [path for path in chosen if path is not None][:MAX_FACES]


def _sort_chars(chars: Set[str]) -> list[str]:
    return sorted(char for char in chars - _STROKES if HAN.fullmatch(char))


def draw_char(face: ImageFont.FreeTypeFont, char: str) -> Raster:
    """Render one character with a trusted font, cropped to its ink."""
    size = round(face.size)
    sheet = Image.new("L", (2 * size, 2 * size))
    # From the ascender down. An eighth of the size leaves room for accents above it.
    ImageDraw.Draw(sheet).text((size // 2, size // 8), char, fill=255, font=face)
    return np.asarray(sheet.crop(sheet.getbbox() or (0, 0, 1, 1)))


def _folders() -> list[Path]:
    package = find_spec("mplfonts")
    bundled = [Path(place) / "fonts" for place in (package.submodule_search_locations or [])] if package else []
    return [folder for folder in (*bundled, *(Path(name).expanduser() for name in _FOLDERS)) if folder.is_dir()]


def _face(path: Path) -> ImageFont.FreeTypeFont | None:
    """Return the font of a file, or None if it cannot be read.

    In a collection, the simplified Chinese font is returned.
    """
    first: ImageFont.FreeTypeFont | None = None
    for number in range(_MAX_FACES_OF_FILE):
        try:
            face = ImageFont.truetype(str(path), SIZE_PX, index=number)
        except OSError:
            break
        first = first or face
        if re.search(r"\b(?:SC|CN)\b", face.getname()[0] or ""):
            return face
    return first


def draw_references(paths: Sequence[Path]) -> GlyphModel:
    """Render the references with the fonts of `paths`, in this process. Raises ValueError if none of them is a font."""
    faces = _open_faces(paths)
    usual, more = _known_chars()
    known = np.zeros((len(faces), len(usual) + len(more), FEATURES), np.float32)
    for number, face in enumerate(faces):
        chars = [*usual, *more] if number < _FACES_OF_RARE else usual
        known[number, : len(chars)] = _features(face, chars)
    return learn_model(known)


def _draw_apart(paths: Sequence[Path], faces: int, chars: int) -> GlyphModel:
    """Render the references in a separate process, or in this one if that fails. faces, chars: the expected numbers.

    Rendering needs 670 MB, of which a crawl would not get 200 back. Besides, results are identical to the last bit only
    with the same number of threads, and processes that read pages use either one thread or all.
    """
    with closing(WorkerProcess(answer)) as process:
        given = process.ask([str(path) for path in paths], b"", _MAX_SECONDS)
    drawn_there = read_numbers(BytesIO(given[1]), faces, chars) if given is not None else None
    if drawn_there is None:
        _log.warning("no process draws the references, they are drawn here")
    return drawn_there if drawn_there is not None else draw_references(paths)


def answer(paths: list[str], _data: bytes) -> tuple[None, bytes]:
    """Return the result of `draw_references` in the file format of the store."""
    file = BytesIO()
    write_numbers(file, draw_references([Path(path) for path in paths]))
    return None, file.getvalue()


def _known_chars() -> tuple[list[str], list[str]]:
    """Return the characters that are known in every font, and those that are known in some fonts."""
    return [*_sort_chars(_USUAL), *_OTHERS], _sort_chars(_RARE)


def _open_faces(paths: Sequence[Path]) -> list[ImageFont.FreeTypeFont]:
    return [face for face in (_face(path) for path in paths) if face is not None]


def _features(face: ImageFont.FreeTypeFont, chars: Sequence[str]) -> NDArray[np.float32]:
    """Return float32[characters, FEATURES]; zeros for a character that is rendered as the font's missing glyph."""
    missing = draw_char(face, "\U0010fffe")
    rasters = [draw_char(face, char) for char in chars]
    result = features(rasters)
    result[[np.array_equal(raster, missing) for raster in rasters]] = 0
    return result


def _key(faces: Sequence[ImageFont.FreeTypeFont], chars: Sequence[str]) -> str:
    """Return the digest of everything that affects the rendered references, or "" if a file cannot be read.

    The source code is included. If a parameter were forgotten here, outdated references would be used.
    """
    libraries = [pillow_version, np.__version__, *(str(pillow_features.version(name)) for name in _DRAWN_WITH)]
    parts = [*libraries, platform.machine(), "".join(chars), *(f"{face.index} {face.size}" for face in faces)]
    try:
        parts += [_file_digest(str(path)) for path in (*(face.path for face in faces), *_SOURCES)]
    except OSError:
        return ""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _file_digest(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Stores the rendered references on disk: they are rendered once per machine, and every process that compares glyphs
# maps them into memory. They are rendered again if a file is damaged. If the folder cannot be written, they are not
# stored, and the log says so.

_PREFIX = "references-"
# Each has 49 MB with three fonts. One is in use; an upgrade of the product or of the fonts leaves one behind.
_FILES_KEPT = 4


class ReferenceStore:
    """Stores rendered references in `folder`, which is created if needed. Safe for several processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str, faces: int, chars: int, draw: Callable[[], GlyphModel]) -> GlyphModel:
        """Return the references for `key`, or render and store them. Stored references are shared, read-only memory.

        key: a digest of everything on which the result of `draw` depends. faces, chars: the expected numbers
        """
        path = self._folder / f"{_PREFIX}{key}.npy"
        kept = read_numbers(path, faces, chars)
        drawn: GlyphModel | None = None
        try:
            if kept is None:
                with self._lock_folder():
                    kept = read_numbers(path, faces, chars)
                    if kept is None:
                        drawn = draw()
                        self._write(path, drawn)
                        kept = read_numbers(path, faces, chars)
        except OSError as error:
            _log.warning("drawn references are not kept in %s: %s", self._folder, error.strerror or error)
        return kept or drawn or draw()

    def _write(self, path: Path, drawn: GlyphModel) -> None:
        """Write the file atomically, and remove the oldest files. Raises OSError if that fails."""
        fresh = path.with_suffix(".new")
        try:
            with fresh.open("wb") as file:
                write_numbers(file, drawn)
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        by_age = sorted(self._folder.glob(f"{_PREFIX}*"), key=lambda each: each.stat().st_mtime)
        for old in by_age[:-_FILES_KEPT]:
            old.unlink(missing_ok=True)

    @contextmanager
    def _lock_folder(self) -> Iterator[None]:
        """Lock the folder, so that only one process renders. Raises OSError if the folder is not writable."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._folder / f"{_PREFIX[:-1]}.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # also for a process that was forked meanwhile and inherited the file


def write_numbers(file: IO[bytes], drawn: GlyphModel) -> None:
    """Write the model as a NumPy array file. Raises OSError if that fails."""
    parts = (np.asarray(part, np.float32).ravel() for part in (drawn.center, drawn.axes, drawn.faces))
    np.save(file, np.concatenate(list(parts)), allow_pickle=False)


def read_numbers(source: Path | IO[bytes], faces: int, chars: int) -> GlyphModel | None:
    """Return the model that `write_numbers` wrote, or None if it is missing or has another size.

    A file is memory-mapped.
    """
    try:
        numbers: NDArray[np.float32] = np.load(source, mmap_mode="r" if isinstance(source, Path) else None)
    except (OSError, ValueError, EOFError):
        return None
    if numbers.dtype != np.float32 or numbers.shape != (FEATURES + FEATURES * KEPT + faces * chars * KEPT,):
        return None
    center, axes, rest = np.split(numbers.view(np.ndarray), [FEATURES, FEATURES + FEATURES * KEPT])
    return GlyphModel(center, axes.reshape(FEATURES, KEPT), rest.reshape(faces, chars, KEPT))
