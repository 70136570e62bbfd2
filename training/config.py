"""The configuration of a training run: typed, read from YAML, changed by ``key=value``."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.baselines import baselines

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Section(BaseModel):
    """Immutable; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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


class PPOConfig(Section):
    """Proximal policy optimisation; the names are Stable-Baselines3's where it has them."""

    rollout_steps: int = Field(default=64, gt=1)
    """Steps of every game between two updates."""
    n_epochs: int = Field(default=2, gt=0)
    batch_size: int = Field(default=1024, gt=1)
    learning_rate: float = Field(default=3e-3, gt=0, le=1)
    """At the start; it falls in a straight line."""
    final_learning_rate: float = Field(default=1e-4, ge=0, le=1)
    gamma: Share = 1.0
    """The discount from one decision of a seat to its next."""
    gae_lambda: Share = 0.95
    relative: bool = False
    """To score more than the table, not to score much: each reward less the mean of all seats'."""
    clip_range: Positive = 0.2
    ent_coef: float = Field(default=0.01, ge=0, le=1)
    vf_coef: Positive = 0.5
    max_grad_norm: Positive = 0.5


class ImitationConfig(Section):
    """What is learned from watching a scripted player, before the agent plays itself."""

    player: str | None = None
    """Its name; None: nothing, the agent begins at random."""
    decisions: int = Field(default=1_000_000, gt=0)
    """To watch, at least."""
    batch_size: int = Field(default=256, gt=1)


class OpponentsConfig(Section):
    """Scripted players that an agent learns with, beside itself."""

    names: tuple[str, ...] = ()
    """Each as likely as the others; a name can be given more than once."""
    share: Share | dict[str, Share] = 0.5
    """The probability that a side (a role's seats, or a seat) of a match is theirs; or by role."""
    by_seat: bool = False
    """Each seat is a side of its own, also where roles are dealt."""


class NetworkConfig(Section):
    """The trunk that policy and critic share."""

    hidden: tuple[Annotated[int, Field(gt=0, le=2**16)], ...] = Field(
        default=(256, 256), min_length=1
    )
    """The sizes of its layers."""


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
        players = baselines(get_game(self.game, **self.options))
        named = {
            "imitation.player": () if self.imitation.player is None else (self.imitation.player,),
            "opponents.names": self.opponents.names,
            "evaluation.against": self.evaluation.against,
        }
        for key, names in named.items():
            for name in names:
                check_choice(key, name, players)
        return self


def read_config(path: Path, overrides: Sequence[str] = ()) -> Config:
    """The configuration in a YAML file, changed by overrides such as ``ppo.gamma=0.99``.

    Raises:
        ValueError: in one line, naming the key, its value and what is allowed.
        OSError: if the file cannot be read.
    """
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not YAML: {_one_line(error)}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path}: must hold keys and values, such as game: {next(iter(GAMES))}")
    for override in overrides:
        _override(values, override)
    return make_config(values)


def make_config(values: Mapping[str, Any]) -> Config:
    """The configuration of these values; ``ValueError`` names all that is wrong."""
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise ValueError("; ".join(_complaint(detail) for detail in error.errors())) from None


def write_config(config: Config, path: Path) -> None:
    """All of the configuration as YAML, defaults included."""
    values = config.model_dump(mode="json")
    path.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), encoding="utf-8")


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


def _complaint(detail: Any) -> str:
    """One error of pydantic's in our words."""
    key = ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        return f"{key}: unknown key; {_suggestion(key)}"
    if detail["type"] == "missing":
        return f"{key}: missing"
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "value_error":  # ours, and names the value
        return message
    return f"{key}={detail['input']!r}: {message[0].lower()}{message[1:]}"


def _suggestion(key: str) -> str:
    """The known key most like an unknown one, in its section or any; else all of its section."""
    section, _, last = key.rpartition(".")
    known = list(_keys(Config))
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
