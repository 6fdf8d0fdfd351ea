"""Heat exchangers through pod files: a step at an inlet, operating points, a chain of loops; worked examples."""
import csv
import math
import os
import re

from .case import Failed, NotUnderstood, ZERO_CELSIUS, known, label_values
from .files import read_last, read_table, row_times, steady_table, write_pod, write_scenario

DESIGN = {"rack_power": "0 kW", "weather": "{dry_bulb: 20 degC, relative_humidity: 40 %}"}


def fluid(cp, node, density=1000.0):
    return (f"{{fluid: {{density: {density!r} kg/m3, viscosity: 1 mPa.s, specific_heat: {cp!r} J/(kg.K)}}, "
            f"reference: {{node: {node}, pressure: 100 kPa}}}}")


# -- contents and wall of a counterflow exchanger after a step at its hot inlet

def is_step(case):
    return case.has("Ch", "Cc", "Mh", "Mc", "Mw", "hAh", "hAc", "times")


def step(case):
    """Everything at 20 degC; the hot inlet is warmer by `height` from the start on. The equations are linear."""
    d = case.inputs
    cp, rho, start, height = 4000.0, 1000.0, 20.0, 50.0  # any coolant will do: capacities alone matter
    cells = 50  # 200 points
    content = lambda name: f"{d[name] / (rho * cp)!r} m3"
    flow = lambda name: f"{d[name] / cp!r} kg/s"
    equipment = {
        "exchanger": f"{{class: plate_heat_exchanger, hot: [hot-in, hot-out], cold: [cold-in, cold-out], "
                     f"ua: {1.0 / (1.0 / d['hAh'] + 1.0 / d['hAc'])!r} W/K, film_ratio: {d['hAh'] / d['hAc']!r}, "
                     f"hot_flow: {flow('Ch')}, cold_flow: {flow('Cc')}, model: dynamic, cells: {cells}, "
                     f"hot_volume: {content('Mh')}, cold_volume: {content('Mc')}, wall_capacity: {d['Mw']!r} J/K}}",
        "hot-flow": f"{{class: fixed_flow, from: hot-out, to: hot-end, flow: {flow('Ch')}}}",
        "cold-flow": f"{{class: fixed_flow, from: cold-out, to: cold-end, flow: {flow('Cc')}}}"}
    ends = lambda side, t: {f"{side}-in": f"{{pressure: 100 kPa, temperature: {t!r} degC}}",
                            f"{side}-end": f"{{pressure: 50 kPa, temperature: {start!r} degC}}"}
    pod = write_pod(case, "pod", "Counterflow exchanger behind a step", equipment=equipment, design=DESIGN,
                    circuits={side: fluid(cp, f"{side}-in", rho) for side in ("hot", "cold")},
                    nodes={**ends("hot", start + height), **ends("cold", start)})
    share = lambda kelvin: (kelvin - ZERO_CELSIUS - start) / height
    table = steady_table(case, pod, "heat_exchanger")["exchanger"]
    found = {("", name): share(table[signal]) for name, signal in
             (("hot_outlet", "t_hot_out"), ("cold_outlet", "t_cold_out"))}
    for number, time in enumerate(sorted(row_times(case))):
        scenario = write_scenario(case, f"to-{number}", pod, time, start, ["heat_exchanger"], time)
        case.run("run", scenario, "-o", f"{number}.h5", "--force", "--quiet")
        path = os.path.join(case.keep, f"{number}.h5")
        for name, signal in (("hot_outlet", "t_hot_out"), ("cold_outlet", "t_cold_out")):
            found[time, name] = share(read_last(path, "heat_exchanger", signal)["exchanger"])
    return [known(found, (float(row["time_s"]) if row["time_s"] else "", row["object"])) for row in case.rows]


# -- operating points of an exchanger given by its nominal effectiveness

def is_points(case):
    return case.has("m1_0", "m2_0", "eps_0", "cp", "exponent") and \
        os.path.exists(os.path.join(case.folder, "series.csv"))


