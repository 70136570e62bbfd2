"""A slow, plain twin of Under My Bed: the test oracle for the compiled rules.

Written from the rules page alone, independently of the compiled rules; rule numbers (B1 ...) refer
to it. Every chance event is explicit here: the new game waits in phase "chance" for the line-up.
"""

from fractions import Fraction
from itertools import combinations
from typing import Any

# fmt: off
DEFAULT_ATTRIBUTES = {  # B2
    "eyes": ["one", "two", "three", "many"],
    "colour": ["red", "green", "blue", "purple"],
    "skin": ["fur", "scales", "slime", "feathers"],
    "limbs": ["claws", "tentacles", "wings"],
    "head": ["horns", "antennae", "bare"],
    "mouth": ["fangs", "beak", "none"],
    "size": ["small", "medium", "huge"],
    "scene": ["day", "night"],
}
# fmt: on
DEFAULT_TABLE = """
    Mopwick      three purple fur      tentacles bare     beak  huge   night
    Gloamtwig    many  blue   feathers wings     antennae fangs medium night
    Slurrow      one   purple slime    wings     antennae none  huge   night
    Pipquill     one   red    feathers tentacles horns    beak  small  night
    Grumbelow    one   blue   fur      claws     horns    none  huge   day
    Skittermaw   three blue   scales   claws     bare     beak  medium day
    Oozelby      three purple slime    tentacles horns    none  medium day
    Feathergast  many  red    feathers claws     antennae none  small  day
    Dribblehorn  many  red    slime    claws     horns    fangs huge   night
    Humdrumple   one   green  feathers tentacles bare     fangs huge   day
    Flapsodden   two   red    slime    wings     antennae beak  medium day
    Scalawink    many  green  scales   wings     horns    beak  huge   day
    Bluntwhistle two   blue   slime    tentacles bare     none  small  night
    Fuzzlewing   three green  fur      wings     antennae fangs small  day
    Thistlegulp  two   green  feathers claws     antennae beak  huge   night
    Nibbershade  two   purple scales   wings     horns    fangs small  night
"""
DEFAULT_CATALOGUE = {
    "attributes": DEFAULT_ATTRIBUTES,
    "monsters": {
        name: dict(zip(DEFAULT_ATTRIBUTES, values, strict=True))
        for name, *values in (line.split() for line in DEFAULT_TABLE.strip().splitlines())
    },
}
PLAIN_GOD_VIEW = (
    *("num_players", "phase", "to_move", "under_bed", "roles", "window_order", "asker"),
    *("answerer", "question", "questions_asked", "max_questions", "claims", "window"),
    *("accusation", "accusations", "outcome", "rewards"),
)
KID = "kid"
KID_WINS = ("wrong_accusal", "checked_right", "time")  # B12, B14, B15; not the other two outcomes
NUM_PLAYER_ACTIONS = 7  # action k is the (k + 1)-th seat to my left
NUM_CLAIMS = 14  # bit masks 1 ... 14
NUM_CHECKS = 8


