"""Loops written once and compiled for many rules: the C++ template of this package.

A file of loops calls functions that it does not define (a game's rules, a scripted player). ``bind``
loads the file anew with those names bound, so that the compiler sees what is called and inlines it.
"""

import hashlib
import sys
from collections.abc import Callable, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

Kernels = Any
"""A module: a file of loops with its names bound."""


def bind(file: Path, name: str, functions: Mapping[str, Callable[..., Any]]) -> Kernels:
    """The loops of ``file`` over ``functions``.

    Args:
        file: what to load.
        name: of the binding, for people; what is bound tells it from others of the same file.
        functions: compiled functions by the names that the file calls them.
    """
    bound = sorted((key, f.__module__, f.__qualname__) for key, f in functions.items())
    digest = hashlib.sha256(repr(bound).encode()).hexdigest()[:8]
    module_name = f"masked_monsters_loops.{file.parent.name}_{file.stem}_{name}_{digest}"
    spec = spec_from_file_location(module_name, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sources = {Path(function.__code__.co_filename).parent for function in functions.values()}
    vars(module).update(functions, SOURCES=sources)
    sys.modules[module_name] = module  # numba looks a function's module up by its name
    spec.loader.exec_module(module)
    return module
