"""Scripted players of Under My Bed. Seats are relative, as in the view: 0 is the player.

Each plays both roles: the kid's if it has the kid's card, else a monster's.
"""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import MAX_PLAYERS
from masked_monsters.envs.under_my_bed.reading import (
    after_questions,
    asked_attribute,
    asked_value,
    count_bits,
)
from masked_monsters.envs.under_my_bed.state import (
    AGREE,
    ANSWER,
    ASK_PLAYER,
    ASK_QUESTION,
    CHECK,
    CLAIM,
    DISAGREE,
    FIRST_PLAYER_ACTION,
    FIRST_QUESTION,
    KID,
    MAX_CLAIM,
    PASS,
    VOTE,
    WINDOW,
)
from masked_monsters.evaluation.baselines.under_my_bed_odds import (
    FROM_A_MONSTER,
    FROM_ANYTHING,
    IN_BED,
    IS_KID,
    own_odds,
    own_odds_if,
    public_fits,
    public_odds,
)

SURE = 0.999
TIE = 1e-9
"""Scores this close are equal: their last digits differ between compiled and plain Python."""


@compiled
def blurter(view: Any, mask: Any, weights: Any) -> None:
    """Tells all there is to tell, and accuses whoever has contradicted themself."""
    weights[:] = mask
    check_if(view, own_odds(view, FROM_ANYTHING), SURE, weights)
    if view["phase"] == ANSWER:
        say_exactly(view, weights)
    elif view["phase"] == WINDOW:
        accuse_if(view, contradictions(view), SURE, weights)
    elif view["phase"] == VOTE:
        agree_if(view, contradictions(view), SURE, weights)


@compiled
def honest(view: Any, mask: Any, weights: Any) -> None:
    """Hedges, and works out exactly who may be the kid; as the kid, says what still fits someone."""
    weights[:] = mask
    odds = own_odds(view, FROM_ANYTHING)
    check_if(view, odds, 0.75, weights)
    if view["phase"] == ASK_PLAYER:
        ask_the_least_known(view, odds, weights)
    elif view["phase"] == ASK_QUESTION:
        ask_what_tells_most(view, odds, weights)
    elif view["phase"] == ANSWER:
        stay_possible(view, weights)
    elif view["phase"] == WINDOW:
        accuse_if(view, odds[IS_KID], 0.7, weights)
    elif view["phase"] == VOTE:
        agree_if(view, odds[IS_KID], 0.5, weights)


@compiled
def mimic(view: Any, mask: Any, weights: Any) -> None:
    """As the kid plays the part of the monster that its claims fit best, and looks when at bay."""
    weights[:] = mask
    odds = own_odds(view, FROM_A_MONSTER)
    is_kid = view["role"] == KID
    check_if_sure_or_at_bay(view, odds, weights)
    if view["phase"] == ASK_PLAYER:
        ask_the_most_suspect(view, odds, weights)
    elif view["phase"] == ASK_QUESTION:
        ask_what_tells_most(view, odds, weights)
    elif view["phase"] == ANSWER:
        if is_kid:
            speak_for(view, cover(view, odds), weights)
        stay_possible(view, weights)
    elif view["phase"] == WINDOW:
        accuse_if(view, odds[IS_KID], 0.6, weights)
    elif view["phase"] == VOTE:
        agree_if(view, odds[IS_KID], 0.4, weights)


@compiled
def trickster(view: Any, mask: Any, weights: Any) -> None:
    """Weighs what each answer would tell whom; as the kid points at others before they point back."""
    weights[:] = mask
    odds = own_odds(view, FROM_A_MONSTER)
    is_kid = view["role"] == KID
    check_if_sure_or_at_bay(view, odds, weights)
    if view["phase"] == ASK_PLAYER:
        if is_kid:
            ask_the_least_known(view, odds, weights)
        else:
            ask_the_most_suspect(view, odds, weights)
    elif view["phase"] == ASK_QUESTION:
        if is_kid:
            ask_what_tells_most(view, odds, weights)
        else:
            ask_what_tells_us_most(view, odds, weights)
    elif view["phase"] == ANSWER:
        if is_kid:
            stay_possible(view, weights)
        else:
            mislead(view, weights)
    elif view["phase"] == WINDOW:
        if is_kid:
            accuse_if(view, public_odds(view, public_fits(view))[IS_KID], 0.25, weights)
        else:
            accuse_if(view, odds[IS_KID], 0.7, weights)
    elif view["phase"] == VOTE:
        agree_if(view, odds[IS_KID], 0.5, weights)


# ---------------------------------------------------------------- asking


@compiled
def ask_the_most_suspect(view: Any, odds: Any, weights: Any) -> None:
    """Turn to the likeliest kid."""
    ask_the_highest(view, odds[IS_KID], weights)