class Twin:
    """One game. Ask `legal_actions` and `step`, or in phase "chance" `chance_outcomes`, `resolve`."""

    def __init__(
        self,
        num_players=4,
        max_questions="3n",
        window_order="random",
        first_asker=None,
        catalogue=None,
        hedging=True,
    ):
        _check_int("num_players", num_players, 3, 8)  # B1
        if max_questions is not None and max_questions != "3n":  # B15
            _check_int("max_questions", max_questions, 1, None, ", '3n' and None")
        if window_order not in ("random", "clockwise"):  # B10
            raise ValueError(f"window_order={window_order!r}: allowed are 'random' and 'clockwise'")
        if first_asker is not None:  # B4
            _check_int("first_asker", first_asker, 0, num_players - 1, " and None")
        if not isinstance(hedging, bool):  # B7
            raise ValueError(f"hedging={hedging!r}: allowed are True and False")
        catalogue = DEFAULT_CATALOGUE if catalogue is None else catalogue
        _check_catalogue(catalogue, num_players)
        self.num_players = num_players
        self.window_order = window_order
        self.first_asker = first_asker
        self.hedging = hedging

        # The catalogue (B2) as tuples, which never change: (attribute, its values) in order, and
        # (monster, its values in attribute order).
        attributes, monsters = catalogue["attributes"], catalogue["monsters"]
        self.attributes = tuple((name, tuple(values)) for name, values in attributes.items())
        self.monsters = tuple(
            (name, tuple(values[attribute] for attribute in attributes))
            for name, values in monsters.items()
        )
        # B6: (attribute, value), as indices; the value of an open question is None.
        open_questions = [(a, None) for a in range(len(self.attributes))]
        closed_questions = [
            (a, v) for a, (_, values) in enumerate(self.attributes) for v in range(len(values))
        ]
        self.bank = (*open_questions, *closed_questions)
        self.num_questions = len(self.bank)
        if max_questions is None:  # B15
            max_questions = self.num_questions
        elif max_questions == "3n":
            max_questions = 3 * num_players
        self.max_questions = min(max_questions, self.num_questions)

        self.first_question = NUM_PLAYER_ACTIONS
        self.first_claim = self.first_question + self.num_questions
        self.PASS = self.first_claim + NUM_CLAIMS
        self.AGREE = self.PASS + 1
        self.DISAGREE = self.PASS + 2
        self.first_check = self.PASS + 3
        self.num_actions = self.first_check + NUM_CHECKS

        self.over = False
        self.outcome: Any = None
        self.rewards: Any = None
        self.drawn_monsters = []  # catalogue indices by slot
        self.under_bed: Any = None
        self.roles: list[Any] = []
        self.asker: Any = None
        self.answerer: Any = None
        self.question: Any = None
        self.just_asked_by: Any = None  # who asked the asker the question before (B5)
        self.questions_asked = []
        self.claims = []
        self.window: Any = None
        self.accusation: Any = None
        self.accusations = []
        self.log = [() for _ in range(num_players)]  # what each seat has seen, in order
        self._await_chance("lineup")

    def clone(self):
        other = object.__new__(Twin)
        other.__dict__ = {name: _copy(value) for name, value in self.__dict__.items()}
        return other

    # ---------------------------------------------------------------- chance

    def chance_outcomes(self):
        if self.phase != "chance":
            raise ValueError(f"phase={self.phase!r}: chance outcomes exist only in phase 'chance'")
        values = list(self._chance_values())  # equally likely, whatever is drawn
        return [((self.chance, value), Fraction(1, len(values))) for value in values]

    def _chance_values(self):
        seats = range(self.num_players)
        if self.chance == "lineup":  # B3
            return combinations(range(len(self.monsters)), self.num_players)
        if self.chance == "bed":  # B3
            return seats  # as many slots as seats
        if self.chance == "card":  # B3
            cards = [slot for slot in seats if slot != self.under_bed] + [KID]
            return [card for card in cards if card not in self.roles]
        if self.chance == "first_asker":  # B4
            return seats
        return [seat for seat in seats if seat not in self.window["polled"]]  # B10

    def _is_possible(self, outcome):
        """The same as being among chance_outcomes(), without listing all line-ups."""
        if self.phase != "chance" or not isinstance(outcome, tuple) or len(outcome) != 2:
            return False
        kind, value = outcome
        if kind != self.chance:
            return False
        if kind != "lineup":
            return value in self._chance_values()
        if not isinstance(value, tuple) or len(value) != self.num_players:
            return False
        in_range = all(monster in range(len(self.monsters)) for monster in value)
        return in_range and list(value) == sorted(set(value))

    def resolve(self, outcome):
        if not self._is_possible(outcome):
            raise ValueError(f"outcome={outcome!r}: impossible now, in phase {self.phase!r}")
        value = outcome[1]
        if self.chance == "lineup":
            self.drawn_monsters = list(value)
            self._tell_all(("lineup", value))
            self._await_chance("bed")
        elif self.chance == "bed":
            self.under_bed = value
            self._await_chance("card")
        elif self.chance == "card":
            self._tell(len(self.roles), ("my card", value))
            self.roles.append(value)
            if len(self.roles) < self.num_players:
                return
            self._await_chance("first_asker")
            if self.first_asker is not None:  # B4: fixed, so not an event
                self._begin_game(self.first_asker)
        elif self.chance == "first_asker":
            self._begin_game(value)
        else:
            self._poll(value)

    def _begin_game(self, seat):
        self._tell_all(("first asker", seat))
        self._await_asker(seat)

    # ---------------------------------------------------------------- decisions

    def legal_actions(self):
        if self.to_move is None:
            return []
        seat = self.to_move
        others = range(self.num_players - 1)
        # B14: all slots of the line-up, for the kid, in three of the phases.
        checks = []
        if self.roles[seat] == KID:
            checks = [self.first_check + slot for slot in range(self.num_players)]
        if self.phase == "ask_player":  # B5
            return [k for k in others if self._seat_left(k) != self.just_asked_by] + checks
        if self.phase == "ask_question":  # B5, B6
            not_asked = set(range(self.num_questions)) - set(self.questions_asked)
            return [self.first_question + question for question in sorted(not_asked)]
        if self.phase == "answer":
            return [self.first_claim + mask - 1 for mask in self._legal_claims(seat)] + checks
        if self.phase == "window":  # B10, B13
            accusals = list(others) if self.window["accusals_open"] else []
            return [*accusals, self.PASS, *checks]
        return [self.AGREE, self.DISAGREE]  # B11

    def _legal_claims(self, seat):
        """Bit masks, ascending: what the question allows (B7) and, for a monster, is true (B8)."""
        attribute, asked_value = self.bank[self.question]
        values = self.attributes[attribute][1]
        masks = range(1, 2 ** len(values) - 1)  # neither nothing nor everything
        if asked_value is not None:  # yes, or no
            yes = 2**asked_value
            no = 2 ** len(values) - 1 - yes
            masks = [mask for mask in masks if mask in (yes, no)]
        else:
            most = (len(values) + 1) // 2 if self.hedging else 1
            masks = [mask for mask in masks if mask.bit_count() <= most]
        if self.roles[seat] == KID:
            return masks
        mine = self.monsters[self.drawn_monsters[self.roles[seat]]][1][attribute]
        return [mask for mask in masks if mine in _members(values, mask)]

    def step(self, action):
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"action={action!r}: legal in phase {self.phase!r} are {legal}")
        seat, action = self.to_move, int(action)
        if action >= self.first_check:
            self._check_under_bed(seat, action - self.first_check)
        elif self.phase == "ask_player":
            self._choose_answerer(seat, self._seat_left(action))
        elif self.phase == "ask_question":
            self._ask(action - self.first_question)
        elif self.phase == "answer":
            self._answer(seat, action - self.first_claim + 1)
        elif self.phase == "vote":
            self._vote(seat, action == self.AGREE)
        elif action == self.PASS:
            self._pass(seat)
        else:
            self._accuse(seat, self._seat_left(action))

    # Questions.

    def _await_asker(self, seat):
        self.just_asked_by = self.asker  # nobody before the first question
        self.asker, self.answerer, self.question = seat, None, None
        self._await_decision("ask_player", seat)

    def _choose_answerer(self, seat, answerer):
        self.answerer = answerer
        self._tell_all(("chosen", seat, answerer))
        self._await_decision("ask_question", seat)

    def _ask(self, question):
        self.question = question
        self.questions_asked.append(question)
        self._tell_all(("question", question))
        self._await_decision("answer", self.answerer)

    def _answer(self, seat, mask):
        """B7, then the window (B10)."""
        attribute, values = self.attributes[self.bank[self.question][0]]
        claim = {
            "seat": seat,
            "asker": self.asker,
            "question": self.question,
            "attribute": attribute,
            "values": _members(values, mask),
        }
        self.claims.append(claim)
        self._tell_all(("claim", seat, mask))
        self.window = {"polled": [], "accusals_open": True}
        self._next_poll()

    # The window.

    def _next_poll(self):
        """B10: every player once, by chance or clockwise from the answerer's left."""
        clockwise = [(self.answerer + k) % self.num_players for k in range(1, self.num_players + 1)]
        waiting = [seat for seat in clockwise if seat not in self.window["polled"]]
        if not waiting:
            self._end_window()
        elif self.window_order == "clockwise":
            self._poll(waiting[0])
        else:
            self._await_chance("polled")

    def _poll(self, seat):
        self.window["polled"].append(seat)
        self._await_decision("window", seat)

    def _pass(self, seat):
        if self.window["accusals_open"]:
            self._tell_all(("pass", seat))
            self._next_poll()
        else:  # the kid's lone poll (B13)
            self._tell(seat, ("my lone pass",))
            self._end_window()

    def _end_window(self):
        """B9: the answerer asks next; B15: unless that was the last question."""
        self.window = None
        if len(self.questions_asked) == self.max_questions:
            self._end("time", None)
        else:
            self._await_asker(self.answerer)

    def _accuse(self, seat, accused):
        """B11; B13: no other accusal before the next question."""
        self.window["accusals_open"] = False
        self.accusation = {"by": seat, "accused": accused, "votes": {seat: True}}
        self._tell_all(("accusal", seat, accused))
        self._next_vote()

    def _next_vote(self):
        """B11: clockwise from the accused's left, all but the accused and the accuser."""
        accused, votes = self.accusation["accused"], self.accusation["votes"]
        for k in range(1, self.num_players):
            seat = (accused + k) % self.num_players
            if seat not in votes:
                self._await_decision("vote", seat)
                return
        self._settle_accusation()

    def _vote(self, seat, agrees):
        self.accusation["votes"][seat] = agrees
        self._tell(seat, ("my vote", agrees))
        self._next_vote()

    def _settle_accusation(self):
        accused, votes = self.accusation["accused"], self.accusation["votes"]
        self._tell_all(("votes", tuple(sorted(votes.items()))))
        self.accusations.append(self.accusation)
        self.accusation = None
        if not all(votes.values()):  # B13: the kid's lone poll
            self._poll(self.roles.index(KID))
            return
        card = self.roles[accused]  # B12: shown to all
        self._end("kid_caught" if card == KID else "wrong_accusal", card)

    # The end.

    def _check_under_bed(self, seat, slot):
        """B14."""
        self._tell_all(("check", seat, slot))
        right = slot == self.under_bed
        self._end("checked_right" if right else "checked_wrong", self.under_bed)

    def _end(self, outcome, revealed):
        """B16."""
        kid_reward = 1 if outcome in KID_WINS else -1
        self.outcome = outcome
        self.rewards = [kid_reward if role == KID else -kid_reward for role in self.roles]
        self.over = True
        self.window = None
        self.phase, self.to_move = "over", None
        self._tell_all(("end", outcome, revealed))

    # ---------------------------------------------------------------- small helpers

    def _await_decision(self, phase, seat):
        self.phase, self.to_move, self.chance = phase, seat, None

    def _await_chance(self, kind):
        self.phase, self.to_move, self.chance = "chance", None, kind

    def _seat_left(self, action):
        """The seat that a player action of the deciding seat means."""
        return (self.to_move + action + 1) % self.num_players

    def _tell(self, seat, event):
        self.log[seat] += (event,)

    def _tell_all(self, event):
        for seat in range(self.num_players):
            self._tell(seat, event)

    # ---------------------------------------------------------------- views

    def god_view(self):
        """The whole hidden state, to be read at once: its lists are the match's own."""
        view = {name: getattr(self, name) for name in PLAIN_GOD_VIEW}
        names = [name for name, _ in self.attributes]
        monsters = [self.monsters[index] for index in self.drawn_monsters]
        view["lineup"] = [name for name, _ in monsters]
        view["values"] = [dict(zip(names, values, strict=True)) for _, values in monsters]
        view["attributes"] = [(name, list(values)) for name, values in self.attributes]
        return view

    def information_state(self, seat):
        """What the seat has seen, in order, and what it is asked to decide now, if anything.

        Nobody else sees who is being polled, who is voting, or the lone poll of B13.
        """
        _check_int("seat", seat, 0, self.num_players - 1)
        return (seat, self.log[seat], self.phase if seat == self.to_move else None)


