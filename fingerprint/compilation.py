"""Compiles kernels with numba, with a cache on disk that is never older than any of its sources.

numba stores machine code next to a module and only checks whether that module changed. But a kernel also contains the
kernels it calls and the constants it names, from any module: both are part of the cache key here.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pickle import UnpicklingError
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast, get_args, get_origin

import numpy as np
from numba import njit
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher


def _load_arrays() -> None:
    """Load numba's support for arrays without the BLAS of SciPy: no kernel multiplies matrices.

    Loading SciPy would take 0.17 s in every process (November 2026).
    """
    if "scipy.linalg" in sys.modules:
        return
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]  # an import of it fails
    try:
        import_module("numba.np.arraymath")
    finally:
        del sys.modules["scipy.linalg"]


_load_arrays()

NUMBERS = (bool, int, float, str, np.generic)
Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(*, allocates: bool = True, nogil: bool = False) -> Callable[[Function], Function]:
    """Compile a function at its first call, or load it from the cache.

    allocates: False if the function neither creates nor returns arrays. It is then compiled without reference counts,
    which took half of the time of the inner loops, and inlined into its callers: passing its arrays took half of a
    walk's time (November 2026). nogil: other Python threads may run.

    A kernel may only name numbers, tuples of numbers, named tuples, numpy and other kernels outside itself.
    """

    def compile_kernel(function: Function) -> Function:
        if not allocates and _holds_array(function.__annotations__.get("return")):
            raise TypeError(f"the kernel {function.__qualname__} returns an array, of which references must be counted")
        options: dict[str, Any] = {"nogil": nogil, "_nrt": allocates, "forceinline": not allocates}
        dispatcher: Any = njit(**options)(function)
        dispatcher._cache = _KernelCache(function, options)
        return cast("Function", dispatcher)

    return compile_kernel


def _holds_array(annotation: Any) -> bool:
    if get_origin(annotation) is np.ndarray or annotation is np.ndarray:
        return True
    return any(map(_holds_array, _inner_types(annotation)))


def _inner_types(annotation: Any) -> tuple[Any, ...]:
    """Return the types in the brackets of a type, or in the fields of a named tuple."""
    fields = annotation.__annotations__.values() if hasattr(annotation, "_fields") else ()
    return (*get_args(annotation), *fields)


class _KernelCache(FunctionCache):  # type: ignore[misc,unused-ignore]
    """numba's cache with two more parts in its keys."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call,unused-ignore]
        self._options = repr(options)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the stored code, or None. Discards code stored for a type that no longer exists."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call,unused-ignore]
        except (AttributeError, ImportError, EOFError, UnpicklingError):
            self.flush()  # type: ignore[no-untyped-call,unused-ignore]
            return None

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        key: tuple[Any, ...] = super()._index_key(sig, codegen)  # type: ignore[no-untyped-call,unused-ignore]
        return *key, source_digest(self._py_func), self._options


def source_digest(function: Any) -> str:
    """Return the digest of all sources of a kernel: its code, the constants it names, and all kernels that it calls.

    Raises TypeError if a kernel names an object of an unsupported kind.
    """
    digest = hashlib.sha256()
    for part in _source_parts(function, set()):
        digest.update(part.encode())
    return digest.hexdigest()


def _source_parts(function: FunctionType, seen: set[FunctionType]) -> Iterator[str]:
    if function in seen:
        return
    seen.add(function)
    yield from _code_parts(function.__code__)
    yield repr(function.__defaults__)
    for annotation in function.__annotations__.values():
        yield from _tuple_fields(annotation)
    for name in sorted(set(_code_names(function.__code__)) & function.__globals__.keys()):
        yield name
        yield from _named_parts(function, name, seen)


def _named_parts(function: FunctionType, name: str, seen: set[FunctionType]) -> Iterator[str]:
    value = function.__globals__[name]
    if isinstance(value, Dispatcher):
        yield repr(value.targetoptions)
        yield from _source_parts(value.py_func, seen)
    elif all(isinstance(part, NUMBERS) for part in (value if type(value) is tuple else (value,))):
        yield repr(value)
    elif isinstance(value, type) and hasattr(value, "_fields"):
        yield from _tuple_fields(value)
    elif value is not np:
        raise TypeError(f"the kernel {function.__qualname__} names {name}, which is neither a number nor a kernel")


def _tuple_fields(annotation: Any) -> Iterator[str]:
    """Yield the names of the fields of every named tuple in a type: machine code has only their positions."""
    yield from getattr(annotation, "_fields", ())
    for inner in _inner_types(annotation):
        yield from _tuple_fields(inner)


def _code_parts(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(constant)


def _code_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_names(constant)


@kernel(allocates=False)
def as_int(number: Any) -> int:
    """Return a number of an array as numba's default integer, so that callers are compiled for one width only."""
    return np.int64(number)  # type: ignore[return-value]
