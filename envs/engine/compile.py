"""Compilation with numba, and a cache that cannot serve old rules.

numba notices an edit in the file of the function that it caches, but not in the files of what that
function calls. So the cache lies in a folder named by a hash of every source that could be compiled
in: edit a rule and the next start compiles afresh.
"""

import gc
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numba
from numba.core import event, types
from numba.core.dispatcher import Dispatcher

ENVS = Path(__file__).parents[1]
ROOMS = [folder for folder in ENVS.iterdir() if folder.is_dir() and folder.name != "adapters"]


OPTIONS: Any = {"cache": True, "nogil": True, "forceinline": True, "no_cfunc_wrapper": True}
"""Of ``numba.njit``."""


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` (``numba.njit``) into all that call it, cached by a hash of its sources.

    The sources are the files of the engine and the games, of the function's own folder and of the
    folders that its module names in ``SOURCES`` (see ``kernels.py``). With ``NUMBA_DISABLE_JIT=1``
    the function stays plain Python.
    """
    own = Path(function.__code__.co_filename).parent
    folders = frozenset({*ROOMS, own, *function.__globals__.get("SOURCES", ())})
    # numba tells cached functions apart by file and name: a file bound twice needs two folders.
    cache = _cache_folder() / _source_hash(folders) / function.__module__
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]  # set at run time by numba
    numba.config.CACHE_DIR = str(cache)  # type: ignore[attr-defined]  # likewise
    try:
        dispatcher = numba.njit(**OPTIONS)(function)
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]  # likewise
    if isinstance(dispatcher, Dispatcher):
        dispatcher.get_call_template = partial(_with_wide_integers, dispatcher.get_call_template)
    return dispatcher


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A compiled function as plain Python: on a record by itself quicker than to hand it over."""
    return getattr(function, "py_func", function)


def _with_wide_integers(get_call_template: Callable[..., Any], args: Any, kws: Any) -> Any:
    """Small and literal integers are handed over as int64: one compiled version a function.

    Without this a function called with the constants 1, 2 and an int8 is compiled three times.
    """
    wide = [
        types.int64
        if isinstance(arg, types.IntegerLiteral)
        or arg in (types.int8, types.int16, types.int32, types.uint8)
        else arg
        for arg in args
    ]
    return get_call_template(wide, kws)


@lru_cache
def _source_hash(folders: frozenset[Path]) -> str:
    digest = hashlib.sha256(f"bounds checked: {numba.config.BOUNDSCHECK}".encode())  # type: ignore[attr-defined]  # likewise
    for file in sorted({file for folder in folders for file in folder.glob("*.py")}):
        digest.update(str(file).encode("utf-8", "surrogateescape") + file.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache
def _cache_folder() -> Path:
    """The first writable of: numba's own setting, the user's cache folder, the temporary folder."""
    candidates = [numba.config.CACHE_DIR, os.environ.get("XDG_CACHE_HOME")]  # type: ignore[attr-defined]  # likewise
    if Path("~").expanduser() != Path("~"):
        candidates.append(str(Path("~/.cache").expanduser()))
    for folder in filter(None, candidates):
        path = Path(folder) / "masked-monsters"
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                return path
        except OSError:
            continue
    return (
        Path(tempfile.gettempdir())
        / f"masked-monsters-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
    )


class _Compilation(event.Listener):
    """Says once, on standard error, that a first start takes longer.

    And collects no garbage in the meantime: a tenth of the time went into that.
    """

    said = False
    depth = 0
    collects = True

    def on_start(self, event: event.Event) -> None:
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1
        function = event.data["dispatcher"].py_func if event.data else None
        if not self.said and str(getattr(function, "__module__", "")).startswith("masked_monsters"):
            self.said = True
            print(
                "masked-monsters: compiling what is new in this version, some twenty seconds; "
                "later starts find it done ...",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()


event.register("numba:compile", _Compilation())
