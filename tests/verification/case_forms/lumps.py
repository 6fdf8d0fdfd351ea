"""Heat capacities in a row: charged, cycled, and their modes."""
import math

from .case import NotUnderstood, known
from .files import difference, last_values, row_times, steady_table, write_pod, write_scenario
from .modes import modes_of, nearest_mode


def is_one_node(case):
    return case.has("C", "R", "Tc", "P0", "tr", "A", "period", "P_hi", "P_lo")


def one_node(case):
    d = case.inputs
    times = row_times(case)
    end = max(times)
    # A profile is linear between its points. That multiplies a sine of angle w h a point by sinc(w h / 2)^2, which the
    # amplitude makes up for; what remains is far above the node's own frequency.
    points_a_period = 240
    half = math.pi / points_a_period
    boost = (half / math.sin(half)) ** 2
    step = d["period"] / points_a_period
    sine = ", ".join(f"[{i * step!r} s, {d['P0'] * (1 + d['A'] * boost * math.sin(2 * half * i))!r} W]"
                     for i in range(int(end / step) + 2))
    sources = {"step": f"power: {d['P0']!r} W", "ramp": f"profile: [[0 s, 0 W], [{d['tr']!r} s, {d['P0']!r} W]]",
               "sine": f"profile: [{sine}]", "pulse": f"power: {d['P_hi']!r} W"}
    body = f"initial_temperature: {d['Tc']!r} degC"
    equipment = {"coolant": f"{{class: heat_capacity, capacity: 1 J/K, {body}}}"}
    for name, source in sources.items():
        equipment[name] = f"{{class: heat_capacity, capacity: {d['C']!r} J/K, {body}}}"
        equipment[f"{name}-plate"] = f"{{class: heat_resistance, resistance: {d['R']!r} K/W, a: {name}, b: ambient}}"
        equipment[f"{name}-power"] = f"{{class: heat_source, {source}, to: {name}}}"
        equipment[f"{name}-rise"] = difference(name, "coolant")
    pod = write_pod(case, "pod", "Lumped cold plates under four courses of power", equipment=equipment)
    values = {}
    for time in times:
        values.update(last_values(case, pod, {time}, "sensor", "true", d["Tc"], **pulses(d, time)))
    cyclic = any(row["object"] == "cyclic_steady" for row in case.rows)
    extremes = cyclic_extremes(case, pod) if cyclic else {}
    return [d["Tc"] + (known(values[float(row["time_s"])], row["scenario"] + "-rise") if row["time_s"] else
                       known(extremes, row["quantity"])) for row in case.rows]


def pulses(d, end):
    """Events that switch the pulsed power at each half period before the end (a scenario refuses later ones)."""
    half = d["period"] / 2
    events = [f"{{at: {k * half!r} s, target: pulse-power, do: set, "
              f"with: {{power: {d['P_lo'] if k % 2 else d['P_hi']!r} W}}}}"
              for k in range(1, math.ceil(end / half))]
    return {"events": events} if events else {}


def cyclic_extremes(case, pod):
    """Extremes of the pulsed node's rise over a period after which the start is forgotten: it turns at each switch."""
    d = case.inputs
    periods = int(math.ceil(25.0 * d["R"] * d["C"] / d["period"])) + 1  # exp(-25) of the start is left
    ends = {"max": (periods - 0.5) * d["period"], "min": periods * d["period"]}
    return {name: last_values(case, pod, {end}, "sensor", "true", d["Tc"], **pulses(d, end))[end]["pulse-rise"]
            for name, end in ends.items()}


def is_chain(case):
    return case.has("C", "R", "mcp", "P", "Tin")


def chain(case):
    d = case.inputs
    n = len(d["C"])
    cp, rho = 4000.0, 1000.0  # any fluid will do: volume and flow follow from the capacities
    body = f"initial_temperature: {d['Tin']!r} degC"
    equipment = {"inlet-temperature": f"{{class: heat_capacity, capacity: 1 J/K, {body}}}",
                 "feed": f"{{class: fixed_flow, from: inlet, to: node{n}, flow: {d['mcp'] / cp!r} kg/s}}",
                 "drain": f"{{class: resistance, from: node{n}, to: outlet, dp: 1 kPa, "
                          f"flow: {d['mcp'] / cp / rho!r} m3/s}}",
                 "power": f"{{class: heat_source, power: {d['P']!r} W, to: node1}}"}
    for i, capacity in enumerate(d["C"][:-1], 1):
        equipment[f"node{i}"] = f"{{class: heat_capacity, capacity: {capacity!r} J/K, {body}}}"
        equipment[f"r{i}"] = (f"{{class: heat_resistance, resistance: {d['R'][i - 1]!r} K/W, a: node{i}, "
                              f"b: node{i + 1}}}")
    sensors = {f"node{i}-rise": difference(f"node{i}", "inlet-temperature") for i in range(1, n + 1)}
    network = dict(circuits={"loop": f"{{fluid: {{density: {rho!r} kg/m3, viscosity: 1 mPa.s, "
                                     f"specific_heat: {cp!r} J/(kg.K)}}}}"},
                   nodes={"inlet": f"{{pressure: 100 kPa, temperature: {d['Tin']!r} degC}}",
                          "outlet": f"{{pressure: 100 kPa, temperature: {d['Tin']!r} degC}}",
                          f"node{n}": f"{{volume: {d['C'][-1] / rho / cp!r} m3, {body}}}"})
    pod = write_pod(case, "pod", "Chain from chip to coolant", **network, equipment={**equipment, **sensors})
    bare = write_pod(case, "pod-bare", "Chain from chip to coolant, without sensors", **network, equipment=equipment)
    values = last_values(case, pod, row_times(case), "sensor", "true", d["Tin"])
    # The search for a steady state stops at small rates; begun where a long run ends it stops nearer.
    longest = 40.0 * sum(d["C"]) * (sum(d["R"]) + 1.0 / d["mcp"])
    settle = write_scenario(case, "settle", pod, longest, d["Tin"])
    case.run("run", settle, "-o", "settle.h5", "--checkpoint", "settled.h5", "--force", "--quiet")
    steady = write_scenario(case, "steady", pod, 1.0, d["Tin"], start="settled.h5")
    table = steady_table(case, steady, "sensor")
    modes = modes_of(case, bare)
    # Energy counters and the sensors' reference body have no rate of their own: eigenvalues 0 but for rounding.
    fastest = max((abs(real) for real, _ in modes or []), default=0.0)
    constants = sorted((-1.0 / real for real, _ in modes or [] if real < -1e-12 * fastest), reverse=True)
    out = []
    for row in case.rows:
        if row["quantity"] == "temperature":
            source = values[float(row["time_s"])] if row["time_s"] else {k: v["true"] for k, v in table.items()}
            out.append(d["Tin"] + known(source, row["object"] + "-rise"))
        elif row["quantity"] == "time_constant":
            out.append(nearest_mode(row["object"], constants))
        else:
            raise NotUnderstood(f"row {row['scenario']},{row['object']},{row['quantity']}")
    return out


FORMS = [(is_one_node, one_node), (is_chain, chain)]
