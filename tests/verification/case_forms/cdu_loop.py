"""A CDU at its design point with a controlled facility valve and pump, its racks stepping in utilisation."""
import csv
import os
import re

from .case import NotUnderstood, ZERO_CELSIUS, known
from .files import read_recorded, write_pod, write_scenario

PUMP_EFFICIENCY = 0.70  # wire to water, pod-design 5.3; the case states none
RACK_EXPONENT = 1.85    # of OCP cold plates, pod-design 2.2; the case states none
EXCHANGER_EXPONENT = 2.0
DRY_BULB = 25.0         # degC; nothing here meets the outdoors
MOVED = 20.0            # s of nominal flow that a coolant node holds: an estimate, the case states no dead volumes


def is_cdu_loop(case):
    return case.has("P_rated_W", "approach_K", "T_rack_supply_C", "T_rack_return_C", "T_facility_in_C",
                    "T_facility_out_C", "dp_rack_Pa", "dp_hx_facility_Pa", "dp_filter_rack_Pa", "filter_exponent",
                    "utilisation", "pump_external_head_points") and \
        os.path.exists(os.path.join(case.folder, "series.csv"))


def series_of(case):
    with open(os.path.join(case.folder, "series.csv"), newline="", encoding="utf-8") as f:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(f)]


def steps(d, end):
    """Events of the racks' power [W]."""
    u = d["utilisation"]
    first, last = u["first_high_s"]
    events, start = [], 0.0
    while start < end:
        for at, share in ((start + first, u["high"]), (start + last, u["low"])):
            if at < end:
                events.append(f"{{at: {at!r} s, target: racks-power, do: set, "
                              f"with: {{power: {share * d['P_rated_W']!r} W}}}}")
        start += u["period_s"]
    return events


def pod_of(case, end_of_series):
    """The inputs state neither the head that the pump holds nor the resistance of the cold plates: both are read off
    the last row of the series, which no expected row is of."""
    d = case.inputs
    n = film_exponent(case)
    mean = {"pg": 0.5 * (d["T_rack_supply_C"] + d["T_rack_return_C"]),
            "water": 0.5 * (d["T_facility_in_C"] + d["T_facility_out_C"])}
    density = {name: property_of(case, name, "density", t) for name, t in mean.items()}
    cp = {name: property_of(case, name, "cp", t) for name, t in mean.items()}
    flow = {"pg": d["P_rated_W"] / (cp["pg"] * (d["T_rack_return_C"] - d["T_rack_supply_C"])),
            "water": d["P_rated_W"] / (cp["water"] * (d["T_facility_out_C"] - d["T_facility_in_C"]))}  # kg/s
    volume = {name: flow[name] / density[name] for name in flow}  # m3/s
    # The exchanger's two sides are taken to be alike in pressure drop: the inputs state that of one.
    internal = lambda x: (d["dp_hx_facility_Pa"] * x ** EXCHANGER_EXPONENT +
                          d["dp_filter_rack_Pa"] * x ** d["filter_exponent"])
    points = d["pump_external_head_points"]
    curve = ", ".join(f"[{x * volume['pg']!r} m3/s, {head * d['dp_rack_Pa'] + internal(x)!r} Pa]"
                      for x, head in zip(points["flow_fraction"], points["head_over_rack_dp"]))
    power = end_of_series["uti.y"] * d["P_rated_W"]
    resistance = (end_of_series["rac.casTem.TCas"] - end_of_series["senTRac_a.T"]) / power
    held = lambda p, t: f"{{pressure: {p!r} Pa, temperature: {t!r} degC}}"
    node = lambda name, t: f"{{volume: {MOVED * volume[name]!r} m3, initial_temperature: {t!r} degC}}"
    valve_dp = d["dp_hx_facility_Pa"]  # of the open valve at nominal flow: an authority of one half
    return write_pod(
        case, "pod", "CDU, racks and facility water",
        circuits={"tcs": f"{{fluid: PG25, reference: {{node: rack-out, pressure: 200 kPa}}, "
                         f"property_temperature: {mean['pg']!r} degC}}",
                  "fws": f"{{fluid: water, reference: {{node: fws-end, pressure: 100 kPa}}, "
                         f"property_temperature: {mean['water']!r} degC}}"},
        nodes={"rack-in": node("pg", d["T_rack_supply_C"]), "rack-out": node("pg", d["T_rack_return_C"]),
               "fws-in": held(1e5 + d["dp_hx_facility_Pa"] + valve_dp, d["T_facility_in_C"]),
               "fws-end": held(1e5, d["T_facility_out_C"])},
        equipment={
            "pump": f"{{class: pump, from: rack-out, to: pumped, head_curve: [{curve}], speed_min: 0, "
                    f"efficiency: {PUMP_EFFICIENCY!r}, loss_to_coolant: 1}}",
            "filter": f"{{class: resistance, from: pumped, to: hx-in, dp: {d['dp_filter_rack_Pa']!r} Pa, "
                      f"flow: {volume['pg']!r} m3/s, exponent: {d['filter_exponent']!r}}}",
            "hx": f"{{class: plate_heat_exchanger, hot: [hx-in, rack-in], cold: [fws-cold, fws-hot], "
                  f"nominal_heat: {d['P_rated_W']!r} W, nominal_hot_in: {d['T_rack_return_C']!r} degC, "
                  f"nominal_hot_out: {d['T_facility_in_C'] + d['approach_K']!r} degC, "
                  f"nominal_cold_in: {d['T_facility_in_C']!r} degC, nominal_cold_out: {d['T_facility_out_C']!r} degC, "
                  f"hot_dp: {d['dp_hx_facility_Pa']!r} Pa, cold_dp: {d['dp_hx_facility_Pa']!r} Pa, "
                  f"dp_exponent: {EXCHANGER_EXPONENT!r}, hot_exponent: {n!r}, cold_exponent: {n!r}, "
                  f"film_ratio: {film_ratio(case, mean, flow, n)!r}}}",
            "valve": f"{{class: valve, from: fws-in, to: fws-cold, "
                     f"kv: {volume['water'] * (1e5 / valve_dp * density['water'] / 1000.0) ** 0.5!r} m3/s, "
                     f"stroke_time: 120 s, start_position: 100 %}}",
            "outlet": f"{{class: resistance, from: fws-hot, to: fws-end, dp: 1 Pa, flow: {volume['water']!r} m3/s}}",
            "racks": f"{{class: cold_plate, from: rack-in, to: rack-out, body: chips, dp: {d['dp_rack_Pa']!r} Pa, "
                     f"flow: {volume['pg']!r} m3/s, dp_exponent: {RACK_EXPONENT!r}, volume: {volume['pg']!r} m3, "
                     f"resistance_curve: [[{0.8 * volume['pg']!r} m3/s, {resistance!r} K/W], "
                     f"[{1.2 * volume['pg']!r} m3/s, {resistance!r} K/W]]}}",
            "chips": f"{{class: heat_capacity, capacity: {d['P_rated_W']!r} J/K, "
                     f"initial_temperature: {d['T_rack_return_C']!r} degC}}",
            "racks-power": f"{{class: heat_source, to: chips, power: {d['utilisation']['low'] * d['P_rated_W']!r} W}}"},
        controls={
            "TT": "{class: sensor, measures: rack-in.t, lag: 1 s}",
            "TC": f"{{class: pi_controller, sensor: TT, drives: [valve], set_point_temperature: "
                  f"{d['T_rack_supply_C']!r} degC, action: direct, gain: 0.5, span_temperature: 10 K, "
                  f"integral_time: 60 s, start_output: 1}}",
            "DPT": "{class: sensor, measures: rack-in.p, minus: rack-out.p, lag: 1 s}",
            "DPC": f"{{class: pi_controller, sensor: DPT, drives: [pump], "
                   f"set_point_pressure: {end_of_series['rac.dp']!r} Pa, gain: 0.15, span_pressure: 100 kPa, "
                   f"integral_time: 4 s, start_output: 0.9}}"},
        design={"rack_power": "0 kW", "weather": f"{{dry_bulb: {DRY_BULB!r} degC, relative_humidity: 40 %}}"})


