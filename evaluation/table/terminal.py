"""A match in the terminal: people who share a keyboard, agents on the other seats.

All that is printed is ASCII, at most 80 columns wide. Until the match is over, each line comes from
what the person at the keyboard may see. When several people play, being asked to take the keyboard
tells them whose turn it is, also where the game would keep that to itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.arguments import check_file
from masked_monsters.evaluation.replay import Event, Match, Replay, play_back, reset_each, save
from masked_monsters.evaluation.table.moves import Moves
from masked_monsters.evaluation.table.paper import Paper
from masked_monsters.evaluation.table.roster import PERSON
from masked_monsters.evaluation.table.seen import about, seen_by, told


def play(
    game: Game,
    seats: Sequence[Policy | None],
    seed: int,
    *,
    adviser: Policy | None = None,
    out: Path | None = None,
    console: Console,
) -> Replay | None:
    """Play a match at the terminal.

    Args:
        game: what is played.
        seats: an agent each, or None for a person.
        seed: of the match; agents are reset with seeds made from it.
        adviser: whom people may ask; None: nobody.
        out: where the replay is saved once the match is over; None: nowhere.
        console: where it is shown; answers come from standard input.

    Returns:
        The match; None if it was left before its end.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
        KeyboardInterrupt: if it was left that way.
    """
    if len(seats) != game.num_players:
        raise ValueError(f"seats: must be {game.num_players}, are {len(seats)}")
    if None not in seats:
        raise ValueError("seats: at least one must be a person's")
    check_file("out", out)
    paper = Paper(console)
    try:
        match = _Sitting(game, seats, seed, adviser, paper).play()
    except (EOFError, KeyboardInterrupt) as leaving:
        paper.say("The match is left before its end; nothing is saved.")
        if isinstance(leaving, KeyboardInterrupt):
            raise
        return None
    replay = match.replay(_names(seats))
    _tell_end(match, replay, paper)
    if out:
        save(replay, out)
        paper.say(f"\nThe replay is in {out}")
    return replay


def _names(seats: Sequence[Policy | None]) -> list[str]:
    return [PERSON if policy is None else policy.name for policy in seats]


# ---------------------------------------------------------------- the match


class _Sitting:
    """People and agents at a match."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[Policy | None],
        seed: int,
        adviser: Policy | None,
        paper: Paper,
    ) -> None:
        self._game, self._seats, self._adviser, self._paper = game, seats, adviser, paper
        self._match = Match(game, seed)
        if adviser:
            adviser.reset(seed)
        reset_each(seats, seed)
        people = [seat for seat, policy in enumerate(seats) if policy is None]
        self._news: dict[int, list[str]] = {seat: [] for seat in people}
        """What each person has not read yet."""
        self._reader = people[0] if len(people) == 1 else None
        """Who is at the keyboard."""
        self._round_shown = 0
        self._help: Mapping[str, str] = about(game).get("help", {})

    def play(self) -> Match:
        """The match, when it is over."""
        self._welcome()
        match = self._match
        while match.phase != OVER:
            before = match.states.copy()
            if match.phase == CHANCE:
                event = match.draw_chance()
            else:
                self._open_round()
                event = self._decide(match.to_move)
                match.happen(event)
            for seat, news in self._news.items():
                if seen := told(self._game, before, event, seat):
                    news.append(seen)
            if len(self._news) == 1 or match.phase == OVER:
                self._tell_news()
        return match

    def _welcome(self) -> None:
        self._paper.say(self._game.title, "bold")
        for seat, name in enumerate(_names(self._seats)):
            self._paper.say(f"  player_{seat}: {'you' if seat == self._reader else name}")
        self._paper.say("Type the number of what you want to do, or ? for help.\n")

    def _open_round(self) -> None:
        """Show the table as a round begins; who has to take the keyboard sees it then."""
        number = int(self._match.states["round"][0])
        if len(self._news) == 1 and number > self._round_shown:
            self._round_shown = number
            self._show_table()

    def _tell_news(self) -> None:
        if self._reader is not None:
            for line in self._news[self._reader]:
                self._paper.say(f"  {line}", "dim")
            self._news[self._reader].clear()

    def _decide(self, seat: int) -> Event:
        policy = self._seats[seat]
        if policy is None:
            return {"action": self._ask(seat), "seat": seat}
        return self._match.ask(policy)

    # ------------------------------------------------------------ a person's turn

    def _ask(self, seat: int) -> int:
        """The action that a person chooses."""
        if seat != self._reader:
            self._hand_over(seat)
        self._tell_news()
        moves = Moves(self._match)
        commands = self._commands(moves)
        self._show_turn(moves)
        while (answer := self._paper.ask("Your choice: ").lower()) not in moves.actions:
            if answer in commands:
                commands[answer][1]()
                continue
            if answer != "?":
                self._paper.say("That is none of these:")
            self._paper.say(f"  {moves.numbers}  what you do")
            for letter, (what, _) in commands.items():
                self._paper.say(f"  {letter:{len(moves.numbers)}}  {what}")
        return moves.actions[answer]

    def _hand_over(self, seat: int) -> None:
        self._paper.clear()
        self._paper.ask(f"player_{seat}, press Enter when nobody else is looking: ")
        self._reader = seat
        self._tell_news()
        self._show_table()

    def _commands(self, moves: Moves) -> dict[str, tuple[str, Callable[[], None]]]:
        """By letter: what it shows or does, and how."""
        commands: dict[str, tuple[str, Callable[[], None]]] = {
            "c": ("your cards and moves", lambda: self._show_turn(moves)),
            "t": ("the table", self._show_table),
        }
        if self._help:
            commands["w"] = ("what each card does", self._show_help)
        if adviser := self._adviser:
            what = f"what {adviser.name} would do, as chances"
            commands["h"] = (what, lambda: self._show_advice(adviser, moves))
        return {**commands, "q": ("leave the match", self._leave)}

    def _show_turn(self, moves: Moves) -> None:
        self._paper.say(f"\n{_own(self._match, self._match.to_move)}", "bold")
        self._paper.say(f"{moves.opening} ...")
        self._paper.say_in_columns(moves.rows)

    def _show_table(self) -> None:
        self._paper.say(f"\n{self._game.words.table(self._match.states[0])}")

    def _show_help(self) -> None:
        for name, what in self._help.items():
            self._paper.say(f"  {name}: {what}")

    def _show_advice(self, adviser: Policy, moves: Moves) -> None:
        """Likeliest first, without what rounds to nothing."""
        (chances,) = adviser.probabilities(self._match.decision(adviser))
        rows = zip((chances[action] for action in moves.actions.values()), moves.rows, strict=True)
        for chance, row in sorted(rows, key=lambda row: -row[0]):
            if chance >= 0.005:
                self._paper.say(f"  {chance:4.0%} {row}")

    def _leave(self) -> None:
        if self._paper.ask("Leave the match? (y/n) ").lower() in ("y", "yes"):
            raise EOFError  # as if there were nothing more to read