@compiled
def ask_the_least_known(view: Any, odds: Any, weights: Any) -> None:
    """Turn to whoever may be the most monsters, or most likely the kid."""
    scores = np.zeros(MAX_PLAYERS)
    for k in range(view["num_players"]):
        scores[k] = odds[IS_KID, k] + spread(odds[k])
    ask_the_highest(view, scores, weights)


@compiled
def ask_the_highest(view: Any, scores: Any, weights: Any) -> None:
    """Turn to the player of the highest score that may be asked."""
    best = 0
    for k in range(1, view["num_players"]):
        may_be_asked = weights[FIRST_PLAYER_ACTION + k - 1] > 0
        if may_be_asked and (best == 0 or scores[k] > scores[best] + TIE):
            best = k
    if best > 0:
        insist_on(FIRST_PLAYER_ACTION + best - 1, weights)


@compiled
def spread(shares: Any) -> float:
    """How likely two draws are to differ (Gini impurity), of shares that need not add up to 1."""
    total = shares.sum()
    if total == 0:
        return 0.0
    same = 0.0
    for share in shares:
        same += (share / total) ** 2
    return 1 - same


@compiled
def ask_what_tells_most(view: Any, odds: Any, weights: Any) -> None:
    """The question whose answers divide best what the one to answer may be."""
    best, best_score = -1, -np.inf
    for question in range(view["num_questions"]):
        if weights[FIRST_QUESTION + question] > 0:
            attribute, value = asked_attribute(view, question), asked_value(view, question)
            shares = np.zeros(MAX_PLAYERS)
            for slot in range(view["num_players"]):
                look = int(view["looks"][slot, attribute])
                shares[look if value < 0 else int(look == value)] += odds[view["answerer"], slot]
            score = spread(shares)
            if value < 0 and view["hedging"]:
                score *= 0.7  # an open question can be answered by half of the values
            if score > best_score + TIE:
                best, best_score = question, score
    insist_on(FIRST_QUESTION + best, weights)


@compiled
def ask_what_tells_us_most(view: Any, odds: Any, weights: Any) -> None:
    """The closed question that tells a monster the most about the kid, and the table the least."""
    best, best_score = -1, -np.inf
    in_public = public_odds(view, public_fits(view))
    for question in range(view["num_attributes"], view["num_questions"]):
        if weights[FIRST_QUESTION + question] > 0:
            score = told_by(view, odds, in_public, question)
            if score > best_score + TIE:
                best, best_score = question, score
    if best >= 0:
        insist_on(FIRST_QUESTION + best, weights)


@compiled
def told_by(view: Any, odds: Any, in_public: Any, question: int) -> float:
    """How sure of the kid a closed question would make me, less how sure of the bed all others."""
    k = view["answerer"]
    attribute, value = asked_attribute(view, question), asked_value(view, question)
    # A kid answers for one of the monsters that it may still be, likely the one under the bed.
    kids_part = in_public[IN_BED] * view["fits"][k]
    score = 0.0
    for yes in range(2):
        fits = public_fits(view)
        chance, kids_share = 0.0, 0.0
        for slot in range(view["num_players"]):
            if (view["looks"][slot, attribute] == value) == (yes == 1):
                chance += odds[k, slot]
                kids_share += kids_part[slot]
            else:
                fits[k, slot] = 0
        chance += odds[IS_KID, k] * (kids_share / kids_part.sum() if kids_part.sum() > 0 else 0.5)
        if chance > 0:
            mine, theirs = own_odds_if(view, fits, FROM_A_MONSTER), public_odds(view, fits)
            score += chance * (spread(theirs[IN_BED]) - spread(mine[IS_KID]))
    return score


# ---------------------------------------------------------------- answering


@compiled
def say_exactly(view: Any, weights: Any) -> None:
    """Name as few values as possible."""
    claims = after_questions(view) + CLAIM
    fewest = MAX_PLAYERS
    for claim in range(1, MAX_CLAIM + 1):
        if weights[claims + claim] > 0:
            fewest = min(fewest, count_bits(claim))
    for claim in range(1, MAX_CLAIM + 1):
        if count_bits(claim) > fewest:
            weights[claims + claim] = 0


@compiled
def stay_possible(view: Any, weights: Any) -> None:
    """Name the values that leave the most monsters of the line-up possible."""
    claims = after_questions(view) + CLAIM
    most = -1
    for claim in range(1, MAX_CLAIM + 1):
        if weights[claims + claim] > 0:
            most = max(most, count_bits(slots_left(view, claim)))
    for claim in range(1, MAX_CLAIM + 1):
        if weights[claims + claim] > 0 and count_bits(slots_left(view, claim)) < most:
            weights[claims + claim] = 0


@compiled
def slots_left(view: Any, claim: int) -> int:
    """Bit mask of the slots that would fit all my claims after this one."""
    attribute = asked_attribute(view, int(view["questions"][view["num_asked"] - 1]))
    slots = 0
    for slot in range(view["num_players"]):
        if view["fits"][0, slot] and (claim >> int(view["looks"][slot, attribute])) & 1:
            slots |= 1 << slot
    return slots


