"""Bluff profiles as a section: ledgers, belief over time, value against lying, detection."""

from collections.abc import Iterable, Mapping

from masked_monsters.evaluation.bluff.tables import LEDGER, SIGNED
from masked_monsters.evaluation.page import figures
from masked_monsters.evaluation.page.bluff_records import Bluff, BluffProfile, Kept
from masked_monsters.evaluation.page.collect import Collected
from masked_monsters.evaluation.page.content import (
    NONE,
    Block,
    Figure,
    Heading,
    Section,
    Table,
    Words,
    between,
    plus_minus,
)
from masked_monsters.evaluation.page.figures import Step
from masked_monsters.evaluation.page.parts import Interval

CAPTION = "Mean ± half a 95 % interval, clustered by deal."


def bluffing(collected: Collected) -> Section:
    """Of every player in every file of profiles."""
    blocks: list[Block] = []
    for source in collected.sources:
        if isinstance(source.record, Bluff):
            blocks.append(Heading(f"Bluffing: {source.name}, {source.record.game}"))
            for player in source.record.players:
                blocks += _ledger(player)
            blocks += _deception(source.record)
            blocks += _over_time(source.record)
            blocks += _words_kept(source.record)
            blocks += _lying(source.record)
            blocks += _detection(source.record)
    return Section("bluffing", "Bluffing", tuple(blocks))


def _name(player: BluffProfile) -> str:
    return f"{player.agent} among {player.against}"


def _line(player: BluffProfile, record: Bluff) -> str:
    """Its name in a figure: without the opponent, if all have the same."""
    alike = len({each.against for each in record.players}) == 1
    return player.agent if alike else _name(player)


def _ledger(player: BluffProfile) -> Iterable[Block]:
    entries = player.ledger
    named = [key for key in LEDGER if any(entry.measures.get(key) for entry in entries)]
    rows = [
        (
            *(entry.role, entry.kind, f"{entry.acts:,}", _cell(entry.share)),
            *(_cell(entry.measures.get(key), key in SIGNED) for key in named),
        )
        for entry in entries
    ]
    caption = (
        f"What {_name(player)} did, in {player.deals:,} deals ({player.close_deals:,} of them looked "
        f"at closely). Observers: {player.observers}. {CAPTION}"
    )
    header = ("as", "act", "acts", "share", *(LEDGER[key] for key in named))
    yield Table(caption, header, tuple(rows), words=2)


def _deception(record: Bluff) -> Iterable[Block]:
    rows = [
        (
            *(_name(player), row.role, row.truth, f"{row.acts:,}"),
            *(_cell(row.away), _cell(row.shift, True)),
            *(_cell(row.gain_away, True), _cell(row.gain_not_away, True)),
        )
        for player in record.players
        for row in player.deception
    ]
    if rows:
        caption = (
            "Acts that move observers away from the truth, and what those and the others gain. An act "
            f"is deceptive if it does both. {CAPTION}"
        )
        header = (
            *("player", "as", "the truth", "acts", "away", "shift, bits"),
            *("those gain", "the others gain"),
        )
        yield Table(caption, header, tuple(rows), words=3)


def _over_time(record: Bluff) -> Iterable[Block]:
    roles = dict.fromkeys(each.role for player in record.players for each in player.over_time)
    for role in roles:
        lines = {
            _line(player, record): [
                Step(each.time, *each.truth.ends) for each in player.over_time if each.role == role
            ]
            for player in record.players
            if any(each.role == role for each in player.over_time)
        }
        caption = (
            f"Belief over time, acts as {role}: the probability that observers give the truth after an "
            "act, by the number of questions or turns so far. Mean with its 95 % interval."
        )
        label, across = "probability of the truth", "questions or turns so far"
        yield _curves("belief", caption, lines, label, "whose acts", across)