def points(case):
    """An exchanger of its own a point, all in one pod."""
    d = case.inputs
    with open(os.path.join(case.folder, "series.csv"), newline="", encoding="utf-8") as f:
        series = {float(row["time_s"]): {k: float(v) for k, v in row.items()} for row in csv.DictReader(f)}
    nodes, equipment, names = {}, {}, {}
    for number, scenario in enumerate(sorted(case.scenarios())):
        at = known(series, float(scenario.removeprefix("t=")))
        names[scenario] = f"x{number}"
        for side, place, inlet in (("hot", "1", "a1"), ("cold", "2", "a2")):
            nodes[f"{side}{number}-in"] = f"{{pressure: 100 kPa, temperature: {at[f'hex.sta_{inlet}.T']!r} K}}"
            nodes[f"{side}{number}-end"] = "{pressure: 50 kPa, temperature: 20 degC}"
            equipment[f"{side}{number}-flow"] = (f"{{class: fixed_flow, from: {side}{number}-out, "
                                                 f"to: {side}{number}-end, flow: {at[f'hex.m{place}_flow']!r} kg/s}}")
        # Like coolants and exponents: the films differ as the nominal flows do.
        equipment[f"x{number}"] = (
            f"{{class: plate_heat_exchanger, hot: [hot{number}-in, hot{number}-out], "
            f"cold: [cold{number}-in, cold{number}-out], nominal_effectiveness: {d['eps_0']!r}, "
            f"hot_flow: {d['m1_0']!r} kg/s, cold_flow: {d['m2_0']!r} kg/s, hot_exponent: {d['exponent']!r}, "
            f"cold_exponent: {d['exponent']!r}, film_ratio: {(d['m1_0'] / d['m2_0']) ** d['exponent']!r}}}")
    sides = [f"{side}{number}" for number in range(len(names)) for side in ("hot", "cold")]
    circuits = {side: fluid(d["cp"], f"{side}-in") for side in sides}
    pod = write_pod(case, "pod", "One exchanger a point", circuits=circuits, nodes=nodes, equipment=equipment,
                    design=DESIGN)
    table = steady_table(case, pod, "heat_exchanger")
    signals = {"T_b1": "t_hot_out", "T_b2": "t_cold_out", "Q": "heat"}
    return [table[names[row["scenario"]]][known(signals, row["quantity"])] for row in case.rows]


# -- racks, closed loop, exchanger, closed loop, dry cooler

def is_chain(case):
    return case.has("Q", "m1", "cp1", "m2", "cp2", "UA1", "UA2", "ma", "cpa", "Ta", "n_chips", "Rth")


def chain(case):
    d = case.inputs
    program_cpa = 1006.0  # J/(kg K), of a dry cooler: its air flow is stated so that the capacity rate is the case's
    ring = lambda start, end, n: f"{{class: fixed_flow, from: {start}, to: {end}, flow: {d[f'm{n}']!r} kg/s}}"
    pod = write_pod(
        case, "pod", "Racks, two closed loops and a dry cooler",
        circuits={"tcs": fluid(d["cp1"], "tcs-supply"), "fws": fluid(d["cp2"], "fws-return")},
        nodes={"tcs-return": "{volume: 0.1 m3}", "fws-supply": "{volume: 0.1 m3}"},
        equipment={
            "racks": f"{{class: heat_source, power: {d['Q']!r} W, to: tcs-return}}",
            "tcs-flow": ring("tcs-supply", "tcs-return", 1),
            "fws-flow": ring("fws-return", "fws-hot", 2),
            "plate": f"{{class: plate_heat_exchanger, hot: [tcs-return, tcs-supply], cold: [fws-supply, fws-return], "
                     f"ua: {d['UA1']!r} W/K, hot_flow: {d['m1']!r} kg/s, cold_flow: {d['m2']!r} kg/s, "
                     f"hot_dp: 50 kPa, cold_dp: 50 kPa}}",
            "cooler": f"{{class: dry_cooler, from: fws-hot, to: fws-supply, ua: {d['UA2']!r} W/K, "
                      f"air_flow: {d['ma'] * d['cpa'] / program_cpa!r} kg/s, flow: {d['m2']!r} kg/s, fan_power: 0 W, "
                      f"arrangement: crossflow_unmixed, dp: 50 kPa, start_speed: 1, lag: 0.1 s, ramp_time: 0.1 s}}"},
        design={"rack_power": "0 kW", "weather": f"{{dry_bulb: {d['Ta']!r} degC, relative_humidity: 40 %}}"})
    plate = steady_table(case, pod, "heat_exchanger")["plate"]
    node = {name: row["t"] - ZERO_CELSIUS for name, row in read_table(case, "node").items()}
    cooler = read_table(case, "dry_cooler")["cooler"]
    coolant, air = d["m2"] * d["cp2"], d["ma"] * d["cpa"]
    mean = 0.5 * (node["tcs-supply"] + node["tcs-return"])
    found = {("loop", "FWS_return_hot"): node["fws-hot"], ("loop", "FWS_supply_cold"): node["fws-supply"],
             ("loop", "TCS_return_hot"): node["tcs-return"], ("loop", "TCS_supply_cold"): node["tcs-supply"],
             ("loop", "air_out"): d["Ta"] + cooler["heat"] / air,
             ("loop", "chip_case_mean"): mean + d["Q"] / d["n_chips"] * d["Rth"],
             ("plate", "effectiveness"): plate["effectiveness"],
             ("dry_cooler", "effectiveness"): cooler["heat"] / (min(coolant, air) * (node["fws-hot"] - d["Ta"]))}
    return [known(found, (row["object"], row["quantity"])) for row in case.rows]


# -- case of a module on a cold plate, swept in flow

def is_cold_plate(case):
    return any(isinstance(v, dict) and set(v) == {"V_m3_s", "R_K_W"} for v in case.inputs.values()) and \
        all("V" in label_values(row["object"]) for row in case.rows) and \
        bool(re.search(r"inlet ([\d.]+) C, ([\d.]+) W", case.problem))


