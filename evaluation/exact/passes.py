"""The compiled passes over a tree's arrays (``tree.Tree``) that everything exact is made of.

Reach probabilities are of sequences. A *counterfactual value* of a sequence is what its seat is paid
at the terminal histories below it, each weighted by the probability that chance and the others reach
it.
"""

from typing import Any

from masked_monsters.envs.engine.compile import compiled


@compiled
def reach(states: Any, strategy: Any, reached: Any) -> None:
    """Each seat's reach probability of its sequences; those of the empty ones are written before."""
    for i in range(len(states)):
        before = reached[states[i]["parent"]]
        for s in range(states[i]["first"], states[i]["first"] + states[i]["num_actions"]):
            reached[s] = before * strategy[s]


@compiled
def weigh_terminals(sequence: Any, payoff: Any, reached: Any, seat: int, values: Any) -> None:
    """Add to each of the seat's sequences what the terminal histories pay that it leads to at once.

    ``payoff`` (terminals,) is the seat's, times chance; the others play by ``reached``.
    """
    for z in range(len(payoff)):
        weight = payoff[z]
        for other in range(sequence.shape[1]):
            if other != seat:
                weight *= reached[sequence[z, other]]
        values[sequence[z, seat]] += weight


@compiled
def respond(states: Any, seat: int, role: int, strategy: Any, values: Any) -> None:
    """Counterfactual values of the seat's sequences, if it does the best at each information state.

    That is written into ``strategy``. Only where it has the role, if that is not -1; elsewhere it plays
    the strategy.
    """
    for i in range(len(states) - 1, -1, -1):
        if states[i]["seat"] == seat:
            first = states[i]["first"]
            end = first + states[i]["num_actions"]
            if role < 0 or states[i]["role"] == role:
                best = first
                for s in range(first + 1, end):
                    if values[s] > values[best]:
                        best = s
                strategy[first:end] = 0.0
                strategy[best] = 1.0
            value = 0.0
            for s in range(first, end):
                value += strategy[s] * values[s]
            values[states[i]["parent"]] += value


@compiled
def regret(states: Any, seat: int, strategy: Any, values: Any, regrets: Any) -> None:
    """Counterfactual values of the seat's sequences, if it plays the strategy; adds to ``regrets``.

    The counterfactual regret of an action is how much more it is worth than the strategy.
    """
    for i in range(len(states) - 1, -1, -1):
        if states[i]["seat"] == seat:
            first = states[i]["first"]
            end = first + states[i]["num_actions"]
            value = 0.0
            for s in range(first, end):
                value += strategy[s] * values[s]
            for s in range(first, end):
                regrets[s] += values[s] - value
            values[states[i]["parent"]] += value


@compiled
def match_regrets(states: Any, seat: int, regrets: Any, strategy: Any) -> None:
    """Each action in proportion to its positive regret; every one alike if there is none."""
    for i in range(len(states)):
        if states[i]["seat"] == seat:
            first = states[i]["first"]
            end = first + states[i]["num_actions"]
            total = 0.0
            for s in range(first, end):
                total += max(regrets[s], 0.0)
            for s in range(first, end):
                strategy[s] = max(regrets[s], 0.0) / total if total > 0 else 1.0 / (end - first)


@compiled
def average(states: Any, sums: Any, strategy: Any) -> None:
    """The behaviour that has these reach probabilities, added up; every action alike at none."""
    for i in range(len(states)):
        first = states[i]["first"]
        end = first + states[i]["num_actions"]
        total = 0.0
        for s in range(first, end):
            total += sums[s]
        for s in range(first, end):
            strategy[s] = sums[s] / total if total > 0 else 1.0 / (end - first)


@compiled
def choose(states: Any, role: int, numbers: Any, strategy: Any) -> None:
    """One action for certain at each information state of the role, by its number in [0, 1)."""
    for i in range(len(states)):
        if states[i]["role"] == role:
            first = states[i]["first"]
            strategy[first : first + states[i]["num_actions"]] = 0.0
            strategy[first + int(numbers[i] * states[i]["num_actions"])] = 1.0
