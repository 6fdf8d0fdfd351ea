"""Moist air by the ASHRAE equations and by Stull's fit; water and steam by the IAPWS releases. All from the library."""
import re

from .case import NotUnderstood, ZERO_CELSIUS, known, label_quantities, one_answer_a_row

SEA_LEVEL = 101325.0  # Pa, where neither label nor statement gives another pressure
HUMIDITIES = {"RH": "relative_humidity", "W": "humidity_ratio", "Twb": "wet_bulb", "Tdp": "dew_point"}
PROPERTIES = {name: name for name in ("humidity_ratio", "relative_humidity", "wet_bulb", "dew_point", "vapour_pressure",
                                      "enthalpy", "specific_volume", "density")}
TABLES = {"sat_pressure", "sat_humidity_ratio", "sat_enthalpy", "sat_volume", "sat_density", "std_atmosphere", "dry_air"}


def in_row_unit(row, value):
    """A value of the library, in K where it is a temperature, in the unit of its row."""
    return value if value is None or row.get("unit") not in ("degC", "C") else value - ZERO_CELSIUS


def answers(case, request_of):
    return [in_row_unit(row, value) for row, value in zip(case.rows, one_answer_a_row(case, request_of))]


def humidity_given(label):
    return next((name for name in HUMIDITIES if re.search(rf"\b{name}=", label)), None)


def is_state_of_air(row):
    """Dry bulb, one humidity and the pressure in the label, a property of moist air asked."""
    return bool(re.search(r"\bTdb=", row["object"]) and humidity_given(row["object"])
                and row["quantity"] in PROPERTIES)


def is_moist_air(case):
    return all(row["scenario"] in TABLES or is_state_of_air(row) for row in case.rows)


def moist_air(case):
    stated = re.search(r"\bat (\d{5,6}) Pa\b", case.problem)
    pressure = float(stated.group(1)) if stated else SEA_LEVEL

    def request(row):
        at, scenario, quantity = label_quantities(row["object"]), row["scenario"], row["quantity"]
        p = at.get("p", pressure)
        if scenario == "std_atmosphere":
            return f"standard_atmosphere {quantity} {at['z']!r}"
        if scenario == "sat_pressure":
            return f"moist_air saturation_pressure {at['T']!r}"
        if scenario in TABLES:
            humidity = "dry" if scenario == "dry_air" else "saturated"
            return f"moist_air {known(PROPERTIES, quantity)} {at['T']!r} {p!r} {humidity}"
        name = humidity_given(row["object"])
        return f"moist_air {quantity} {at['Tdb']!r} {p!r} {HUMIDITIES[name]} {at[name]!r}"
    return answers(case, request)


def is_stull(case):
    """Stull's fit is in the statement; beside it rows may ask for the wet bulb of the ASHRAE equations."""
    return "0.151977" in case.problem and case.scenarios() <= {"stull", "ashrae"}


def stull(case):
    def request(row):
        at = label_quantities(row["object"])
        if row["quantity"] != "wet_bulb":
            raise NotUnderstood(f"row {row['scenario']},{row['object']},{row['quantity']}")
        if row["scenario"] == "stull":
            return f"stull_wet_bulb {at['T']!r} {at['RH']!r}"
        return f"moist_air wet_bulb {at['T']!r} {at.get('p', SEA_LEVEL)!r} relative_humidity {at['RH']!r}"
    return answers(case, request)


OF_LIQUID = {name: name for name in ("specific_volume", "density", "enthalpy", "internal_energy", "entropy", "cp",
                                     "sound_speed")}
STEAM = {"region1", "saturation", "viscosity", "conductivity", "surface_tension"}


def is_steam_tables(case):
    return not case.inputs and case.scenarios() <= STEAM


def steam_tables(case):
    def request(row):
        at, scenario = label_quantities(row["object"]), row["scenario"]
        if scenario == "region1":
            return f"water {known(OF_LIQUID, row['quantity'])} {at['T']!r} {at['p']!r}"
        if scenario == "saturation":
            return (f"water saturation_pressure {at['T']!r}" if "T" in at
                    else f"water saturation_temperature {at['p']!r}")
        if scenario == "surface_tension":
            return f"water surface_tension {at['T']!r}"
        return f"water {scenario}_at_density {at['T']!r} {at['rho']!r}"
    return answers(case, request)


FORMS = [(is_stull, stull), (is_moist_air, moist_air), (is_steam_tables, steam_tables)]
