"""Compares fanorona.rl with the package fanorona-aec, on random games of 9x5.

    python compare_fanorona_aec.py [--games 200] [--seed 1] [--pairs 3] [--actions 20000]

Needs `pip install fanorona[rl] fanorona-aec==3.0.2`. First it plays random games and compares, at
every action, which actions the two packages call legal and which position the action leads to. Then
it measures how many random actions each environment plays in a second of processor time, in
alternate runs.
"""

import argparse
import time
from collections import Counter
from typing import Any

import numpy as np
import pettingzoo.utils

from fanorona import Position, TurnInProgress
from fanorona.rl import Actions, FanoronaEnv

# fanorona-aec 3.0.2 imports this old name, which later versions of PettingZoo use for a module.
setattr(pettingzoo.utils, "agent_selector", pettingzoo.utils.AgentSelector)  # noqa: B010

from env.fanorona_env import raw_env as other_env  # noqa: E402
from env.fanorona_move import FanoronaMove  # noqa: E402
from env.fanorona_state import FanoronaState  # noqa: E402

ACTIONS = Actions("9x5")
COMPASS = {"north": "N", "east": "E", "south": "S", "west": "W"}


def other_state(progress: TurnInProgress) -> Any:
    """A state of fanorona-aec with the same stones, and the same turn in play."""
    board, position = progress.board, progress.position
    white, black = progress.own, progress.opponent
    if position.to_move.value == "black":
        white, black = black, white
    ranks = []
    for rank in range(board.height):
        row = ""
        for point in range(rank * board.width, (rank + 1) * board.width):
            row += "W" if white >> point & 1 else "B" if black >> point & 1 else "1"
        ranks.append(row)
    last, visited = "- -", "-"
    if progress.steps:
        step = progress.steps[-1]
        compass = "".join(COMPASS[part] for part in step.direction.value.split("-"))
        last = f"{board.name(step.destination).upper()} {compass}"
        stood = [point for point in range(board.num_points) if progress.visited >> point & 1]
        visited = ",".join(board.name(point).upper() for point in stood)
    mover = position.to_move.value[0].upper()
    return FanoronaState().set_from_board_str(f"{'/'.join(ranks)} {mover} {last} {visited} 0")


def stones(state: Any) -> tuple[int, int]:
    """The white and the black stones of a state of fanorona-aec, as bitboards."""
    white, black = (np.flatnonzero(state.board.ravel() == colour) for colour in (0, 1))
    return sum(1 << int(point) for point in white), sum(1 << int(point) for point in black)


def stones_now(progress: TurnInProgress) -> tuple[int, int]:
    own, opponent = progress.own, progress.opponent
    return (own, opponent) if progress.position.to_move.value == "white" else (opponent, own)


def compare_rules(games: int, seed: int) -> None:
    """Plays random games here and sets each state there."""
    random, seen, different = np.random.default_rng(seed), Counter[str](), Counter[str]()
    examples: dict[str, str] = {}

    def differs(what: str, where: object) -> None:
        different[what] += 1
        examples.setdefault(what, str(where))

    environment = FanoronaEnv()
    for _ in range(games):
        environment.reset()
        while True:
            agent = environment.agent_selection
            over = environment.terminations[agent]
            progress = environment.progress
            state = other_state(progress)
            end = environment.infos[agent].get("end") if over else None
            if end == "won" and environment.position.legal_turns():
                raise AssertionError("a side with turns has lost")
            if over and end != "won":
                break  # Draws are settings, which the packages define differently.
            seen["states"] += 1
            if over != state.done:
                differs("the game is over in one package only", environment.position)
            if over:
                break
            ours = set(np.flatnonzero(environment.observe(agent)["action_mask"]).tolist())
            theirs = set(map(int, state.legal_moves))
            if ours != theirs:
                differs("legal actions", repr(progress))
            action = int(random.choice(sorted(ours)))
            progress_after = progress
            if action != ACTIONS.end_turn:
                step = ACTIONS.step(action)
                assert step is not None
                progress_after.make(step)
                seen["actions that are steps"] += 1
                state.push(FanoronaMove.from_action(action))
                if stones(state) != stones_now(progress_after):
                    differs("stones after an action", repr(progress))
                if progress_after.steps and not progress_after.next_steps() and state.last_capture:
                    only_end = list(map(int, state.legal_moves)) == [ACTIONS.end_turn]
                    name = "fanorona-aec asks for an end of turn that cannot be avoided"
                    differs(name if only_end else "end of a relay", repr(progress_after))
            environment.step(action)
    print(f"{games} random games, seed {seed}: " + ", ".join(f"{n} {w}" for w, n in seen.items()))
    for what, number in sorted(different.items()):
        print(f"  {what}: {number}, first at {examples[what]}")
    if not different:
        print("  no differences")


