"""A slow, plain twin of Monster My Neighbor: the test oracle for the compiled rules.

Written from RULES.md alone, independently of the compiled rules; rule numbers (M1 ...) refer to it.
Every chance event is explicit here: the new game waits in phase "chance" for the first monster.
"""

from collections import Counter
from fractions import Fraction
from math import comb
from typing import Any

# fmt: off
CARDS = ("wanted", "hunter", "hide", "villager", "dog", "rumor", "gossip", "steal", "friend",
         "fog", "deal", "monster")
DEFAULT_DECK = {"wanted": 1, "hunter": 4, "hide": 5, "villager": 4, "dog": 1, "rumor": 3,
                "gossip": 3, "steal": 2, "friend": 4, "fog": 2, "deal": 4}  # M2
PLAIN_GOD_VIEW = ("round", "num_players", "hand_size", "phase", "to_move", "turns", "hands",
                  "table", "face_down", "monster", "monsters_seen", "friends", "hunters_played",
                  "villagers_played", "resolving", "pending", "vp", "winners", "last_outcome")
# fmt: on
MONSTERS = ("vampire", "werewolf", "goomiho", "mermaid", "mandrake")  # M3
FIRST_PLAYER_ACTION = 12  # 12 + k - 1 is the k-th seat to my left
FOLD = 19
MAX_EXTRA_ROUNDS = 5  # M30


