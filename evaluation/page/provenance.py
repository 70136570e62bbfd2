"""What a page was made from, and how to make it again, as sections."""

from masked_monsters.evaluation.page.collect import Collected, Source
from masked_monsters.evaluation.page.content import (
    BOUND,
    NONE,
    Block,
    Listing,
    Section,
    Table,
    Words,
    at_least,
    number,
    plus_minus,
)
from masked_monsters.evaluation.page.learning import train_command
from masked_monsters.evaluation.page.records import BestResponse, Exact, GameRecord
from masked_monsters.evaluation.page.runs import TrainingRun
from masked_monsters.evaluation.page.tournaments import tournaments


def summary(collected: Collected) -> Section:
    """What was found, in sentences, and what the page was made from."""
    blocks: list[Block] = [
        Words(
            "± gives half of a 95 % confidence interval, brackets its two ends. Numbers marked exact "
            f"need none, and counts are exact. A {BOUND} says only that the truth is not less."
        )
    ]
    for name, record in tournaments(collected):
        if record.scores:
            best = max(record.scores, key=lambda score: score.gain.mean)
            blocks.append(
                Words(
                    f"Tournament {name}: of {len(record.agents)} agents, {best.agent} gains most, "
                    f"{plus_minus(best.gain, signed=True)} a round."
                )
            )
    blocks += [Words(text) for source in collected.sources if (text := _finding(source))]
    rows = [_run_row(run) for run in collected.runs]
    rows += [_source_row(source) for source in collected.sources]
    header = ("what", "kind", "game", "state", "seed")
    blocks.append(Table("What this page shows.", header, tuple(rows), words=4))
    return Section("summary", "Summary", tuple(blocks))


def _finding(source: Source) -> str | None:
    record = source.record
    if isinstance(record, BestResponse):
        return (
            f"A best response to {record.agent} (budget {record.decisions:,} decisions) gains "
            f"{plus_minus(record.improvement, signed=True)}; {BOUND}: {at_least(record.lower_bound)}."
        )
    if isinstance(record, Exact) and record.rows:
        rows = sorted(record.rows, key=lambda row: -row.nash_conv)
        best = {row.game: row for row in rows}  # of each game the last, which is the least
        return (
            "Least NashConv: "
            + "; ".join(
                f"{number(row.nash_conv)} (exact) in {game}, by {row.policy}"
                for game, row in sorted(best.items())
            )
            + "."
        )
    return None


def _run_row(run: TrainingRun) -> tuple[str, ...]:
    settings = run.config["run"]
    return run.name, "training run", run.config["game"], run.state, str(settings["seed"])


def _source_row(source: Source) -> tuple[str, ...]:
    record = source.record
    kind = record.kind.replace("_", " ")
    seed = NONE if record.seed is None else str(record.seed)
    game = record.game if isinstance(record, GameRecord) else NONE
    return source.name, kind, game, "complete", seed


# ---------------------------------------------------------------- how to make it again


def provenance(collected: Collected) -> Section:
    """Versions, options, agents and files by their hashes."""
    rows = [
        (run.name, str(run.folder), _settings(run.config.get("options")), _settings(run.versions))
        for run in collected.runs
    ]
    rows += [
        (source.name, str(source.path), _options(source), _settings(source.record.versions))
        for source in collected.sources
    ]
    header = ("what", "where", "the game's options", "versions")
    blocks: list[Block] = [Table("Versions and the game's options.", header, tuple(rows), words=4)]
    agents = [
        (agent.name, name, agent.digest or NONE)
        for name, record in tournaments(collected)
        for agent in record.agents
    ]
    if agents:
        header = ("agent", "tournament", "digest")
        blocks.append(Table("Agents of tournaments, by digest.", header, tuple(agents), words=3))
    files = tuple((str(path), digest) for path, digest in collected.hashes.items())
    blocks.append(Table("Files that this page was made from.", ("file", "SHA-256"), files, words=2))
    return Section("provenance", "Versions and files", tuple(blocks))


def _options(source: Source) -> str:
    return _settings(source.record.options if isinstance(source.record, GameRecord) else None)


def _settings(values: object) -> str:
    if not isinstance(values, dict) or not values:
        return NONE
    return ", ".join(f"{key} {NONE if value is None else value}" for key, value in values.items())


def commands(collected: Collected, page: str) -> Section:
    """What to type to have it all again; ``page`` is what makes this page."""
    lines: list[Block] = [
        Words("In this order, with the versions above. Each command writes what the page reads.")
    ]
    lines += [Listing(f"Train {run.name}", train_command(run)) for run in collected.runs]
    by_command: dict[str, list[str]] = {}
    for source in collected.sources:
        by_command.setdefault(source.record.command, []).append(source.name)
    lines += [Listing(f"Measure {', '.join(names)}", line) for line, names in by_command.items()]
    lines.append(Listing("Make this page", page))
    return Section("commands", "Commands", tuple(lines))