def compare_blocked() -> None:
    """A side with stones that cannot move."""
    position = Position("BBB6/WBB6/BBB6/9/9 w")
    state = other_state(position.begin())
    print(f"{position}: here {position.outcome()!r}")
    print(f"  there: over {state.done}, legal actions {state.legal_moves}")


def compare_agents(games: int, seed: int) -> None:
    """How often the agent of fanorona-aec has to act for the colour of the other one."""
    random, acts = np.random.default_rng(seed), Counter[bool]()
    environment = other_env(render_mode=None)
    for _ in range(games):
        environment.reset()
        while environment.agents:
            observation, _, termination, _, _ = environment.last()
            if termination:
                environment.step(None)
                continue
            colour = environment.board_state.turn_to_play.value
            acts[environment.agent_selection == f"player_{colour}"] += 1
            environment.step(int(random.choice(np.flatnonzero(observation["action_mask"]))))
    print(
        f"fanorona-aec, {games} random games: player_0 acts for White and player_1 for Black in "
        f"{acts[True]} actions, the other way round in {acts[False]}"
    )


def compare_draw() -> None:
    """The rewards of fanorona-aec when its limit of half-moves ends the game."""
    environment = other_env(render_mode=None)
    environment.reset()
    environment.board_state.set_from_board_str("W8/9/9/9/8B W - - - 43")
    environment.step(environment.board_state.legal_moves[0])
    print(f"fanorona-aec at its limit of half-moves: {environment.rewards}")


def compare_planes() -> None:
    """What the planes of fanorona-aec for stones and directions show."""
    start = Position("BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w").begin()
    seen = other_state(start).get_observation("player_0")
    white = np.array([start.own >> point & 1 for point in range(45)]).reshape(5, 9)
    shown = "the points with" if (seen[:, :, 6] == white).all() else "not the points with"
    if (seen[:, :, 6] == 1 - white).all():
        shown = "the points without"
    print(f"fanorona-aec: its plane 6 has ones on {shown} a white stone")
    columns: dict[int, list[str]] = {}
    for compass in ("SW", "S", "SE", "W", "E", "NW", "N", "NE"):
        text = f"9/9/9/9/W7B W E3 {compass} E3 0"
        plane = FanoronaState().set_from_board_str(text).get_observation("player_0")[:, :, 4]
        columns.setdefault(int(np.flatnonzero(plane[0])[0]), []).append(compass)
    same = [" and ".join(names) for names in columns.values() if len(names) > 1]
    print(f"fanorona-aec: its plane 4 is the same for {', '.join(same) or 'no two directions'}")


def speed(environment: Any, actions: int, seed: int) -> float:
    """Random actions in a second of processor time, with the observation of each."""
    random, played, start = np.random.default_rng(seed), 0, time.process_time()
    while played < actions:
        environment.reset(seed=seed)
        while environment.agents:
            observation, _, termination, truncation, _ = environment.last()
            if termination or truncation:
                environment.step(None)
            else:
                legal = np.flatnonzero(observation["action_mask"])
                if not len(legal):
                    break
                environment.step(int(random.choice(legal)))
                played += 1
    return played / (time.process_time() - start)


def compare_speed(pairs: int, actions: int, seed: int) -> None:
    # Without threefold repetition, and with the limits that make the games alike.
    ours, theirs = FanoronaEnv(without_capture=None, max_turns=44), other_env(render_mode=None)
    for pair in range(pairs):
        here = speed(ours, actions, seed + pair)
        there = speed(theirs, max(actions // 20, 1), seed + pair)
        print(
            f"random actions a second of processor time: here {here:.0f}, there {there:.0f}, {here / there:.1f} times"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares fanorona.rl with fanorona-aec")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--actions", type=int, default=20000)
    options = parser.parse_args()
    compare_rules(options.games, options.seed)
    compare_blocked()
    compare_agents(min(options.games, 20), options.seed)
    compare_draw()
    compare_planes()
    compare_speed(options.pairs, options.actions, options.seed)


if __name__ == "__main__":
    main()
