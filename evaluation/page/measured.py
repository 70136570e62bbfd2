"""What was measured one by one, as sections: exploitability and evaluations."""

from collections.abc import Iterable, Sequence

from masked_monsters.evaluation.exact import tables
from masked_monsters.evaluation.page import figures
from masked_monsters.evaluation.page.collect import Collected
from masked_monsters.evaluation.page.content import (
    BOUND,
    NONE,
    Block,
    Figure,
    Heading,
    Section,
    Table,
    Words,
    at_least,
    between,
    number,
    plus_minus,
)
from masked_monsters.evaluation.page.figures import GAIN, Spread
from masked_monsters.evaluation.page.records import (
    BestResponse,
    EvaluationFile,
    Exact,
    ExactRow,
    Factor,
    RoleRow,
)

# ---------------------------------------------------------------- exploitability


def exploitability(collected: Collected) -> Section:
    """Exact where the whole game was visited; elsewhere bounds, with what they cost."""
    blocks: list[Block] = []
    for source in collected.sources:
        if isinstance(source.record, Exact):
            blocks += _exact(source.name, source.record)
    responses = [
        (source.name, source.record)
        for source in collected.sources
        if isinstance(source.record, BestResponse)
    ]
    if responses:
        blocks += _responses(responses)
    return Section("exploitability", "Exploitability", tuple(blocks))


def _exact(name: str, record: Exact) -> Iterable[Block]:
    yield Heading(f"Exact, of reduced games: {name}")
    games = dict.fromkeys(row.game for row in record.rows)
    for game in games:
        rows = [row for row in record.rows if row.game == game]
        values = {
            _policy(row, record): row.nash_conv if row.nash_conv > tables.ROUNDING else 0.0
            for row in rows
        }
        caption = f"{game}: NashConv of each policy, exact. 0 is an equilibrium."
        alt = "; ".join(f"{policy}: {number(value)}" for policy, value in values.items())
        yield Figure("nash-conv", caption, alt, figures.bars(values, "NashConv (exact)"))
    caption = (
        f"{name}: exact, by visiting every history. NashConv is the sum over seats of what a best "
        "response gains; value is each seat's expected reward."
    )
    header = (
        "game",
        "policy",
        "NashConv (exact)",
        "value (exact)",
        "histories",
        "information states",
    )
    rows = [
        (
            *(row.game, _policy(row, record), tables.nash_conv(row.nash_conv)),
            ", ".join(number(value, signed=True) for value in row.value),
            *(f"{row.histories:,}", f"{row.information_states:,}"),
        )
        for row in record.rows
    ]
    yield Table(caption, header, tuple(rows), words=2)
    sides = [(row, row.model_dump()) for row in record.rows if row.kid is not None]
    if sides:
        caption = (
            f"{name}, by side: what the kid and each monster are paid, and the most that their side "
            f"could get against the other. Exact; what says at least is a {BOUND}."
        )
        header = ("game", "policy", "kid (exact)", f"each monster (exact, or a {BOUND})")
        rows = [
            (row.game, _policy(row, record), tables.kid(values), tables.monsters(values))
            for row, values in sides
        ]
        yield Table(caption, header, tuple(rows), words=2)


def _policy(row: ExactRow, record: Exact) -> str:
    """Its name, and the seed where others tell it apart from the same with another."""
    alike = [each for each in record.rows if (each.game, each.policy) == (row.game, row.policy)]
    return f"{row.policy}, seed {row.seed}" if len(alike) > 1 else row.policy


def _responses(responses: Sequence[tuple[str, BestResponse]]) -> Iterable[Block]:
    yield Heading("Lower bounds, by trained best responses")
    yield Words(
        "A best response is trained against copies of the agent. What it gains on fresh deals is a "
        f"{BOUND} of what the agent can lose: more training can only find more."
    )
    points = [
        Spread(f"{each.agent} ({name})", each.role or "any role", *each.improvement.ends)
        for name, each in responses
    ]
    caption = f"Improvement of a best response to each agent, with 95 % intervals ({BOUND}s)."
    alt = figures.in_words((point.row, point.mean, point.low, point.high) for point in points)
    figure = figures.spreads(points, f"improvement ({BOUND})", 0.0)
    yield Figure("best-responses", caption, alt, figure)
    rows = [
        (
            *(each.agent, name, each.game, each.role or "any"),
            plus_minus(each.improvement, signed=True),
            at_least(each.lower_bound),
            *(f"{each.decisions:,}", f"{each.matches:,}", f"{each.deals:,}"),
        )
        for name, each in responses
    ]
    caption = (
        "Best responses: improvement ± half a 95 % interval; the bound is the interval's lower end, "
        "at least 0. Decisions are the budget of the training."
    )
    header = (
        *("agent", "best response", "game", "as", "improvement", BOUND),
        *("decisions", "matches", "deals"),
    )
    yield Table(caption, header, tuple(rows), words=4)


