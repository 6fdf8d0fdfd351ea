"""Cases that ask the public library for values of functions: effectiveness, fluids, a rated exchanger."""
import math

from .case import Failed, ZERO_CELSIUS, known, label_values, one_answer_a_row


def is_effectiveness(case):
    return case.has("NTU", "Cr", "kinds")


def effectiveness(case):
    def request(row):
        at = label_values(row["object"])
        return f"effectiveness {row['scenario']} {at['NTU']!r} {at['Cr']!r}"
    return one_answer_a_row(case, request)


def is_water(case):
    return case.scenarios() <= {"liquid", "saturation"} and case.has("T_degC", "p_Pa")


def water(case):
    names = {"density": "density", "cp": "cp", "enthalpy": "enthalpy", "prandtl": "prandtl",
             "dynamic_viscosity": "viscosity", "thermal_conductivity": "conductivity"}

    def request(row):
        at = label_values(row["object"])
        kelvin = at["T"] + ZERO_CELSIUS
        if row["quantity"] == "vapour_pressure":
            return f"water saturation_pressure {kelvin!r}"
        return f"water {known(names, row['quantity'])} {kelvin!r} {at['p']!r}"
    return one_answer_a_row(case, request)


def is_glycol(case):
    return case.has("fluids", "T_degC", "x")


def glycol(case):
    names = {"density": "density", "cp": "cp", "thermal_conductivity": "conductivity", "dynamic_viscosity": "viscosity"}

    def request(row):
        at = label_values(row["object"])
        if row["quantity"] == "freezing_temperature":
            return f"glycol {row['scenario']} freezing {at['x']!r}"
        return f"glycol {row['scenario']} {known(names, row['quantity'])} {at['x']!r} {at['T'] + ZERO_CELSIUS!r}"
    return one_answer_a_row(case, request)


def is_plate_exchanger(case):
    return case.has("Q", "mh", "cph", "mc", "cpc", "Thi", "Tci", "n", "ratio", "points")


class PlateExchanger:
    """Counterflow exchanger rated at one point, films as powers of flow; effectiveness and NTU are the library's."""

    def __init__(self, case):
        self.case, d = case, case.inputs
        self.d = d
        hot, cold = d["mh"] * d["cph"], d["mc"] * d["cpc"]
        self.eps = d["Q"] / (min(hot, cold) * (d["Thi"] - d["Tci"]))
        self.ntu = self.one(f"counterflow_ntu {self.eps!r} {min(hot, cold) / max(hot, cold)!r}")
        self.ua = self.ntu * min(hot, cold)
        # 1/UA = 1/h_hot + 1/h_cold with h_hot = ratio h_cold
        self.h_cold = self.ua * (1.0 + 1.0 / d["ratio"])
        self.h_hot = d["ratio"] * self.h_cold

    def one(self, request):
        answer = self.case.ask([request])[0]
        if answer is None:
            raise Failed(request)
        return answer[0]

    def at(self, mh, mc):
        """UA, effectiveness, C_min, C_hot, C_cold at two flows."""
        d = self.d
        ua = 1.0 / (1.0 / (self.h_hot * (mh / d["mh"]) ** d["n"]) + 1.0 / (self.h_cold * (mc / d["mc"]) ** d["n"]))
        hot, cold = mh * d["cph"], mc * d["cpc"]
        least = min(hot, cold)
        return ua, self.one(f"effectiveness counterflow {ua / least!r} {least / max(hot, cold)!r}"), least, hot, cold

    def rated(self):
        d = self.d
        t_ho = d["Thi"] - d["Q"] / (d["mh"] * d["cph"])
        t_co = d["Tci"] + d["Q"] / (d["mc"] * d["cpc"])
        ends = (d["Thi"] - t_co, t_ho - d["Tci"])
        lmtd = ends[0] if ends[0] == ends[1] else (ends[0] - ends[1]) / math.log(ends[0] / ends[1])
        return {"Tho": t_ho, "Tco": t_co, "effectiveness": self.eps, "NTU": self.ntu, "UA": self.ua, "LMTD": lmtd,
                "UA_times_LMTD": self.ua * lmtd}

    def rating(self, p):
        ua, eps, least, hot, cold = self.at(p["mh"], p["mc"])
        duty = eps * least * (p["Thi"] - p["Tci"])
        return {"UA": ua, "effectiveness": eps, "duty": duty, "Tho": p["Thi"] - duty / hot,
                "Tco": p["Tci"] + duty / cold}

    def approach(self, p):
        _, eps, least, hot, _ = self.at(p["mh"], p["mc"])
        # supply - facility supply = (1 - eps C_min/C_hot) (return - facility supply)
        span = p["approach"] / (1.0 - eps * least / hot)
        return {"duty": eps * least * span, "TCS_return_minus_facility_supply": span}

    def control(self, p):
        t_return = p["Tset"] + p["Q"] / (p["mh"] * self.d["cph"])

        def duty(mc):
            _, eps, least, _, _ = self.at(p["mh"], mc)
            return eps * least * (t_return - p["Tci"])
        low, high = 1e-6 * self.d["mc"], 1e6 * self.d["mc"]
        if duty(high) < p["Q"]:
            return {"reachable": 0.0}
        for _ in range(200):  # the duty rises with flow
            middle = math.sqrt(low * high)
            if middle in (low, high):
                break
            low, high = (low, middle) if duty(middle) >= p["Q"] else (middle, high)
        return {"reachable": 1.0, "facility_flow": high, "facility_return": p["Tci"] + p["Q"] / (high * self.d["cpc"])}


def plate_exchanger(case):
    exchanger = PlateExchanger(case)
    known_points = {"rated": exchanger.rated()}
    for kind, method in (("rating", exchanger.rating), ("approach", exchanger.approach),
                         ("control", exchanger.control)):
        for number, point in enumerate(case.inputs["points"].get(kind, []), 1):
            known_points[f"{kind}{number}"] = method(point)
    return [known(known(known_points, row["scenario"]), row["quantity"]) for row in case.rows]


FORMS = [(is_effectiveness, effectiveness), (is_water, water), (is_glycol, glycol), (is_plate_exchanger, plate_exchanger)]
