"""Cooling towers: Merkel number and fill, YorkCalc, EnergyPlus's variable-speed Merkel tower. All from the library."""
import csv
import os
import re

from .case import NotUnderstood, ZERO_CELSIUS, known, label_values, one_answer_a_row

SEA_LEVEL = 101325.0  # Pa, where the case gives no other
DESIGN_DRY_BULB = 35.0  # degC, at which EnergyPlus sizes a tower, where the case gives no other


def stated(case, name, fallback=None, phrase=None):
    """A constant from the inputs, else from the text of the statement ('cpw = 4186 J/kg/K')."""
    if isinstance(case.inputs.get(name), (int, float)):
        return float(case.inputs[name])
    found = re.search(rf"\b{phrase or name + ' ='} ([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)", case.problem)
    if found:
        return float(found.group(1))
    if fallback is None:
        raise NotUnderstood(f"neither inputs nor statement give {name}")
    return fallback


def is_merkel(case):
    return case.has("merkel_points") or case.has("tower_points")


def merkel(case):
    heat, pressure = stated(case, "cpw"), stated(case, "p", SEA_LEVEL)

    def request(row):
        at = label_values(row["object"])
        if row["quantity"].startswith("Me_"):
            return (f"merkel {row['quantity'][len('Me_'):]} {at['Th'] + ZERO_CELSIUS!r} {at['Tc'] + ZERO_CELSIUS!r} "
                    f"{at['Twb'] + ZERO_CELSIUS!r} {at['LG']!r} {heat!r} {pressure!r}")
        return (f"fill_tower {at['c']!r} {at['n']!r} {at['L']!r} {at['G']!r} {at['Th'] + ZERO_CELSIUS!r} "
                f"{at['Twb'] + ZERO_CELSIUS!r} {heat!r} {pressure!r}")
    values = []
    for row, answer in zip(case.rows, case.ask([request(row) for row in case.rows])):
        if answer is None or row["quantity"].startswith("Me_"):
            values.append(answer and answer[0])
            continue
        cold = answer[0] - ZERO_CELSIUS
        at = label_values(row["object"])
        values.append(known({"cold_water": cold, "heat_rejected": answer[1], "approach": cold - at["Twb"],
                             "range": at["Th"] - cold, "leaving_air_enthalpy": answer[2]}, row["quantity"]))
    return values


def is_yorkcalc(case):
    return case.has("coefficients", "range_K", "wet_bulb_degC") and len(case.inputs["coefficients"]) == 27


def yorkcalc(case):
    coefficients = " ".join(map(repr, case.inputs["coefficients"]))

    def request(row):
        at = label_values(row["object"])
        known({"approach": None}, row["quantity"])
        return (f"yorkcalc {at['FRWat']!r} {at['FRAir']!r} {at.get('range', case.inputs['range_K'])!r} "
                f"{at.get('Twb', case.inputs['wet_bulb_degC'])!r} coefficients {coefficients}")
    return one_answer_a_row(case, request)


def is_variable_speed(case):
    return case.has("design", "fan_speed", "fan_power") and "T_wb_C" in case.inputs["design"]


def variable_speed(case):
    with open(os.path.join(case.folder, "operating_points.csv"), newline="", encoding="utf-8") as f:
        points = {float(row["time_s"]): {name: float(value) for name, value in row.items()}
                  for row in csv.DictReader(f)}
    design = case.inputs["design"]
    convection = stated(case, "free_convection", phrase="free-convection air-flow fraction")
    pressure = stated(case, "p", SEA_LEVEL)
    head = " ".join(map(repr, (design["V_water_m3_s"], design["V_air_m3_s"],
                               design.get("T_db_C", DESIGN_DRY_BULB) + ZERO_CELSIUS, design["T_wb_C"] + ZERO_CELSIUS,
                               design["range_K"], design["approach_K"], convection, pressure)))
    table = " ".join(f"{x!r} {y!r}" for x, y in zip(case.inputs["fan_speed"], case.inputs["fan_power"]))

    def request(row):
        at = points[label_values(row["scenario"]).get("t", float(row["time_s"] or "nan"))]
        if row["quantity"] == "fan_power":
            return f"monotone_table {len(case.inputs['fan_speed'])} {table} {at['fan_speed_ratio']!r}"
        dry = at.get("T_drybulb_C", at["T_wetbulb_C"])
        return (f"variable_tower {head} {at['T_wetbulb_C'] + ZERO_CELSIUS!r} {dry + ZERO_CELSIUS!r} "
                f"{at['T_in_C'] + ZERO_CELSIUS!r} {at['m_water_kg_s']!r} {at['fan_speed_ratio']!r}")
    values = []
    for row, answer in zip(case.rows, case.ask([request(row) for row in case.rows])):
        if answer is None:
            values.append(None)
        elif row["quantity"] == "fan_power":
            values.append(design["fan_W"] * answer[0])
        else:
            values.append(known({"leaving_water": answer[0] - ZERO_CELSIUS, "heat": answer[1]}, row["quantity"]))
    return values


FORMS = [(is_merkel, merkel), (is_yorkcalc, yorkcalc), (is_variable_speed, variable_speed)]