def _check_int(name, value, low, high, also=""):
    """`high` may be None, for no limit; `also` names what else is allowed."""
    is_int = isinstance(value, int) and not isinstance(value, bool)
    if not is_int or value < low or (high is not None and value > high):
        to = "" if high is None else f" to {high}"
        raise ValueError(f"{name}={value!r}: allowed are whole numbers from {low}{to}{also}")


def _check_catalogue(catalogue, num_players):
    """B2: what a custom catalogue needs."""
    is_whole = isinstance(catalogue, dict) and set(catalogue) == {"attributes", "monsters"}
    _require(is_whole, "", catalogue, "None or a dict with 'attributes' and 'monsters'")
    attributes, monsters = catalogue["attributes"], catalogue["monsters"]
    enough = isinstance(attributes, dict) and 1 <= len(attributes) <= 8
    _require(enough, " has attributes", attributes, "a dict of 1 to 8")
    enough = isinstance(monsters, dict) and len(monsters) >= num_players
    _require(enough, " has monsters", monsters, f"a dict of at least {num_players}")
    for name in (*attributes, *monsters):
        _require(isinstance(name, str), " has name", name, "a string")
    for name, values in attributes.items():
        good = isinstance(values, (list, tuple)) and all(isinstance(v, str) for v in values)
        good = good and 2 <= len(values) <= 4 and len(set(values)) == len(values)
        _require(good, f" has attribute {name}", values, "a list of 2 to 4 different strings")
    for name, values in monsters.items():
        full = isinstance(values, dict) and set(values) == set(attributes)
        _require(full, f" has monster {name}", values, f"a value of each of {list(attributes)}")
        for attribute, value in values.items():
            allowed = attributes[attribute]
            what = f" has monster {name} with {attribute}"
            _require(value in allowed, what, value, f"one of {list(allowed)}")


def _require(good, what, value, allowed):
    if not good:
        raise ValueError(f"catalogue{what}={value!r}: allowed is {allowed} (B2)")


def _copy(value):
    """Copy lists and dicts all the way down; everything else in a Twin never changes."""
    if isinstance(value, list):
        return [_copy(item) for item in value]
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return value


def _members(values, mask):
    """The values in a claim's bit mask, in value order."""
    return [value for k, value in enumerate(values) if mask >> k & 1]