def _own(match: Match, seat: int) -> str:
    """What one seat sees beyond the table."""
    return seen_by(match.game, match.states, seat)["own"]


# ---------------------------------------------------------------- the end


def _tell_end(match: Match, replay: Replay, paper: Paper) -> None:
    """All that was dealt, what is left of it, how the match ended, and the score."""
    paper.say("\nThe match is over. This was dealt:", "bold")
    for line in _dealt(match.game, replay):
        paper.say(f"  {line}", "dim")
    paper.say("\nAt the end:", "bold")
    for seat in range(match.game.num_players):
        paper.say("\n".join(f"  {line}" for line in _own(match, seat).splitlines()))
    paper.say(f"\n{match.game.words.table(match.states[0])}")
    paper.say("\nScore:", "bold")
    for seat, (name, points) in enumerate(zip(replay.players, replay.score, strict=True)):
        paper.say(f"  player_{seat}  {points:6.4g}  {name}")


def _dealt(game: Game, replay: Replay) -> Iterator[str]:
    """What chance has brought in each round before anybody decided."""
    dealing = True
    for before, event, after in play_back(replay):
        dealing &= "chance" in event
        if dealing:
            yield game.words.outcome(before[0], event["chance"])
        dealing |= bool(after["round"][0] > before["round"][0])