def cold_plate(case):
    """A plate of its own a flow, all in one pod."""
    record, = [v for v in case.inputs.values() if set(v) == {"V_m3_s", "R_K_W"}]
    t_in, power = map(float, re.search(r"inlet ([\d.]+) C, ([\d.]+) W", case.problem).groups())
    if "quadratic in V" not in case.problem:
        raise NotUnderstood("the problem does not say how resistance goes between the points")
    span = re.search(r"from ([\d.e-]+) to ([\d.e-]+) m3/s", case.problem)
    low, high = map(float, span.groups())

    def flow_of(label):
        """A label has six digits of a flow that lies at a tenth of the sweep."""
        exact = low + (high - low) * round(10.0 * (label - low) / (high - low)) / 10.0
        return exact if abs(exact - label) < 1e-5 * label else label
    density = 1000.0  # any: the record is in volume
    curve = ", ".join(f"[{v!r} m3/s, {r!r} K/W]" for v, r in zip(record["V_m3_s"], record["R_K_W"]))
    flows = {row["object"]: flow_of(label_values(row["object"])["V"]) for row in case.rows}
    names = {label: f"p{number}" for number, label in enumerate(flows)}
    nodes = {"in": f"{{pressure: 100 kPa, temperature: {t_in!r} degC}}",
             "end": "{pressure: 50 kPa, temperature: 20 degC}"}
    equipment = {}
    for label, name in names.items():
        equipment[name] = (f"{{class: cold_plate, from: in, to: {name}-out, body: {name}-chip, law: quadratic, "
                           f"resistance_curve: [{curve}]}}")
        equipment[f"{name}-chip"] = "{class: heat_capacity, capacity: 500 J/K}"
        equipment[f"{name}-power"] = f"{{class: heat_source, to: {name}-chip, power: {power!r} W}}"
        equipment[f"{name}-flow"] = (f"{{class: fixed_flow, from: {name}-out, to: end, "
                                     f"flow: {flows[label] * density!r} kg/s}}")
    pod = write_pod(case, "pod", "One cold plate a flow", circuits={"loop": fluid(3900.0, "in", density)}, nodes=nodes,
                    equipment=equipment, design=DESIGN)
    table = steady_table(case, pod, "cold_plate")
    return [table[names[row["object"]]][known({"case_temperature": "t_case"}, row["quantity"])] for row in case.rows]


# -- exercises of textbooks: duty, area and length of an exchanger; effectiveness by arrangement

SIZING = ("mc", "cpc", "Tci", "Tco", "mh", "cph", "Thi", "U", "bore")
RATING = ("mh", "cph", "mc", "cpc", "Thi", "Tci", "U", "A")


def is_exercise(case):
    kinds = [set(values) for values in case.inputs.values() if isinstance(values, dict)]
    return bool(kinds) and len(kinds) == len(case.inputs) and all(k in (set(SIZING), set(RATING)) for k in kinds)


def one(case, request):
    answer = case.ask([request])[0]
    if answer is None:
        raise Failed(request)
    return answer[0]


def sized(case, d):
    """Counterflow exchanger that warms the cold stream as stated."""
    hot, cold = d["mh"] * d["cph"], d["mc"] * d["cpc"]
    least, most = min(hot, cold), max(hot, cold)
    duty = cold * (d["Tco"] - d["Tci"])
    ntu = one(case, f"counterflow_ntu {duty / (least * (d['Thi'] - d['Tci']))!r} {least / most!r}")
    area = ntu * least / d["U"]
    return {"duty": duty, "Tho": d["Thi"] - duty / hot, "NTU": ntu, "LMTD": duty / (ntu * least), "area": area,
            "length": area / (math.pi * d["bore"])}


def rated(case, d):
    """Counterflow exchanger of a stated area."""
    hot, cold = d["mh"] * d["cph"], d["mc"] * d["cpc"]
    least, most = min(hot, cold), max(hot, cold)
    eps = one(case, f"effectiveness counterflow {d['U'] * d['A'] / least!r} {least / most!r}")
    duty = eps * least * (d["Thi"] - d["Tci"])
    return {"effectiveness": eps, "duty": duty, "Tho": d["Thi"] - duty / hot, "Tco": d["Tci"] + duty / cold}


def exercise(case):
    with open(os.path.join(case.folder, "README.md"), encoding="utf-8") as f:
        point = re.search(r"NTU ([\d.]+), Cr ([\d.]+\d)", f.read())
    arrangements = {"parallel": "parallel", "counterflow": "counterflow",
                    "crossflow_unmixed_exact": "cross_unmixed_exact"}
    solved = {name: sized(case, d) if set(d) == set(SIZING) else rated(case, d) for name, d in case.inputs.items()}
    values = []
    for row in case.rows:
        if row["scenario"] in solved:
            values.append(known(solved[row["scenario"]], row["quantity"]))
        elif row["quantity"] == "effectiveness" and point:
            kind = known(arrangements, row["object"])
            values.append(one(case, f"effectiveness {kind} {point.group(1)} {point.group(2)}"))
        else:
            raise NotUnderstood(f"row {row['scenario']},{row['object']},{row['quantity']}")
    return values


FORMS = [(is_step, step), (is_points, points), (is_chain, chain), (is_cold_plate, cold_plate),
         (is_exercise, exercise)]