class Twin:
    """One match. Ask `legal_actions` and `step`, or in phase "chance" `chance_outcomes`, `resolve`.

    `last_gains` is what each seat gained, right after the step that ended a round, else None.
    """

    def __init__(self, num_players=4, num_rounds=5, hand_size=4, deck=None, tiebreak="share"):
        _check_int("num_players", num_players, 3, 8)  # M1
        _check_int("num_rounds", num_rounds, 1, 5)  # M30
        _check_int("hand_size", hand_size, 2, 4)  # M4
        if tiebreak not in ("share", "rounds"):  # M30
            raise ValueError(f"tiebreak={tiebreak!r}: allowed are 'share' and 'rounds' (M30)")
        deck = DEFAULT_DECK if deck is None else deck
        _check_deck(deck, hand_size * num_players - 1)  # M2
        self.num_players = num_players
        self.num_rounds = num_rounds
        self.hand_size = hand_size
        self.tiebreak = tiebreak
        # The whole general deck; never changes.
        self.general_deck = tuple(card for card in CARDS for _ in range(deck.get(card, 0)))
        self.over = False
        self.to_move: Any = None
        self.round = 0
        self.vp = [0] * num_players
        self.monster_deck = []  # monsters that have not been drawn since it was last shuffled
        self.monsters_seen = []  # of the rounds before this one, in order
        self.winners = []
        self.last_outcome = None
        self.last_gains = None
        self._begin_round()

    def clone(self):
        other = object.__new__(Twin)
        other.__dict__ = {name: _copy(value) for name, value in self.__dict__.items()}
        return other

    # ---------------------------------------------------------------- rounds

    def _begin_round(self):
        """M5: clear the table and wait for the round's monster."""
        seats = range(self.num_players)
        self.round += 1
        if not self.monster_deck:  # M30: reshuffled whenever it is used up
            self.monster_deck = list(MONSTERS)
        self.monster = None
        fixed = Counter(["wanted", "hunter", "hide"])  # set aside for the starting deck
        # The general deck's cards still in random order.
        self.deck_random = sorted((Counter(self.general_deck) - fixed).elements())
        self.deck_bottom = []  # those put under it by M21, the oldest first
        self.hands = [[] for _ in seats]
        self.table = [[] for _ in seats]
        self.face_down = [[] for _ in seats]
        self.turns = [0] * self.num_players
        self.friends = []
        self.hunters_played = 0
        self.villagers_played = 0
        self.resolving: Any = None
        self.pending = {}
        self.seen_monster = [False] * self.num_players  # who knows its name
        self.log = [() for _ in seats]  # what each seat has seen this round, in order
        self.pool = []  # being dealt out: the starting deck (M5) or the gathered hands (M20)
        self.queue: list[
            Any
        ] = []  # who still gets a chance event: (seat, hand size), in Rumor the seats
        self.drawn = {}  # Rumor: the cards drawn so far, by drawer
        self._await_chance("monster")

    def _end_round(self, kind, monster_player, by):
        """M26-M29: score the round; M30: the match ends or goes on. The Monster is on the table."""
        gains = [0] * self.num_players
        if kind == "played":  # M26
            for seat in {monster_player, *self.friends}:
                gains[seat] = 2
            if self.monster == "vampire":
                gains[monster_player] += 1
        else:
            if by in self.friends:  # M28: only the catcher's status matters (M29)
                kind = "betrayed"
            for seat in range(self.num_players):
                if seat != monster_player and seat not in self.friends:
                    gains[seat] = 1  # M27, M28
            if kind != "betrayed":
                gains[by] = 2  # M27
        self.vp = [self.vp[seat] + gains[seat] for seat in range(self.num_players)]
        self.last_gains = list(gains)
        self.last_outcome = {
            "kind": kind,
            "monster_player": monster_player,
            "by": by,
            "gains": list(gains),
        }
        leaders = [seat for seat in range(self.num_players) if self.vp[seat] == max(self.vp)]
        rounds_at_most = self.num_rounds
        if self.tiebreak == "rounds" and len(leaders) > 1:
            rounds_at_most += MAX_EXTRA_ROUNDS
        if self.round < rounds_at_most:
            self.monsters_seen.append(self.monster)
            self._begin_round()
            return
        self.over = True
        self.winners = leaders
        self.phase = "over"
        self.to_move = None
        self.resolving = None
        self.pending = {}
        self.seen_monster = [True] * self.num_players  # it was revealed
        self._tell_all(("end", kind, monster_player, by))

    # ---------------------------------------------------------------- decisions

    def legal_actions(self):
        if self.to_move is None:
            return []
        seat, hand = self.to_move, self.hands[self.to_move]
        if self.phase == "play":
            playable = [CARDS.index(card) for card in CARDS if self._playable(seat, card)]
            return playable or [FOLD]  # M10
        if self.phase == "target":
            others = range(1, self.num_players)
            if self.resolving["card"] != "hunter":  # M12: anyone; M15, M18, M19: who holds a card
                others = [k for k in others if self.hands[(seat + k) % self.num_players]]
            return [FIRST_PLAYER_ACTION + k - 1 for k in others]
        # give, return, dog_discard, friend_discard
        return [CARDS.index(card) for card in CARDS if card in hand]

    def _playable(self, seat, card):
        hand = self.hands[seat]
        if card not in hand:
            return False
        if "wanted" in hand:  # M6
            return card == "wanted"
        if card == "hunter":  # M8
            return self.turns[seat] > 0
        if card == "monster":  # M9
            if self.monster == "mermaid" and self.villagers_played >= 2:  # M24
                return True
            if self.monster == "mandrake" and self.hunters_played >= 2:  # M25
                return True
            return len(hand) == 1
        return True

    def step(self, action):
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"action={action!r}: legal in phase {self.phase!r} are {legal}")
        self.last_gains = None
        seat, action = self.to_move, int(action)
        if self.phase == "play" and action == FOLD:
            self._fold(seat)
        elif self.phase == "play":
            self._play(seat, CARDS[action])
        elif self.phase == "target":
            self._target(seat, (seat + action - FIRST_PLAYER_ACTION + 1) % self.num_players)
        elif self.phase == "give":
            self._give(seat, CARDS[action])
        elif self.phase == "return":
            self._return(seat, CARDS[action])
        elif self.phase == "dog_discard":
            self._dog_discard(seat, CARDS[action])
        else:
            self._friend_discard(seat, CARDS[action])
        self._note_who_holds_monster()

    def _fold(self, seat):
        """M10: a Hunter goes face down; a turn taken, but no Hunter played."""
        self.turns[seat] += 1
        self.hands[seat].remove("hunter")
        self.face_down[seat].append("hunter")
        self._tell_all(("fold", seat))
        self._end_turn(seat)

    def _play(self, seat, card):
        """M7: the card leaves the hand, and all counts grow, at once."""
        self.turns[seat] += 1
        self.hands[seat].remove(card)
        self.table[seat].append(card)
        self._tell_all(("play", seat, card))
        if card == "hunter":
            self.hunters_played += 1
        if card == "villager":
            self.villagers_played += 1
        if card == "friend" and seat not in self.friends:  # M21
            self.friends = sorted([*self.friends, seat])

        if card == "monster":  # M26
            self._end_round("played", seat, seat)
        elif self._has_no_effect(seat, card):
            self._end_turn(seat)
        else:
            self.resolving = {"card": card, "by": seat, "target": None}
            if card in ("hunter", "dog", "steal", "deal"):
                self._await_decision("target", seat)
            elif card == "rumor":
                self._begin_rumor(seat)
            elif card == "gossip":
                self._next_gossip_giver()
            elif card == "fog":
                self._begin_fog()
            else:
                self._begin_friend_exchange(seat)

    def _has_no_effect(self, seat, card):
        """Whether the card, just played, calls for nothing more."""
        if card in ("wanted", "villager", "hide"):  # M13, M14
            return True
        last_card = not self.hands[seat]
        if card in ("fog", "gossip", "rumor", "deal") and last_card:  # M11
            return True
        if card in ("dog", "steal", "deal"):  # M11: no other player holds a card
            return not any(self.hands[other] for other in self._clockwise_from(seat)[1:])
        return card == "friend" and (last_card or not self.deck_random + self.deck_bottom)  # M21

    def _end_turn(self, seat):
        """M7: the next player clockwise; hands never run out before the round ends (M30)."""
        self.resolving = None
        self.pending = {}
        assert self.hands[self._left(seat)], "a player without cards is to move (M30)"
        self._await_decision("play", self._left(seat))

    def _target(self, seat, target):
        card = self.resolving["card"]
        self.resolving["target"] = target
        self._tell_all(("target", seat, card, target))
        if card == "hunter":
            self._hunt(seat, target)
        elif card == "dog":
            self._await_decision("dog_discard", target)
        elif card == "steal":
            self._await_chance("steal")
        else:
            self._await_decision("give", seat)  # M19: the Deal player is asked first

    def _hunt(self, seat, target):
        """M12: if the target holds the Monster and nothing protects them, the round ends."""
        hand = self.hands[target]
        hide = "hide" in hand  # M13
        werewolf = self.monster == "werewolf" and len(hand) == 1  # M22
        goomiho = self.monster == "goomiho" and self.hunters_played == 1  # M23: the first Hunter
        if "monster" in hand and not (hide or werewolf or goomiho):
            hand.remove("monster")
            self.table[target].append("monster")
            self._end_round("hunted", target, seat)
        else:
            self._tell_all(("hunter failed",))
            self._end_turn(seat)

    def _dog_discard(self, seat, card):
        """M15: the discard goes to the Dog player, the Dog to the hand; or the round ends."""
        by = self.resolving["by"]
        self.hands[seat].remove(card)
        if card == "monster":
            self.table[seat].append("monster")
            self._end_round("dogged", seat, by)
            return
        self.face_down[by].append(card)
        self.table[by].pop()  # the Dog: it was played last
        self._receive(seat, "dog")
        self._tell_all(("dog taken", seat, by))
        self._tell(seat, ("my dog discard", card))
        self._end_turn(by)

    # Gossip and Deal: secret choices, carried out when all are made.

    def _next_gossip_giver(self):
        """M17: clockwise from the Gossip player, each who holds a card; then all cards move."""
        by = self.resolving["by"]
        for seat in self._clockwise_from(by):
            if self.hands[seat] and seat not in self.pending:
                self._await_decision("give", seat)
                return
        self._pass_cards({giver: self._left(giver) for giver in self.pending})

    def _give(self, seat, card):
        self.pending[seat] = card
        self._tell(seat, ("my choice", card))
        by, partner = self.resolving["by"], self.resolving["target"]
        if self.resolving["card"] == "gossip":
            self._next_gossip_giver()
        elif partner not in self.pending:  # M19
            self._await_decision("give", partner)
        else:
            self._pass_cards({by: partner, partner: by})

    def _pass_cards(self, receiver_of):
        """Every giver's pending card goes to its receiver, all at the same time."""
        by = self.resolving["by"]
        for giver in receiver_of:
            self.hands[giver].remove(self.pending[giver])
        for giver, receiver in receiver_of.items():
            self._receive(receiver, self.pending[giver])
            self._tell(receiver, ("received", giver, self.pending[giver]))
        self._end_turn(by)

    def _return(self, seat, card):
        """M18: the Steal player gives a card to the target; both see it."""
        target = self.resolving["target"]
        self.hands[seat].remove(card)
        self._receive(target, card)
        for end in (seat, target):
            self._tell(end, ("returned", card))
        self._end_turn(seat)

    def _begin_friend_exchange(self, seat):
        """M21: draw the top card; those once put under the deck come in order, not by chance."""
        self._tell_all(("exchange", seat))
        if self.deck_random:
            self._await_chance("friend")
        else:
            self._friend_draw(seat, self.deck_bottom.pop(0))

    def _friend_draw(self, seat, card):
        self._receive(seat, card)
        self._tell(seat, ("my friend draw", card))
        self._await_decision("friend_discard", seat)

    def _friend_discard(self, seat, card):
        self.hands[seat].remove(card)
        if card == "monster":  # M21, M28: a betrayal, as the player is a Friend
            self.table[seat].append("monster")
            self._end_round("betrayed", seat, seat)
            return
        self.deck_bottom.append(card)
        self._tell(seat, ("my friend discard", card))
        self._end_turn(seat)

    # ---------------------------------------------------------------- chance

    def _begin_rumor(self, seat):
        """M16: clockwise from its player, each draws from a right neighbour who has cards."""
        seats = self._clockwise_from(seat)
        self.queue = [drawer for drawer in seats if self.hands[self._right(drawer)]]
        self._await_chance("rumor")

    def _begin_fog(self):
        """M20: gather all hands; each is dealt back as many cards as before."""
        self.pool = [card for hand in self.hands for card in hand]
        self.queue = [(seat, len(hand)) for seat, hand in enumerate(self.hands) if hand]
        self.hands = [[] for _ in self.hands]
        self._await_chance("hand")

    def chance_outcomes(self):
        if self.phase != "chance":
            raise ValueError(f"phase={self.phase!r}: chance outcomes exist only in phase 'chance'")
        if self.chance == "monster":  # M3
            ways = [(name, 1) for name in self.monster_deck]
        elif self.chance == "starting_deck":  # M5
            ways = _ways_to_draw(*self._starting_deck_limits())
        elif self.chance == "hand":
            ways = _ways_to_draw(*self._hand_limits())
        else:
            source = self._source_of_draw()
            ways = [(CARDS.index(card), source.count(card)) for card in CARDS if card in source]
        total = sum(number for _, number in ways)
        return [((self.chance, value), Fraction(number, total)) for value, number in ways]

    def _starting_deck_limits(self):
        """M5: the least and the most of each type, and the size of the starting deck."""
        least = _counts(["wanted", "hunter", "hide", "monster"])
        return least, _counts([*self.general_deck, "monster"]), self.hand_size * self.num_players

    def _hand_limits(self):
        return (0,) * len(CARDS), _counts(self.pool), self.queue[0][1]

    def _source_of_draw(self):
        """The cards one of which is drawn by the Rumor, Steal or Friend event that waits."""
        if self.chance == "rumor":
            return self.hands[self._right(self.queue[0])]
        if self.chance == "steal":
            return self.hands[self.resolving["target"]]
        return self.deck_random

    def _is_possible(self, outcome):
        """The same as being among chance_outcomes(), without listing them all."""
        if self.phase != "chance" or not isinstance(outcome, tuple) or len(outcome) != 2:
            return False
        kind, value = outcome
        if kind != self.chance:
            return False
        if kind == "monster":
            return value in self.monster_deck
        if kind not in ("starting_deck", "hand"):
            return value in [CARDS.index(card) for card in self._source_of_draw()]
        if not isinstance(value, tuple) or len(value) != len(CARDS):
            return False
        least, most, size = (
            self._starting_deck_limits() if kind == "starting_deck" else self._hand_limits()
        )
        in_range = all(value[i] in range(least[i], most[i] + 1) for i in range(len(CARDS)))
        return in_range and sum(value) == size

    def resolve(self, outcome):
        if not self._is_possible(outcome):
            raise ValueError(f"outcome={outcome!r}: impossible now, in phase {self.phase!r}")
        self.last_gains = None
        value = outcome[1]
        if self.chance == "monster":  # M3
            self.monster_deck.remove(value)
            self.monster = value
            self._await_chance("starting_deck")
        elif self.chance == "starting_deck":  # M5
            self.pool = _cards(value)
            self.deck_random = sorted((Counter(self.general_deck) - Counter(self.pool)).elements())
            self.queue = [(seat, self.hand_size) for seat in range(self.num_players)]
            self._await_chance("hand")
        elif self.chance == "hand":
            self._deal_hand(_cards(value))
        elif self.chance == "rumor":
            self._rumor_draw(CARDS[value])
        elif self.chance == "steal":
            self._steal_draw(CARDS[value])
        else:
            self.deck_random.remove(CARDS[value])
            self._friend_draw(self.resolving["by"], CARDS[value])
        self._note_who_holds_monster()

    def _deal_hand(self, cards):
        """A whole hand, in the setup (M5) or after a Fog (M20)."""
        seat, _ = self.queue.pop(0)
        self.hands[seat] = sorted(cards)
        for card in cards:
            self.pool.remove(card)
        self._tell(seat, ("my new hand", tuple(self.hands[seat])))
        if self.queue:
            self._await_chance("hand")
        elif self.resolving:
            self._end_turn(self.resolving["by"])
        else:  # M6
            starter = next(s for s, hand in enumerate(self.hands) if "wanted" in hand)
            self._await_decision("play", starter)

    def _rumor_draw(self, card):
        """M16: hands change only after the last draw; drawer and right neighbour see the card."""
        self.drawn[self.queue.pop(0)] = card
        if self.queue:
            return
        for drawer, card in self.drawn.items():
            self.hands[self._right(drawer)].remove(card)
        for drawer, card in self.drawn.items():
            self._receive(drawer, card)
            self._tell(drawer, ("drew", self._right(drawer), card))
            self._tell(self._right(drawer), ("lost", drawer, card))
        self.drawn = {}
        self._end_turn(self.resolving["by"])

    def _steal_draw(self, card):
        by, target = self.resolving["by"], self.resolving["target"]
        self.hands[target].remove(card)
        self._receive(by, card)
        for end in (by, target):
            self._tell(end, ("stolen", card))
        self._await_decision("return", by)

    # ---------------------------------------------------------------- small helpers

    def _await_decision(self, phase, seat):
        self.phase, self.to_move, self.chance = phase, seat, None

    def _await_chance(self, kind):
        self.phase, self.to_move, self.chance = "chance", None, kind

    def _left(self, seat):
        return (seat + 1) % self.num_players  # M1

    def _right(self, seat):
        return (seat - 1) % self.num_players

    def _clockwise_from(self, seat):
        return [(seat + k) % self.num_players for k in range(self.num_players)]

    def _receive(self, seat, card):
        self.hands[seat] = sorted(self.hands[seat] + [card])

    def _tell(self, seat, event):
        self.log[seat] += (event,)

    def _tell_all(self, event):
        for seat in range(self.num_players):
            self._tell(seat, event)

    def _note_who_holds_monster(self):
        for seat, hand in enumerate(self.hands):
            if "monster" in hand:
                self.seen_monster[seat] = True

    # ---------------------------------------------------------------- views

    def god_view(self):
        """The whole hidden state, to be read at once: its lists are the match's own."""
        view = {name: getattr(self, name) for name in PLAIN_GOD_VIEW}
        view["deck"] = sorted(self.deck_random) + self.deck_bottom
        return view

    def information_state(self, seat):
        """What all know of the match, who decides what, the monster if seen, the seat's log."""
        _check_int("seat", seat, 0, self.num_players - 1)
        match = (self.round, tuple(self.vp), tuple(self.monsters_seen))
        monster = self.monster if self.seen_monster[seat] else None
        return (seat, *match, self.phase, self.to_move, monster, self.log[seat])


