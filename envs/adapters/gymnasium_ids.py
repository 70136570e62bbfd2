"""The games under Gymnasium's names."""

from collections.abc import Mapping

import gymnasium


def gymnasium_id(name: str, version: int) -> str:
    """For example ``masked_monsters/UnderMyBed-v0`` for ``under_my_bed``."""
    return f"masked_monsters/{name.title().replace('_', '')}-v{version}"


def register_single_seats(games: Mapping[str, int]) -> None:
    """Make ``games`` (names and versions) known to ``gymnasium.make`` and ``make_vec``."""
    adapters = __name__.rpartition(".")[0]
    for name, version in games.items():
        gymnasium.register(
            gymnasium_id(name, version),
            entry_point=f"{adapters}.single_seat:SingleSeat",
            vector_entry_point=f"{adapters}.vector:Vector",
            kwargs={"game": name},
        )
