"""Ride-through on stored coolant after the loss of a chiller."""
import math
import os

from .case import NotUnderstood, known
from .files import RTOL, RTOL_OF_FRONTS, difference, first_event, last_values, row_times, write_pod, write_scenario


def is_buffer(case):
    return case.has("Q", "m", "cp", "M_tank", "M_loop", "T0", "T_limit")


def buffer(case):
    d = case.inputs
    rho = 1000.0  # kg/m3; masses alone matter
    start = 20.0  # degC of a cold plant: properties are constant, so the case is run shifted by start - T0
    at = f"initial_temperature: {start!r} degC"
    limit = start + d["T_limit"] - d["T0"]
    circuit = {"loop": f"{{fluid: {{density: {rho!r} kg/m3, viscosity: 1 mPa.s, specific_heat: {d['cp']!r} J/(kg.K)}}, "
               "reference: {node: in, pressure: 100 kPa}}"}
    plants, rtols = {}, {}
    for name in ("all_mixed", "mixed_tank", "plug_tank"):
        whole = name == "all_mixed"
        # m3 of a node that stands for no volume; behind a front the greater lag leaves CVODE a step it can find
        tiny = (1e-8 if name == "plug_tank" else 1e-11) * d["M_tank"] / rho
        equipment = {"limit": f"{{class: heat_capacity, capacity: 1 J/K, initial_temperature: {limit!r} degC}}",
                     "flow": f"{{class: fixed_flow, from: out, to: in, flow: {d['m']!r} kg/s}}",
                     "heat": f"{{class: heat_source, power: {d['Q']!r} W, to: in}}",
                     "above-limit": difference("in" if whole else "out", "limit")}
        if whole:
            equipment["tank"] = f"{{class: resistance, from: in, to: out, dp: 1 kPa, flow: {d['m'] / rho!r} m3/s}}"
        else:
            equipment["tank"] = (f"{{class: tank, from: in, to: out, volume: {d['M_tank'] / rho!r} m3, "
                                 f"model: {name.split('_')[0]}}}")
        volume = (d["M_tank"] + d["M_loop"]) / rho if whole else tiny
        rtols[name] = RTOL_OF_FRONTS if name == "plug_tank" else RTOL
        plants[name] = write_pod(case, f"pod-{name}", "Ride-through on stored water", circuits=circuit,
                                 equipment=equipment,
                                 nodes={"in": f"{{volume: {volume!r} m3, {at}}}", "out": f"{{volume: {tiny!r} m3, "
                                                                                         f"{at}}}"})
    out, times = [], {}
    values = {name: last_values(case, pod, row_times(case, lambda row, n=name: row["scenario"] == n), "sensor", "true",
                                rtol=rtols[name]) for name, pod in plants.items()}
    for row in case.rows:
        name = row["scenario"]
        if row["quantity"] == "temperature":
            out.append(d["T_limit"] + known(values, name)[float(row["time_s"])]["above-limit"])
        elif row["quantity"] == "time_to_limit":
            if name not in times:
                # Long enough for both: all water mixed, or half a passage after the passage of a plug that gets there.
                span = d["T_limit"] - d["T0"]
                longest = max(1.2 * (d["M_tank"] + d["M_loop"]) * d["cp"] * span / d["Q"],
                              (math.ceil(span * d["m"] * d["cp"] / d["Q"]) + 0.5) * d["M_tank"] / d["m"])
                # A conditional event is placed within the integrator's step; a limit only between two looks 1 s apart.
                reach = (f"{{when: \"{'in' if name == 'all_mixed' else 'out'}.t > {limit!r} degC\", target: heat, "
                         f"do: trip}}")
                scenario = write_scenario(case, f"reach-{name}", plants[name], float(math.ceil(longest)),
                                          rtol=rtols[name], events=[reach])
                case.run("run", scenario, "-o", f"reach-{name}.h5", "--force", "--quiet")
                times[name] = first_event(os.path.join(case.keep, f"reach-{name}.h5"), "heat")
            out.append(times[name])
        else:
            raise NotUnderstood(f"row {name},{row['object']},{row['quantity']}")
    return out


FORMS = [(is_buffer, buffer)]
