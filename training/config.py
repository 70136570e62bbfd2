"""The configuration of a training run: typed, read from YAML, changed by ``key=value``."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    field_validator,
    model_validator,
)

from masked_monsters import configs
from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.agents import REFERENCE, names_agent_file
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.training.files import whole_file

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Coefficient = Annotated[float, Field(ge=0, le=1)]
Sizes = tuple[Annotated[int, Field(gt=0, le=2**16)], ...]


HEADS = 4
"""Of each layer of attention."""


ShareOrShares = Annotated[
    Annotated[Share, Tag("one")] | Annotated[dict[str, Share], Tag("by role")],
    Discriminator(lambda share: "by role" if isinstance(share, Mapping) else "one"),
]


class Section(BaseModel):
    """Immutable; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


S = TypeVar("S", bound=Section)


class RunConfig(Section):
    """How long to train, and what to leave behind."""

    name: str = Field(pattern=r"^\w[\w.-]*$")
    """The run's folder."""
    seed: int = Field(default=0, ge=0, le=2**32 - 1)
    decisions: int = Field(gt=0)
    """To play, at least; of all seats together."""
    num_games: int = Field(default=256, gt=0, le=2**20)
    """Played side by side."""
    checkpoint_every: int = Field(default=1_000_000, gt=0)
    """In decisions."""
    threads: int = Field(default=1, gt=0)
    """Of torch. With one, the same seed gives the same weights, and a busy machine harms little."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the networks are: ``auto`` takes a GPU if there is one."""
    table_sizes: tuple[int, ...] = ()
    """Numbers of players that the games have in turn; none: ``options.num_players`` for all."""
    start_from: Path | None = None
    """An agent file to begin with, of the same network, instead of random weights."""
    candid: str | None = None
    """The bluffs that the learner is kept from, see ``evaluation.bluff``: ``away`` or ``false``."""


class PPOConfig(Section):
    """Proximal policy optimisation; the names are Stable-Baselines3's where it has them."""

    rollout_steps: int = Field(default=64, gt=1)
    """Steps of every game between two updates."""
    n_epochs: int = Field(default=2, gt=0)
    batch_size: int = Field(default=1024, gt=1)
    learning_rate: float = Field(default=3e-3, gt=0, le=1)
    """At the start; it falls in a straight line."""
    final_learning_rate: float = Field(default=1e-4, ge=0, le=1)
    """At the end; not more than at the start."""
    gamma: Share = 1.0
    """The discount from one decision of a seat to its next."""
    gae_lambda: Share = 0.95
    relative: bool = False
    """To score more than the table, not to score much: each reward less the mean of all seats'."""
    clip_range: Positive = 0.2
    """At the start."""
    final_clip_range: Positive | None = None
    """At the end, in a straight line; None: as at the start."""
    ent_coef: Coefficient = 0.01
    """Of the bonus for entropy, at the start."""
    final_ent_coef: Coefficient | None = None
    """At the end, in a straight line; None: as at the start."""
    vf_coef: Positive = 0.5
    max_grad_norm: Positive = 0.5

    @model_validator(mode="after")
    def _falling(self) -> Self:
        if self.final_learning_rate > self.learning_rate:
            raise ValueError(
                f"ppo.final_learning_rate={self.final_learning_rate}: must not be more than "
                f"ppo.learning_rate={self.learning_rate}"
            )
        return self


class ImitationConfig(Section):
    """What is learned from watching a scripted player, before the agent plays itself."""

    player: str | None = None
    """Its name; None: nothing, the agent begins at random."""
    decisions: int = Field(default=1_000_000, gt=0)
    """To watch, at least."""
    batch_size: int = Field(default=256, gt=1)


class MagnetConfig(Section):
    """Magnetic mirror descent (Sokota et al. 2023): a pull towards where the policy has been."""

    coef: Coefficient = 0.0
    """Of the divergence from the magnet; 0: there is no magnet."""
    rate: Share = 0.05
    """How far the magnet follows the network with every update."""


