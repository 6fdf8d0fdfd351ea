"""Sequence components of three phases, asked of the library; times of overcurrent relays, of breakers in a plant."""
import math
import os

from .case import Failed, NotUnderstood, known, label_values
from .files import read_last, write_pod, write_scenario

BALANCE = ("neutral_current", "I0", "I1", "I2", "I2_over_I1", "I0_over_I1", "max_dev_from_mean")


def is_phase_balance(case):
    return {row["quantity"] for row in case.rows} == set(BALANCE) and case.has("cases")


def phase_balance(case):
    points = {point["id"]: point["I"] for point in case.inputs["cases"]}
    requests = ["phase_balance " + " ".join(f"{size!r} {angle!r}" for size, angle in phases)
                for phases in points.values()]
    answers = dict(zip(points, case.ask(requests)))
    values = []
    for row in case.rows:
        answer = known(answers, row["scenario"])
        if answer is None:
            raise Failed(row["scenario"])
        values.append(known(dict(zip(BALANCE, answer)), row["quantity"]))
    return values


def is_relay(case):
    return case.has("IEC", "IEEE", "M", "TMS_or_TD", "profiles")


VOLTAGE = 400.0   # V; any
PICKUP = 100.0    # A; what is asked is in multiples of it
STEP = 0.01       # s of the steps that stand for a ramp, each of the current in its middle
RESISTANCE = 0.001  # ohm a pole: enough that currents keep their digits
LIMITS = (2.0, 20.0, 200.0, math.inf)  # s: runs by length, so that the long ones hold few breakers


def rough_time(d, curve, multiplier, multiple):
    """Time to the trip by the stated curves: it sets how long a run has to be, no value of it."""
    if curve in d["IEC"]:
        k, a = d["IEC"][curve]
        c = 0.0
    else:
        k, c, a = known(d["IEEE"], curve)
    return multiplier * (k / (multiple ** a - 1.0) + c)


def steps_of(d, profile):
    """[(duration, multiple)], long enough for a trip."""
    def rough(multiple):
        return rough_time(d, profile["curve"], profile["TMS"], multiple)
    if profile["kind"] == "ramp":
        steps, memory = [], 0.0
        while memory < 1.1:
            multiple = profile["M0"] + profile["rate"] * (len(steps) + 0.5) * STEP
            steps.append((STEP, multiple))
            memory += STEP / rough(multiple)
        return steps
    if profile["kind"] != "steps":
        raise NotUnderstood(f"profile of kind {profile['kind']}")
    return [(1.1 * rough(multiple) if length is None else length, multiple) for length, multiple in profile["M"]]


def power(multiple):
    return f"{math.sqrt(3.0) * VOLTAGE * PICKUP * multiple!r} W"


def relay(case):
    """A breaker of its own with a relay, and a load of constant current, for each row."""
    d = case.inputs
    profiles = {profile["id"]: profile for profile in d["profiles"]}
    groups = {limit: [] for limit in LIMITS}
    for number, row in enumerate(case.rows):
        if row["scenario"] == "profile":
            profile = known(profiles, row["object"])
            curve, multiplier, steps = profile["curve"], profile["TMS"], steps_of(d, profile)
        else:
            at = label_values(row["object"])
            curve, multiplier = row["scenario"], at["TMS"]
            steps = [(1.1 * rough_time(d, curve, multiplier, at["M"]), at["M"])]
        length = sum(duration for duration, _ in steps)
        groups[min(limit for limit in LIMITS if length <= limit)].append((number, curve, multiplier, steps))
    times = {}
    for limit, members in groups.items():
        if not members:
            continue
        equipment = {"grid": f"{{class: utility, to: main, rating: 1 GW, voltage: {VOLTAGE!r} V}}"}
        events, longest = [], 0.0
        for number, curve, multiplier, steps in members:
            equipment[f"Q{number}"] = (
                f"{{class: breaker, from: main, to: B{number}, resistance: {RESISTANCE!r} ohm, protection: relay, "
                f"relay_curve: {curve}, pickup: {PICKUP!r} A, time_multiplier: {multiplier!r} 1, opening_time: 0 s}}")
            equipment[f"L{number}"] = (f"{{class: electrical_load, supply: B{number}, power: {power(steps[0][1])}, "
                                       f"model: current, connection: star, lowest_voltage: 5 %}}")
            at = 0.0
            for k, (duration, multiple) in enumerate(steps):
                if k > 0:
                    events.append(f"{{at: {at!r} s, target: L{number}, do: set, with: {{power: {power(multiple)}}}}}")
                at += duration
            longest = max(longest, at)
        name = f"to-{limit:g}"
        pod = write_pod(case, f"pod-{name}", "Relays and loads", equipment=equipment)
        duration = math.ceil(longest) + 1.0
        scenario = write_scenario(case, name, pod, duration, record=["breaker"], period=duration,
                                  **({"events": events} if events else {}))
        case.run("run", scenario, "-o", f"{name}.h5", "--force", "--quiet")
        times.update(read_last(os.path.join(case.keep, f"{name}.h5"), "breaker", "tripped_at"))
    never = -1.0
    return [None if times[f"Q{number}"] == never else times[f"Q{number}"] for number in range(len(case.rows))]


FORMS = [(is_phase_balance, phase_balance), (is_relay, relay)]
