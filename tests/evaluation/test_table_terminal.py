"""A match at the terminal, in the tests' own process: what is shown, to whom, and what answers do."""

import io
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.replay import Replay, load, play_back
from masked_monsters.evaluation.retell import retell
from masked_monsters.evaluation.table.terminal import play
from tests.evaluation.players import Drawing, First

Seats = Sequence[Policy | None]
LEFT = "The match is left before its end; nothing is saved."
OVER_LINE = "The match is over."
OWN = re.compile(r"^ *(player_\d) (?:holds:|is dealt(?! a hand)|is (?!dealt))", re.MULTILINE)
"""How lines begin that tell what somebody holds or is."""
TURN = re.compile(r"(player_\d), press Enter when nobody else is looking: ")


class Typing(io.StringIO):
    """Standard input of one who tries all kinds of things, most of them allowed."""

    def __init__(self, seed: int = 0, others: Sequence[str] = ("t", "c", "?", "w", "h")) -> None:
        super().__init__()
        self.random = random.Random(seed)
        self.others = others

    def readline(self, *_: Any) -> str:
        if self.random.random() < 0.1:
            return f"{self.random.choice(self.others)}\n"
        return f"{self.random.randint(1, 4)}\n"


def console(**options: Any) -> Console:
    return Console(file=io.StringIO(), **options)


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets what standard input holds, as lines or as somebody typing."""

    def set_input(what: str | io.StringIO) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(what) if isinstance(what, str) else what)

    return set_input


def seats_of(game: Game, *people: int) -> Seats:
    player = get_baseline(game, baselines(game)[-1])
    return [None if seat in people else player for seat in range(game.num_players)]


def short(name: str, players: int) -> Game:
    rounds = {"num_rounds": 2} if name == "monster_my_neighbor" else {}
    return get_game(name, num_players=players, **rounds)


# ---------------------------------------------------------------- whole matches


@pytest.mark.parametrize("players", [3, 8])
def test_a_person_plays_a_match_whose_replay_plays_back(
    tmp_path: Path, name: str, players: int, typed: Any
) -> None:
    game, out = short(name, players), tmp_path / "it.json"
    seats = seats_of(game, 1)
    adviser = get_baseline(game, "random")
    paper = console()
    typed(Typing(players))
    replay = play(game, seats, 5, adviser=adviser, out=out, console=paper)
    assert replay is not None
    assert load(out) == replay
    *_, last = play_back(replay)
    assert last.after["phase"][0] == OVER
    assert replay.players == ["person" if p is None else p.name for p in seats]
    text = shown(paper)
    assert OVER_LINE in text
    assert "".join(str(out).split()) in "".join(text.split())
    for seat, points in enumerate(replay.score):
        assert re.search(rf"player_{seat} +{points:.4g}  {replay.players[seat]}", text)


@pytest.mark.parametrize("players", [3, 8])
@pytest.mark.parametrize("people", [(0,), (0, 2)])
def test_all_is_ascii_and_no_line_is_wider_than_80(
    name: str, players: int, people: tuple[int, ...], typed: Any
) -> None:
    game = short(name, players)
    paper = console(width=200)
    typed(Typing())
    play(game, seats_of(game, *people), 3, adviser=get_baseline(game, "random"), console=paper)
    text = shown(paper)
    assert text.isascii()
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_a_narrow_terminal_is_not_exceeded(name: str, typed: Any) -> None:
    game, paper = short(name, 4), console(width=40)
    typed(Typing())
    play(game, seats_of(game, 0), 3, console=paper)
    assert max(len(line) for line in shown(paper).splitlines()) <= 40


def test_nothing_is_told_that_the_seat_does_not_see(name: str, typed: Any) -> None:
    game, paper = short(name, 4), console()
    typed(Typing(others=["t"]))
    replay = play(game, seats_of(game, 2), 8, console=paper)
    assert replay is not None
    seen = words("\n".join(retell(replay, seat=2)))
    lines = shown(paper).split(OVER_LINE)[0].splitlines()
    events = [line for line in lines if re.match(r"  (\S.* )?player_\d [^:]*$|  the ", line)]
    assert len(events) > 5
    assert all(words(line) in seen for line in events)


def words(text: str) -> str:
    return " ".join(text.split())


def test_all_that_was_dealt_is_told_at_the_end_and_no_sooner(name: str, typed: Any) -> None:
    game, paper = short(name, 4), console()
    typed(Typing())
    replay = play(game, seats_of(game, 0), 8, console=paper)
    assert replay is not None
    before, after = map(words, shown(paper).split(OVER_LINE))
    secret = "under the bed lies" if name == "under_my_bed" else "the monster of round 1 is"
    assert secret in after
    assert secret not in before
    assert all(f"player_{seat} is dealt" in after for seat in range(4))


# ---------------------------------------------------------------- answers


def played(game: Game, typed: Any, answers: str | io.StringIO, **options: Any) -> tuple[Any, str]:
    typed(answers)
    paper = console()
    seats = options.pop("seats", [None, First(), First(), First()])
    return play(game, seats, 1, console=paper, **options), shown(paper)


BAD = [
    "",
    "0",
    "99",
    "-1",
    "1.0",
    "01",
    "1 2",
    "one",
    "\x00",
    "٣",
    "²",
    "9" * 5000,
    "[bold]",
    "é",
    "\udcff",
]


def test_what_is_not_allowed_changes_nothing_and_is_told_what_is(typed: Any) -> None:
    game = short("monster_my_neighbor", 4)
    first = "1\n" * 200
    plain, _ = played(game, typed, first)
    bad = "\n".join(BAD) + "\n"
    replay, text = played(game, typed, "".join(f"{bad}{answer}\n" for answer in first.split()))
    assert isinstance(replay, Replay)
    assert replay == plain
    assert text.count("That is none of these:") % len(BAD) == 0
    assert "  q    leave the match" in text
    assert text.isascii()


def test_capitals_and_blanks_around_an_answer_do_no_harm(typed: Any) -> None:
    _, text = played(short("monster_my_neighbor", 4), typed, "  T \n Q\n  Y \n")
    assert "That is none" not in text
    assert LEFT in text


def test_the_commands_that_are_listed_are_those_there_are(name: str, typed: Any) -> None:
    game = short(name, 4)
    _, text = played(game, typed, "?\nh\nq\ny\n")
    assert "what random would do" not in text
    assert text.count("That is none of these:") == 1
    _, text = played(game, typed, "?\nh\nq\ny\n", adviser=get_baseline(game, "random"))
    assert "what random would do" in text
    assert "That is none" not in text
    assert re.search(r"^ +\d+% +\d+  ", text, re.MULTILINE)


def test_the_advisers_chances_are_listed_likeliest_first(typed: Any) -> None:
    class Sure(First):
        def probabilities(self, decisions: Any) -> Any:
            chances = super().probabilities(decisions) * 0.1
            chances[0, self.act(decisions)] += 0.9
            return chances

    typed("h\n1\n" * 100)
    paper = console()
    play(get_game("under_my_bed"), [None, *[Drawing()] * 3], 1, adviser=Sure(), console=paper)
    lists = re.findall(r"(?:^ +\d+% .*\n)+", shown(paper), re.MULTILINE)
    chances = [[int(chance) for chance in re.findall(r"(\d+)%", text)] for text in lists]
    assert any(len(row) > 2 for row in chances)
    assert all(row == sorted(row, reverse=True) for row in chances)


def test_each_card_is_explained_where_the_game_has_words_for_it(typed: Any) -> None:
    _, text = played(get_game("monster_my_neighbor"), typed, "w\nq\ny\n")
    assert "  gossip: " in text
    _, text = played(get_game("under_my_bed"), typed, "w\nq\ny\n")
    assert "That is none of these" in text


@pytest.mark.parametrize("answers", ["", "t\n", "q\ny\n", "q\nYES\n", "q\n", "q\nn\nq\ny\n"])
def test_one_who_leaves_saves_nothing_and_is_told_so(
    tmp_path: Path, name: str, answers: str, typed: Any
) -> None:
    out = tmp_path / "it.json"
    replay, text = played(short(name, 4), typed, answers, out=out)
    assert replay is None
    assert text.endswith(f"{LEFT}\n")
    assert OVER_LINE not in text
    assert list(tmp_path.iterdir()) == []


def test_one_who_thinks_better_of_leaving_plays_on(typed: Any) -> None:
    game = short("monster_my_neighbor", 4)
    replay, _ = played(game, typed, "q\nn\nq\nmaybe\nq\n\n" + "1\n" * 200)
    assert replay == played(game, typed, "1\n" * 200)[0]


# ---------------------------------------------------------------- names and arguments


def test_names_are_shown_as_text(typed: Any) -> None:
    odd = First()
    odd.name = "[red]josé\x1b[1m[/x] :smile:"
    seats = [None, odd, First(), First()]
    _, text = played(short("monster_my_neighbor", 4), typed, "h\n", seats=seats, adviser=odd)
    assert text.count(r"[red]jos\xe9\x1b[1m[/x] :smile:") == 1


@pytest.mark.parametrize(
    ("seats", "told"),
    [
        ([None] * 3, "seats: must be 4, are 3"),
        ([First()] * 4, "seats: at least one must be a person's"),
    ],
)
def test_seats_that_do_not_fit_are_refused(seats: Seats, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        play(get_game("under_my_bed"), seats, 0, console=console())


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_played(
    tmp_path: Path,
) -> None:
    game, paper = get_game("under_my_bed"), console()
    with pytest.raises(ValueError, match="out="):
        play(game, seats_of(game, 0), 0, out=tmp_path / "none" / "it.json", console=paper)
    assert shown(paper) == ""


def test_an_agent_that_does_what_is_illegal_is_named(typed: Any) -> None:
    class Wrong(First):
        def act(self, decisions: Any) -> Any:
            return decisions.action_mask.argmin(axis=1)

    game = get_game("monster_my_neighbor")
    typed(Typing())
    with pytest.raises(ValueError, match=r"seat \d \(first\): action=\d+ is illegal"):
        play(game, [None, *[Wrong()] * 3], 0, console=console())


# ---------------------------------------------------------------- a shared keyboard


def test_at_a_shared_keyboard_nobody_sees_anothers_cards(name: str, typed: Any) -> None:
    game = short(name, 4)
    for seed in range(4):
        paper = console()
        typed(Typing(seed))
        assert play(game, seats_of(game, 0, 1, 3), seed, console=paper)
        start, *turns = TURN.split(shown(paper).split(OVER_LINE)[0])
        assert " is dealt" not in start
        assert {*turns[::2]} <= {"player_0", "player_1", "player_3"}
        for who, text in zip(turns[::2], turns[1::2], strict=True):
            assert {seat for seat in OWN.findall(text)} == {who}


def test_the_screen_is_cleared_before_another_takes_the_keyboard(typed: Any) -> None:
    game = short("monster_my_neighbor", 3)
    paper = console()
    typed(Typing())
    play(game, [None, None, None], 2, console=paper)
    texts = TURN.split(shown(paper))[::2]
    assert all(text.endswith("\n" * paper.height) for text in texts[:-1])


def test_a_real_terminal_is_cleared_and_forgets_what_scrolled_away(typed: Any) -> None:
    paper = Console(
        file=io.StringIO(), force_terminal=True, color_system="standard", no_color=False
    )
    paper._environ = {"TERM": "xterm"}  # else the terminal may be taken for a dumb one
    typed(Typing())
    play(short("monster_my_neighbor", 3), [None, None, First()], 2, console=paper)
    assert "\x1b[2J\x1b[H\x1b[3J" in shown(paper)