# ---------------------------------------------------------------- evaluations


def evaluations(collected: Collected) -> Section:
    """Each file of evaluations: what was scored, with control variates too, and by role."""
    blocks: list[Block] = []
    for source in collected.sources:
        if isinstance(source.record, EvaluationFile):
            blocks.append(Heading(f"{source.name} ({source.record.game})"))
            blocks += _evaluation(source.name, source.record)
    return Section("evaluations", "Evaluations", tuple(blocks))


def _evaluation(name: str, record: EvaluationFile) -> Iterable[Block]:
    points = [
        Spread(f"against {row.against}", kind, *gain.ends)
        for row in record.evaluations
        for kind, gain in (
            ("plain", row.gain),
            ("with control variates", row.control_variates and row.control_variates.gain),
        )
        if gain is not None
    ]
    alt = figures.in_words((f"{each.row}, {each.group}", *each[2:]) for each in points)
    agents = ", ".join(dict.fromkeys(row.agent for row in record.evaluations))
    caption = f"{name}: gain of {agents} against copies of each, with 95 % intervals."
    yield Figure("gains", caption, alt, figures.spreads(points, GAIN, 0.0))
    acting = "do their likeliest action" if record.deterministic else "draw their actions"
    rows = [
        (
            *(row.agent, row.against, plus_minus(row.score), plus_minus(row.gain, signed=True)),
            *(plus_minus(row.win_share), f"{row.deals:,}", f"{row.matches:,}", f"{row.rounds:,}"),
        )
        for row in record.evaluations
    ]
    header = (
        *("agent", "against copies of", "score a round", "gain a round"),
        *("win share", "deals", "matches", "rounds"),
    )
    caption = f"{name}: mean ± half a 95 % interval. Trained agents {acting}."
    yield Table(caption, header, tuple(rows), words=2)
    varied = [(row, row.control_variates) for row in record.evaluations if row.control_variates]
    if varied:
        rows = [
            (
                *(row.agent, row.against, plus_minus(row.gain, signed=True)),
                plus_minus(better.gain, signed=True),
                _factor(better.fewer_games),
                _factor(better.fewer_games_than_independent),
            )
            for row, better in varied
        ]
        caption = (
            f"{name}, with control variates: the same gain with less luck in it, and how many times "
            "fewer games give an interval as narrow as duplicate deals alone, or independent ones."
        )
        header = (
            *("agent", "against copies of", "gain", "with control variates"),
            *("times fewer games", "than independent deals"),
        )
        yield Table(caption, header, tuple(rows), words=2)
    if roles := [role for row in record.evaluations for role in row.roles]:
        yield _role_table(name, roles)


def _role_table(name: str, roles: Sequence[RoleRow]) -> Table:
    outcomes = list(dict.fromkeys(outcome for role in roles for outcome in role.outcomes))
    rows = [
        (
            *(role.agent, role.against, role.role, plus_minus(role.win)),
            *(
                plus_minus(role.outcomes[outcome]) if outcome in role.outcomes else NONE
                for outcome in outcomes
            ),
            f"{role.matches:,}",
        )
        for role in roles
    ]
    header = (
        *("agent", "against copies of", "as", "won"),
        *(outcome.replace("_", " ") for outcome in outcomes),
        "matches",
    )
    caption = f"{name}, by role: parts of the matches ± half a 95 % interval."
    return Table(caption, header, tuple(rows), words=3)


def _factor(factor: Factor | None) -> str:
    return "no luck left" if factor is None else between(factor.mean, factor.low, factor.high)