class OpponentsConfig(Section):
    """Players that an agent learns with, beside itself as it is now."""

    names: tuple[str, ...] = ()
    """Scripted players, agent files and reference agents; a name can be given more than once."""
    share: ShareOrShares = 0.5
    """The probability that a side (a role's seats, or a seat) of a match is an opponent's; or by
    role."""
    by_seat: bool = False
    """Each seat is a side of its own, also where roles are dealt."""
    past: Share = 0.0
    """The part of the opponents' sides that the agent's own past selves play; ``names`` the others."""
    choice: Literal["uniform", "latest", "pfsp"] = "uniform"
    """Which of them: any; of the past selves rather a late one, each half as likely as the next; or
    rather one that beats the agent (prioritised fictitious self-play: Vinyals et al. 2019)."""
    freeze_every: int = Field(default=500_000, gt=0)
    """Decisions from one past self to the next, at first."""
    keep: int = Field(default=8, gt=0)
    """The most past selves to keep; then every second is given up, and the next come half as often."""


class NetworkConfig(Section):
    """The trunk of the policy, and the critic."""

    kind: Literal["mlp", "gru", "attention"] = "mlp"
    """Layers on the ``compact`` observation; or on the ``history``, a recurrent network (gated recurrent
    units: Cho et al. 2014) or a Transformer encoder (Vaswani et al. 2017)."""
    hidden: Sizes = Field(default=(256, 256), min_length=1)
    """The sizes of its layers; those of ``gru`` and ``attention`` must be the same."""
    per_role: bool = False
    """Weights of its own for each role that the game deals."""
    critic: Literal["shared", "own", "central"] = "shared"
    """A head on the policy's trunk; layers apart, as large, on ``compact``; or such that see the
    ``compact`` observations of all seats (Yu et al. 2022)."""

    @property
    def observation(self) -> Literal["compact", "history"]:
        """What the policy reads."""
        return "compact" if self.kind == "mlp" else "history"

    @model_validator(mode="after")
    def _buildable(self) -> Self:
        if self.kind == "mlp":
            return self
        if len(set(self.hidden)) > 1:
            raise ValueError(
                f"network.hidden={list(self.hidden)}: must be the same size for all layers with "
                f"network.kind={self.kind!r}"
            )
        if self.kind == "attention" and self.hidden[0] % HEADS:
            raise ValueError(
                f"network.hidden={list(self.hidden)}: must be multiples of {HEADS}, the number of "
                "heads, with network.kind='attention'"
            )
        if self.per_role:
            raise ValueError(
                f"network.per_role=True: must be False with network.kind={self.kind!r}"
            )
        return self


class EvaluationConfig(Section):
    """The learning curve: the agent against copies of each scripted player."""

    every: int = Field(default=1_000_000, gt=0)
    """In decisions; also before the first and after the last."""
    matches: int = Field(default=500, gt=0)
    """Against each, at least."""
    against: tuple[str, ...] = ("random",)
    """Names of scripted players."""


class Config(Section):
    """A training run."""

    game: str
    options: dict[str, Any] = {}
    """The game's."""
    run: RunConfig
    ppo: PPOConfig = PPOConfig()
    magnet: MagnetConfig = MagnetConfig()
    imitation: ImitationConfig = ImitationConfig()
    opponents: OpponentsConfig = OpponentsConfig()
    network: NetworkConfig = NetworkConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    demo: tuple[str, ...] = ()
    """What ``masked-monsters demo`` changes, as ``key=value``, to take only a few minutes."""

    @field_validator("game")
    @classmethod
    def _known(cls, game: str) -> str:
        get_game(game)
        return game

    @model_validator(mode="after")
    def _playable(self) -> Self:
        game = get_game(self.game, **self.options)
        self._check_tables(game)
        self._check_share(game)
        if self.run.start_from and self.imitation.player:
            raise ValueError(
                f"imitation.player={self.imitation.player}: must be null with run.start_from, or what "
                "is begun with would be trained away"
            )
        players = baselines(game)
        imitated = () if self.imitation.player is None else (self.imitation.player,)
        for key, names in {
            "imitation.player": imitated,
            "evaluation.against": self.evaluation.against,
        }.items():
            for name in names:
                check_choice(key, name, players)
        for name in self.opponents.names:
            if name not in players and not names_agent_file(name):
                raise ValueError(
                    f"opponents.names={name!r}: must be one of {', '.join(map(repr, players))}, "
                    f"'{REFERENCE}{game.name}', or the path of an agent file"
                )
        if self.network.per_role and game.roles is None:
            raise ValueError(f"network.per_role=True: {game.name} deals no roles")
        return self

    def _check_tables(self, game: Game) -> None:
        sizes = self.run.table_sizes
        for size in sizes:
            try:
                game.with_options(num_players=size)
            except ValueError as error:
                raise ValueError(f"run.table_sizes={list(sizes)}: {error}") from None
        if len(sizes) > self.run.num_games:
            raise ValueError(
                f"run.table_sizes={list(sizes)}: must be at most run.num_games={self.run.num_games}"
            )

    def _check_share(self, game: Game) -> None:
        share, roles = self.opponents.share, game.roles.names if game.roles else ()
        if isinstance(share, dict) and share.keys() != set(roles):
            raise ValueError(
                f"opponents.share={share}: must be one number, or one for each role of "
                f"{game.name} ({', '.join(roles) or 'it deals none'})"
            )


