"""A whole facility at rest: power and heat from chip to outdoor air."""
import os

from .case import ZERO_CELSIUS, known
from .files import read_table, steady_table, write_pod


def is_facility(case):
    return case.has("racks", "P_rack_dc", "liquid_share", "COP_air", "T_amb", "T_fws_set", "misc", "UA1", "shelf",
                    "ups", "transformer", "tcs", "fws", "dry")


def facility(case):
    d = case.inputs
    tcs, fws, dry = d["tcs"], d["fws"], d["dry"]
    chain_of = lambda name, units=1: f"rating: {d[name]['rated'] * units!r} W, loss_polynomial: {d[name]['a']!r}"
    weather = f"{{rack_power: 0 kW, weather: {{dry_bulb: {d['T_amb']!r} degC, relative_humidity: 40 %}}}}"

    # The shelves alone give the racks' AC input; from it follow the heats to coolant and air and the air side's power.
    shelves = {"source": "{class: utility, to: ups-bus, rating: 100 MW}",
               "shelves": f"{{class: ups, from: ups-bus, to: dc-bus, {chain_of('shelf', d['shelf']['units'])}}}",
               "racks": f"{{class: electrical_load, power: {d['racks'] * d['P_rack_dc']!r} W, supply: dc-bus, "
                        f"it: true}}"}
    pod = write_pod(case, "pod-shelves", "Power shelves", equipment=shelves)
    with open(os.path.join(case.keep, pod), "a", encoding="utf-8") as f:
        f.write(f"design: {weather}\n")
    converter = steady_table(case, pod, "ups")["shelves"]
    it = converter["load"] + converter["loss"]
    crah = it * (1.0 - d["liquid_share"]) / d["COP_air"]

    def fluid(loop, node):
        return (f"{{fluid: {{density: {loop['rho']!r} kg/m3, viscosity: 1 mPa.s, "
                f"specific_heat: {loop['cp']!r} J/(kg.K)}}, "
                f"reference: {{node: {node}, pressure: 200 kPa}}}}")
    # The drop of each loop is shared among its elements: one without any would not be exactly 0.
    equipment = {
        "source": "{class: utility, to: mv, rating: 100 MW}",
        "transformer": f"{{class: transformer, from: mv, to: lv, {chain_of('transformer').replace(' W,', ' VA,')}}}",
        "ups": f"{{class: ups, from: lv, to: ups-bus, {chain_of('ups')}}}",
        "shelves": shelves["shelves"], "racks": shelves["racks"],
        "crah": f"{{class: electrical_load, power: {crah!r} W, supply: ups-bus}}",
        "misc": f"{{class: electrical_load, power: {d['misc']!r} W, supply: lv}}",
        "rack-heat": f"{{class: heat_source, power: {it * d['liquid_share']!r} W, to: tcs-return}}",
        "tcs-pump": f"{{class: fixed_flow, from: tcs-return, to: tcs-hot, flow: {tcs['m']!r} kg/s, "
                    f"efficiency: {tcs['eta']!r}, supply: ups-bus}}",
        "tcs-loop": f"{{class: resistance, from: tcs-supply, to: tcs-return, dp: {tcs['dp'] / 2!r} Pa, "
                    f"flow: {tcs['m'] / tcs['rho']!r} m3/s}}",
        "exchanger": f"{{class: plate_heat_exchanger, ua: {d['UA1']!r} W/K, hot_flow: {tcs['m']!r} kg/s, "
                     f"cold_flow: {fws['m']!r} kg/s, "
                     f"hot_dp: {tcs['dp'] / 2!r} Pa, cold_dp: {fws['dp'] / 3!r} Pa, dp_exponent: 2, hot: [tcs-hot, "
                     f"tcs-supply], "
                     "cold: [fws-cold, fws-return]}",
        "fws-pump": f"{{class: fixed_flow, from: fws-return, to: fws-hot, flow: {fws['m']!r} kg/s, "
                    f"efficiency: {fws['eta']!r}, supply: ups-bus}}",
        "cooler": f"{{class: dry_cooler, from: fws-hot, to: fws-supply, ua: {dry['UA']!r} W/K, "
                  f"air_flow: {dry['m_air']!r} kg/s, "
                  f"flow: {fws['m']!r} kg/s, fan_power: {dry['P_fan']!r} W, air_exponent: 0.6, air_share: 1, "
                  f"arrangement: crossflow_unmixed, dp: {fws['dp'] / 3!r} Pa, lag: 0.2 s, ramp_time: 1 s, supply: lv}}",
        "fws-loop": f"{{class: resistance, from: fws-supply, to: fws-cold, dp: {fws['dp'] / 3!r} Pa, "
                    f"flow: {fws['m'] / fws['rho']!r} m3/s}}",
        "supply-sensor": "{class: sensor, measures: fws-supply.t, lag: 0.2 s}"}
    control = {"fans": f"{{class: pi_controller, sensor: supply-sensor, drives: [cooler], "
                       f"set_point_temperature: {d['T_fws_set']!r} degC, "
                       "action: direct, gain: 0.3, span_temperature: 10 K, integral_time: 6 s}"}
    pod = write_pod(case, "pod", "Racks, power chain, two loops and a dry cooler",
                    circuits={"tcs": fluid(tcs, "tcs-return"), "fws": fluid(fws, "fws-return")},
                    nodes={"tcs-return": "{volume: 0.1 m3}", "fws-return": "{volume: 0.1 m3}"},
                    equipment=equipment, controls=control)
    with open(os.path.join(case.keep, pod), "a", encoding="utf-8") as f:
        f.write(f"design: {weather}\n")

    cooler = steady_table(case, pod, "dry_cooler")["cooler"]

    node = {name: values["t"] - ZERO_CELSIUS for name, values in read_table(case, "node").items()}
    flow = read_table(case, "fixed_flow")
    ups, transformer = read_table(case, "ups"), read_table(case, "transformer")["transformer"]
    total = transformer["power"] + transformer["loss"]
    ac = ups["shelves"]["load"] + ups["shelves"]["loss"]
    found = {("it", "rack_ac_power"): ac, ("tcs", "pump_power"): flow["tcs-pump"]["power"],
             ("fws", "pump_power"): flow["fws-pump"]["power"],
             ("dry_cooler", "fan_speed"): cooler["speed"], ("dry_cooler", "fan_power"): cooler["power"],
             ("crah", "power"): crah, ("ups", "input"): ups["ups"]["load"] + ups["ups"]["loss"],
             ("facility", "total"): total, ("facility", "pue"): total / ac,
             ("dry_cooler", "heat_rejected"): cooler["heat"],
             ("fws", "supply"): node["fws-supply"], ("fws", "return_before_pump"): node["fws-return"],
             ("fws", "return_hot"): node["fws-hot"],
             ("tcs", "supply"): node["tcs-supply"], ("tcs", "return_to_exchanger"): node["tcs-hot"]}
    return [known(found, (row["object"], row["quantity"])) for row in case.rows]


FORMS = [(is_facility, facility)]