def _check_int(name, value, low, high):
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name}={value!r}: allowed are whole numbers from {low} to {high}")


def _check_deck(deck, least):
    """M2: what a custom deck needs."""
    if not isinstance(deck, dict):
        raise ValueError(f"deck={deck!r}: allowed are None or a dict of card name to count (M2)")
    for name, count in deck.items():
        if name not in CARDS[:-1]:
            raise ValueError(f"deck has {name!r}: allowed names are {', '.join(CARDS[:-1])} (M2)")
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ValueError(f"deck has {name}={count!r}: allowed are whole numbers from 0 (M2)")
    if deck.get("wanted", 0) != 1:
        raise ValueError(f"deck has wanted={deck.get('wanted', 0)}: allowed is exactly 1 (M2)")
    for name in ("hunter", "hide"):
        if deck.get(name, 0) < 1:
            raise ValueError(f"deck has {name}=0: allowed is at least 1 (M2)")
    if sum(deck.values()) < least:
        size = sum(deck.values())
        raise ValueError(f"deck has {size} cards: allowed are at least h*n - 1 = {least} (M2)")


def _copy(value):
    """Copy lists and dicts all the way down; everything else in a Twin never changes."""
    if isinstance(value, list):
        return [_copy(item) for item in value]
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return value


def _counts(cards):
    return tuple(cards.count(card) for card in CARDS)


def _cards(counts):
    return [card for card, count in zip(CARDS, counts, strict=True) for _ in range(count)]


def _ways_to_draw(least, most, size):
    """Every way to take `size` cards, as counts per type, and the number of sets of cards it is.

    The `least` of each type are taken for sure, so only those above it are drawn by chance.
    """
    ways = [((), size, 1)]  # counts so far, cards still to take, number of sets
    for index, (low, high) in enumerate(zip(least, most, strict=True)):
        fewest, greatest = sum(least[index + 1 :]), sum(most[index + 1 :])  # of the later types
        ways = [
            ((*counts, take), left - take, number * comb(high - low, take - low))
            for counts, left, number in ways
            for take in range(low, high + 1)
            if fewest <= left - take <= greatest
        ]
    return [(counts, number) for counts, _, number in ways]