def config_file(name: str, folder: Path = Path()) -> Path:
    """The file of a configuration: by its path from a folder, or one of the package's by its name.

    Raises:
        ValueError: if it has no suffix and is none of the package's names.
    """
    if Path(name).suffix:
        return folder / name
    shipped = {file.stem: file for file in Path(configs.__path__[0]).glob("*.yaml")}
    check_choice("config", name, sorted(shipped))
    return shipped[name]


def read_config(path: Path, overrides: Sequence[str] = ()) -> Config:
    """The configuration in a YAML file, changed by overrides such as ``ppo.gamma=0.99``.

    Raises:
        ValueError: in one line, naming the key, its value and what is allowed.
        OSError: if the file cannot be read.
    """
    return make_config(read_values(path, overrides))


def read_values(path: Path, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """What a YAML file of keys and values holds, changed by overrides; errors as of ``read_config``."""
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not YAML: {_one_line(error)}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path}: must hold keys and values, as in key: value")
    for override in overrides:
        _override(values, override)
    return values


def make_config(values: Mapping[str, Any]) -> Config:
    """The configuration of these values; ``ValueError`` names all that is wrong."""
    return make_section(Config, values)


def make_section(kind: type[S], values: Mapping[str, Any]) -> S:
    """A section of these values; ``ValueError`` names all that is wrong."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise ValueError("; ".join(_complaint(kind, each) for each in error.errors())) from None


def write_config(config: Section, path: Path) -> None:
    """All of a configuration as YAML, defaults included."""
    values = config.model_dump(mode="json")
    with whole_file(path) as file:
        file.write(yaml.safe_dump(values, sort_keys=False, allow_unicode=True).encode())


def flat_values(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested values by dotted key."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= (
            flat_values(value, f"{prefix}{key}.")
            if isinstance(value, dict)
            else {prefix + key: value}
        )
    return flat


def differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Which flat values differ, in words; empty if none does."""
    return "; ".join(
        f"{key} was {was.get(key)!r}, is {now.get(key)!r}"
        for key in {**was, **now}
        if was.get(key) != now.get(key)
    )


def _override(values: dict[str, Any], override: str) -> None:
    """Put the value of ``section.key=value`` where it belongs."""
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise ValueError(f"{override!r}: must be key=value, such as run.seed=1")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{key}={text}: not YAML: {_one_line(error)}") from None
    *sections, last = key.split(".")
    for depth, section in enumerate(sections, start=1):
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise ValueError(f"{override!r}: {'.'.join(sections[:depth])} has no keys in it")
    values[last] = value


def _complaint(kind: type[Section], detail: Any) -> str:
    """One error of pydantic's in our words."""
    key = ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        return f"{key}: unknown key; {_suggestion(kind, key)}"
    if detail["type"] == "missing":
        return f"{key}: missing"
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "value_error":  # ours, and names the value
        return message
    return f"{key}={detail['input']!r}: {message[0].lower()}{message[1:]}"


def _suggestion(kind: type[Section], key: str) -> str:
    """The known key most like an unknown one, in its section or any; else all of its section."""
    section, _, last = key.rpartition(".")
    known = list(_keys(kind))
    beside = [name for name in known if name.rpartition(".")[0] == section]
    for names in (beside, known):
        by_last = {name.rpartition(".")[2]: name for name in names}
        if close := get_close_matches(last, by_last, n=1):
            return f"did you mean {by_last[close[0]]}?"
    return f"allowed: {', '.join(beside)}"


def _keys(section: type[Section], prefix: str = "") -> Iterable[str]:
    """The dotted names of all keys."""
    for name, field in section.model_fields.items():
        yield prefix + name
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _keys(field.annotation, f"{prefix}{name}.")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