def _words_kept(record: Bluff) -> Iterable[Block]:
    hedging = [
        (_name(player), row.role, _cell(row.hedged))
        for player in record.players
        for row in player.hedging
    ]
    if hedging:
        caption = f"Of what could be hedged, the part that was. {CAPTION}"
        yield Table(caption, ("player", "as", "hedged"), tuple(hedging), words=2)
    covers = [
        (_name(player), row.role, str(row.number), _cell(row.consistent))
        for player in record.players
        for row in player.covers
        if row.role == player.ledger[0].role
    ]
    if covers:
        caption = (
            "Cover, and the time to contradiction: of a seat's claims of that number in a match, the "
            f"part after which some monster still fits all it has said. {CAPTION}"
        )
        yield Table(caption, ("player", "as", "claim", "consistent"), tuple(covers), words=2)


def _lying(record: Bluff) -> Iterable[Block]:
    rows = [
        (
            *(_name(player), value.forbidden, f"{kept.share:.0%}", _tuned(kept)),
            *(_cell(kept.rate), _cell(kept.score, True), _cell(kept.value, True)),
        )
        for player in record.players
        for value in player.lying
        for kept in value.kept
    ]
    if not rows:
        return
    yield Words(
        "Bluffs are acts of the kind named, done where there was one to be done. What a player loses "
        "when kept from them, on the same deals, is what they are worth to it."
    )
    for forbidden in dict.fromkeys(row[1] for row in rows):
        lines = {
            _line(player, record): [
                Step(kept.rate.mean, *kept.score.ends)
                for kept in value.kept
                if kept.rate and not kept.tuned
            ]
            for player in record.players
            for value in player.lying
            if value.forbidden == forbidden
            and any(kept.rate and kept.rate.mean > 0 for kept in value.kept)
        }
        if lines:
            caption = (
                f"Value against lying rate, {forbidden} acts: the score a round of each player, kept "
                "from none, half and all of them. Mean with its 95 % interval."
            )
            label, across = "score a round", "bluffs where one could be made"
            yield _curves("lying", caption, lines, label, "who", across)
    header = ("player", "bluffs", "kept from", "tuned", "rate", "score a round", "loses by it")
    yield Table(f"What bluffing is worth. {CAPTION}", header, tuple(rows), words=2)


def _detection(record: Bluff) -> Iterable[Block]:
    found = [
        (player, name, judged)
        for player in record.players
        for name, judged in (player.detection or {}).items()
        if judged
    ]
    if not found:
        return
    rows = [
        (
            *(_name(player), name, f"{judged.count:,}"),
            between(judged.auroc.mean, judged.auroc.low, judged.auroc.high)
            if judged.auroc
            else NONE,
        )
        for player, name, judged in found
    ]
    caption = (
        "How well players, as monsters, tell the kid: the area under the receiver operating "
        "characteristic of their votes and accusals, 0.5 if they do not, with its 95 % interval."
    )
    yield Table(caption, ("player", "judgements", "number", "area"), tuple(rows), words=2)
    lines = {
        _line(player, record): [
            Step(each.mean_score, each.share.mean, each.share.low, each.share.high)
            for each in judged.calibration
        ]
        for player, name, judged in found
        if name == "votes"
    }
    if lines:
        caption = (
            "Detection: of the votes that a player casts against someone with some probability, the "
            "part that are against the kid, with its 95 % interval."
        )
        label, across = "are the kid", "probability of agreeing"
        yield _curves("detection", caption, lines, label, "whose votes", across)


def _curves(
    name: str, caption: str, lines: Mapping[str, list[Step]], label: str, legend: str, across: str
) -> Figure:
    alt = "; ".join(f"{line}: {_ends(steps)}" for line, steps in lines.items())
    return Figure(name, caption, alt, figures.curves(lines, label, legend, across))


def _ends(steps: list[Step]) -> str:
    first, last = steps[0], steps[-1]
    return f"{between(*first[1:])} at {first.at:g}, {between(*last[1:])} at {last.at:g}"


def _tuned(kept: Kept) -> str:
    return f"{kept.tuned:,} decisions" if kept.tuned else NONE


def _cell(interval: Interval | None, signed: bool = False) -> str:
    return NONE if interval is None else plus_minus(interval, signed)
