"""Jobs spread over processes, their results in the order of the jobs."""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from masked_monsters.envs.errors import check_range

Shared = TypeVar("Shared")
Job = TypeVar("Job")
Result = TypeVar("Result")


def work(
    function: Callable[[Shared, Job], Result],
    shared: Shared,
    jobs: Sequence[Job],
    workers: int,
) -> Iterator[Result]:
    """``function(shared, job)`` of every job, in order; the results do not depend on ``workers``.

    Args:
        function: of a module.
        shared: pickled once for each worker.
        jobs: pickled one by one.
        workers: processes, 1 to 1,024; with 1 all is done here.

    Raises:
        ValueError: naming the number of workers, if it is wrong.
    """
    check_range("workers", workers, 1, 1024)
    workers = min(workers, len(jobs))
    if workers <= 1:
        with _one_torch_thread():
            yield from (function(shared, job) for job in jobs)
        return
    # Spawned, since a parent that has run compiled or threaded code must not be forked.
    with ProcessPoolExecutor(
        workers, get_context("spawn"), _begin_worker, (pickle.dumps((function, shared)),)
    ) as pool:
        try:
            yield from pool.map(_work_in_worker, jobs)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_worker_task: tuple[Callable[[Any, Any], Any], Any]


def _begin_worker(task: bytes) -> None:
    global _worker_task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C: the parent ends the workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker_task = pickle.loads(task)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


def _end_with_parent() -> None:
    """However the parent ended, its workers do not outlive it."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _work_in_worker(job: Any) -> Any:
    function, shared = _worker_task
    return function(shared, job)


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    """As in the workers: the order in which threads add up numbers changes their last digits."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