def film_exponent(case):
    found = re.search(r"film exponents ([\d.]*\d)", case.problem)
    if not found:
        raise NotUnderstood("the problem states no film exponents")
    return float(found.group(1))


PROPERTIES = {"pg": "glycol APG {} 0.25 {!r}", "water": "water {} {!r} 300000.0"}


def property_of(case, name, what, celsius):
    return case.ask([PROPERTIES[name].format(what, celsius + ZERO_CELSIUS)])[0][0]


def film_ratio(case, mean, flow, n):
    """Hot over cold between the same plates: Nu = c Re^n Pr^0.4 makes h ~ k^0.6 cp^0.4 mu^(0.4 - n) m^n."""
    def film(name):
        at = lambda what: property_of(case, name, what, mean[name])
        return at("conductivity") ** 0.6 * at("cp") ** 0.4 * at("viscosity") ** (0.4 - n) * flow[name] ** n
    return film("pg") / film("water")


SIGNALS = {"senTCDU_a.T": ("node", "t", "fws-in", 1.0), "senTCDU_b.T": ("node", "t", "fws-hot", 1.0),
           "senTRac_a.T": ("node", "t", "rack-in", 1.0), "senTRac_b.T": ("node", "t", "rack-out", 1.0),
           "rac.casTem.TCas": ("cold_plate", "t_case", "racks", 1.0),
           "cdu.hex.Q1_flow": ("heat_exchanger", "heat", "hx", 1.0),
           "cdu.pum.P": ("pump", "power", "pump", 1.0), "cdu.hex.dp1": ("heat_exchanger", "dp_cold", "hx", 1.0),
           "cdu.hex.dp2": ("heat_exchanger", "dp_hot", "hx", 1.0), "cdu.pum.dp": ("pump", "dp", "pump", -1.0),
           "rac.dp": ("cold_plate", "dp", "racks", 1.0)}


def cdu_loop(case):
    series = series_of(case)
    period, end = series[1]["time_s"] - series[0]["time_s"], series[-1]["time_s"]
    pod = pod_of(case, series[-1])
    groups = ["node", "cold_plate", "heat_exchanger", "pump"]
    scenario = write_scenario(case, "scenario", pod, end, DRY_BULB, groups, period, rtol="0.00001",
                              events=steps(case.inputs, end))
    case.run("run", scenario, "-o", "run.h5", "--force", "--quiet")
    path, values = os.path.join(case.keep, "run.h5"), []
    for row in case.rows:
        time = float(re.search(r"t=([\d.]+)", row["scenario"]).group(1))
        group, signal, instance, sign = known(SIGNALS, row["object"])
        values.append(sign * read_recorded(path, group, signal, round(time / period))[instance])
    return values


FORMS = [(is_cdu_loop, cdu_loop)]
