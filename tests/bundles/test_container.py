"""The zip of which no byte is free."""

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundles import container
from bundles.faults import DoesNotHold

FILES = {"b/two.txt": b"two" * 50, "a.json": b"{}", "empty": b""}


def read(data: bytes) -> dict[str, bytes]:
    return {name: bytes(content) for name, content in container.read(memoryview(data), "FILE").items()}


def test_what_is_written_is_read_again_by_any_zip_program() -> None:
    assert read(container.write(FILES)) == FILES
    assert container.write(FILES) == container.write(dict(reversed(FILES.items())))
    with zipfile.ZipFile(io.BytesIO(container.write(FILES))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == FILES


def test_a_change_of_any_bit_is_refused() -> None:
    whole = container.write(FILES)
    for position in range(len(whole)):
        for bit in range(8):
            changed = bytearray(whole)
            changed[position] ^= 1 << bit
            with pytest.raises(DoesNotHold):
                read(bytes(changed))


@given(st.binary(min_size=1, max_size=20), st.integers(min_value=0, max_value=500))
def test_bytes_put_in_anywhere_are_refused(more: bytes, position: int) -> None:
    whole = container.write(FILES)
    at = position % (len(whole) + 1)
    with pytest.raises(DoesNotHold):
        read(whole[:at] + more + whole[at:])


@pytest.mark.parametrize(
    "name",
    [
        "../etc/passwd",
        "/etc/passwd",
        "a/../../b",
        "a\\b",
        "C:/x",
        ".hidden",
        "a//b",
        "a/",
        "文\u202e件",
        "a b",
        "a\x00b",
        "x" * 300,
    ],
)
def test_names_that_leave_the_folder_are_neither_written_nor_read(name: str) -> None:
    with pytest.raises(DoesNotHold):
        container.write({name: b""})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"x")
    with pytest.raises(DoesNotHold):
        read(out.getvalue())


def test_a_compressed_zip_is_refused_and_never_expanded() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("bomb.txt"), b"0" * 50_000_000, zipfile.ZIP_DEFLATED)
    with pytest.raises(DoesNotHold):
        read(out.getvalue())


def test_the_same_name_twice_is_refused() -> None:
    one = container.write({"a.json": b"{}"})
    entry = one[: one.index(b"PK\x01\x02")]
    directory = one[one.index(b"PK\x01\x02") : one.index(b"PK\x05\x06")]
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 2, 2, 2 * len(directory), 2 * len(entry), 0)
    with pytest.raises(DoesNotHold):
        read(entry * 2 + directory * 2 + end)