@compiled
def cover(view: Any, odds: Any) -> int:
    """The slot with the fewest of my claims against it; of those, likeliest under the bed."""
    best, best_score = 0, -np.inf
    for slot in range(view["num_players"]):
        score = odds[IN_BED, slot]
        for i in range(view["num_asked"]):
            claim = int(view["claims"][i])
            if view["answerers"][i] == 0 and claim > 0:
                attribute = asked_attribute(view, int(view["questions"][i]))
                score -= 2 * (1 - ((claim >> int(view["looks"][slot, attribute])) & 1))
        if score > best_score + TIE:
            best, best_score = slot, score
    return best


@compiled
def speak_for(view: Any, slot: int, weights: Any) -> None:
    """Only claims that are true of the monster in that slot."""
    claims = after_questions(view) + CLAIM
    attribute = asked_attribute(view, int(view["questions"][view["num_asked"] - 1]))
    look = int(view["looks"][slot, attribute])
    for claim in range(1, MAX_CLAIM + 1):
        if not (claim >> look) & 1:
            weights[claims + claim] = 0


@compiled
def mislead(view: Any, weights: Any) -> None:
    """The claim after which I seem the least likely kid, and the bed the least known."""
    claims = after_questions(view) + CLAIM
    scores = np.full(MAX_CLAIM + 1, -np.inf)
    for claim in range(1, MAX_CLAIM + 1):
        if weights[claims + claim] > 0:
            fits = public_fits(view)
            left = slots_left(view, claim)
            for slot in range(view["num_players"]):
                fits[0, slot] = (left >> slot) & 1
            odds = public_odds(view, fits)
            scores[claim] = 0.5 * spread(odds[IN_BED]) - odds[IS_KID, 0]
    best = scores.max()
    for claim in range(1, MAX_CLAIM + 1):
        if scores[claim] < best - TIE:
            weights[claims + claim] = 0


# ---------------------------------------------------------------- accusing, voting, checking


@compiled
def contradictions(view: Any) -> Any:
    """By seat, 1 if its claims fit no monster of the line-up."""
    found = np.zeros(MAX_PLAYERS)
    for k in range(1, view["num_players"]):
        found[k] = view["fits"][k].sum() == 0
    return found


@compiled
def suspicion(view: Any) -> float:
    """How likely I am the kid to one who has no card."""
    return public_odds(view, public_fits(view))[IS_KID, 0]


@compiled
def accuse_if(view: Any, kid_odds: Any, threshold: float, weights: Any) -> None:
    """Accuse the likeliest kid from some likelihood on, and in the last window anyway; else pass."""
    suspect = 1
    for k in range(2, view["num_players"]):
        if kid_odds[k] > kid_odds[suspect] + TIE:
            suspect = k
    if view["num_asked"] == view["max_questions"] and view["role"] != KID:
        threshold = 0.01
    if kid_odds[suspect] >= threshold - TIE and weights[FIRST_PLAYER_ACTION + suspect - 1] > 0:
        insist_on(FIRST_PLAYER_ACTION + suspect - 1, weights)
    else:
        insist_on(after_questions(view) + PASS, weights)


@compiled
def agree_if(view: Any, kid_odds: Any, threshold: float, weights: Any) -> None:
    """Agree from some likelihood on; in the last window, if nobody is much likelier. The kid agrees."""
    accused = view["accused"][view["num_asked"] - 1]
    if view["num_asked"] == view["max_questions"]:
        threshold = 0.8 * kid_odds.max()
    agrees = view["role"] == KID or kid_odds[accused] >= max(threshold, 0.01) - TIE
    insist_on(after_questions(view) + (AGREE if agrees else DISAGREE), weights)


@compiled
def check_if_sure_or_at_bay(view: Any, odds: Any, weights: Any) -> None:
    """The kid looks when it knows, or makes a good guess when most would take it for the kid."""
    at_bay = view["role"] == KID and suspicion(view) > 0.55 + TIE
    check_if(view, odds, 0.45 if at_bay else 0.9, weights)


@compiled
def check_if(view: Any, odds: Any, threshold: float, weights: Any) -> None:
    """The kid looks under the bed from some likelihood on, and else leaves it."""
    first = after_questions(view) + CHECK
    if weights[first] == 0:
        return
    weights[first:] = 0
    slot = 0
    for other in range(1, view["num_players"]):
        if odds[IN_BED, other] > odds[IN_BED, slot] + TIE:
            slot = other
    if odds[IN_BED, slot] >= threshold - TIE:
        weights[:first] = 0
        weights[first + slot] = 1


@compiled
def insist_on(action: int, weights: Any) -> None:
    """This alone, unless something stronger has ruled it out."""
    if weights[action] > 0:
        weights[:] = 0
        weights[action] = 1


PLAYERS = {
    "blurter": blurter,
    "honest": honest,
    "mimic": mimic,
    "trickster": trickster,
}
"""Weakest first."""
