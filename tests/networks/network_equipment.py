"""Laws of equipment and of moist air and glycols, written anew from the pages of the classes and their sources: nothing here is shared with
the program. SI units; temperatures in K unless a name says celsius.

Air: ASHRAE Handbook of Fundamentals (2017), chapter 1. Glycols: ASHRAE Handbook (2001), in the polynomials by which CoolProp states it
(dev/incompressible_liquids/json/APG.json, AEG.json). Towers and chillers: EnergyPlus Engineering Reference.
"""
import math

KELVIN = 273.15
AIR_CP = 1006.0


# Glycol and water, by volume.

class Glycol:
    BASE, FRACTION = 305.65, 0.35
    HIGH = 373.15
    COEFFICIENTS = {
        "PG": {"density": ((1026.177, 72.53677, -65.32547, 34.66575, -15.82785, -213.9879),
                           (-0.5350059, -0.5056296, 0.1751278, -0.092333, 0.02877433),
                           (-0.002566157, -0.0001703579, 0.001165892, -0.000207517), (-5.177316e-09, 9.673169e-09, 3.368862e-07)),
               "cp": ((3815.392, -1391.877, -1121.4, -419.3939, -243.53, 4054.145), (3.025751, 5.558605, -0.1073388, 0.5290725, -2.262081),
                      (4.165345e-05, -9.032069e-05, -0.003392169, 0.01079472), (-4.30948e-07, -1.33518e-06, 3.538903e-05)),
               "k": ((0.4329771, -0.4535551, 0.1845012, -0.2435214, 0.06266485, 1.891363),
                     (0.0007338869, -0.001966849, 0.0009861397, -1.817568e-05, -0.001628752),
                     (-5.424175e-06, 1.100798e-05, -3.754805e-06, 5.476691e-07), (5.879755e-10, -6.777231e-10, -2.213073e-08)),
               "log_mu": ((-6.025825, 3.573663, -1.995205, -6.42511, 36.01949, 53.50879),
                          (-0.03284399, -0.03838339, 0.08223532, 0.01520795, -1.123741),
                          (0.0002492009, 0.0003529886, -0.0005119547, -0.0006572286), (-1.155771e-06, -1.216539e-06, 3.230125e-06))},
        "EG": {"density": ((1047.337, 140.4485, -48.70559, 71.41693, 52.4585, -693.3962),
                           (-0.4505054, -0.3001582, -0.03952614, 0.02496264, -0.06817576),
                           (-0.002432696, -2.084384e-05, 0.0003108353, -0.0008979712), (-3.72545e-09, 1.044784e-06, -4.391164e-06)),
               "cp": ((3596.551, -1707.073, -444.7538, -552.7923, -715.9059, 7905.301), (3.096886, 5.184379, -0.7061384, 0.7949891, -0.6689394),
                      (-3.388642e-05, 0.0003639717, 0.0009169943, -0.005359818), (3.171299e-07, -2.457345e-06, 1.419543e-05)),
               "k": ((0.4453745, -0.4067857, 0.2325883, -0.1569133, -0.1074279, 1.192263),
                     (0.0008706814, -0.001560464, 0.000790936, -2.926925e-05, -0.0002372089),
                     (-5.352757e-06, 1.082907e-05, -6.117302e-06, 5.716025e-06), (-1.560759e-10, -6.139943e-09, 3.179827e-08)),
               "log_mu": ((-6.319551, 2.881296, 0.8374394, -19.29626, -13.10981, 252.8586),
                          (-0.02410848, -0.01593008, -0.006961209, -0.06322254, -0.2651482),
                          (0.0001764482, 0.0001708786, -0.0004014337, -0.00024771), (-1.315418e-06, -1.745316e-06, 9.973464e-06))}}

    def __init__(self, name):
        x = float(name[2:]) / 100.0 - self.FRACTION
        # Of each property the polynomial of temperature at this fraction.
        self.by_t = {key: [sum(c * x ** j for j, c in enumerate(row)) for row in rows] for key, rows in self.COEFFICIENTS[name[:2]].items()}

    def _value(self, key, t):
        return sum(c * (min(t, self.HIGH) - self.BASE) ** i for i, c in enumerate(self.by_t[key]))

    def density(self, t):
        return self._value("density", t)

    def specific_heat(self, t):
        return self._value("cp", t)

    def conductivity(self, t):
        return self._value("k", t)

    def viscosity(self, t):
        return math.exp(self._value("log_mu", t))

    def enthalpy(self, t):
        inside = min(t, self.HIGH)
        total = sum(c * (inside - self.BASE) ** (i + 1) / (i + 1) for i, c in enumerate(self.by_t["cp"]))
        return total + (t - inside) * self.specific_heat(self.HIGH)


# Moist air.

def standard_pressure(elevation):
    return 101325.0 * (1.0 - 2.25577e-5 * elevation) ** 5.2559


def saturation_pressure(t):
    if t >= 273.16:
        return math.exp(-5.8002206e3 / t + 1.3914993 - 4.8640239e-2 * t + 4.1764768e-5 * t ** 2 - 1.4452093e-8 * t ** 3 + 6.5459673 * math.log(t))
    return math.exp(-5.6745359e3 / t + 6.3925247 - 9.677843e-3 * t + 6.2215701e-7 * t ** 2 + 2.0747825e-9 * t ** 3 - 9.484024e-13 * t ** 4 +
                    4.1635019 * math.log(t))


def ratio_of(vapour, p):
    return 0.621945 * vapour / (p - vapour)


def saturation_ratio(t, p):
    return ratio_of(saturation_pressure(t), p)


def air_enthalpy(t, ratio):
    c = t - KELVIN
    return 1e3 * (1.006 * c + ratio * (2501.0 + 1.86 * c))


def saturated_enthalpy(t, p):
    return air_enthalpy(t, saturation_ratio(t, p))


def dry_air_density(t, ratio, p):
    return p / (1e3 * 0.287042 * t * (1.0 + 1.607858 * ratio))


def bisected(f, low, high):
    """Where f, negative at low and positive at high, vanishes."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if f(middle) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def wet_bulb(t, humidity, p):
    """Above freezing."""
    ratio, c = ratio_of(humidity * saturation_pressure(t), p), t - KELVIN

    def miss(wet):
        w = wet - KELVIN
        return ((2501.0 - 2.326 * w) * saturation_ratio(wet, p) - 1.006 * (c - w)) / (2501.0 + 1.86 * c - 4.186 * w) - ratio

    return bisected(miss, KELVIN, t)


# Cooling towers.

def counterflow(ntu, cr):
    if abs(1.0 - cr) < 1e-7:
        return ntu / (1.0 + ntu)
    e = math.exp(-ntu * (1.0 - cr))
    return (1.0 - e) / (1.0 - cr * e)


def tower_pass(t_in, wet, rate, air, p, ua):
    """Heat of the pass with variable conductance: air as a gas of the mean specific heat along saturation."""
    def heat(wet_out):
        span = wet_out - wet
        if abs(span) < 1e-3:
            wet_out, span = wet + 1e-3, 1e-3
        cp = (saturated_enthalpy(wet_out, p) - saturated_enthalpy(wet, p)) / span
        least, most = sorted((rate, air * cp))
        return counterflow(ua * cp / AIR_CP / least, least / most) * least * (t_in - wet), air * cp

    def excess(wet_out):
        q, flow = heat(wet_out)
        return (wet_out - wet) - q / flow

    low, high = min(wet, t_in), max(wet, t_in)
    return heat(bisected(excess, low, high))[0]


def merkel(item, cp, p, t_in, wet, m, speed, number):
    a, w = max(speed, number(item, "free_convection", 0.1)), m / number(item, "flow")
    air_flow, design_wet = number(item, "air_flow"), number(item, "t_wet_bulb", 298.75)

    def dry_air(at, pressure):
        return air_flow * dry_air_density(at, saturation_ratio(at, pressure), pressure)

    ua = number(item, "ua", 0.0)
    if ua == 0.0:
        span, approach, sea = number(item, "range", 5.56), number(item, "approach", 3.89), 101325.0
        rate = number(item, "flow") * cp
        ua = math.exp(bisected(lambda x: tower_pass(design_wet + approach + span, design_wet, rate, dry_air(design_wet, sea), sea, math.exp(x)) - rate * span,
                               math.log(1.0), math.log(1e10)))
    w = min(w, 1.667 / (2.0 * 0.7713))
    ua *= (1.0 + 0.0081 * (design_wet - wet)) * (1.3 * a - 0.3 * a * a) * (0.1082 + 1.667 * w - 0.7713 * w * w)
    return tower_pass(t_in, wet, m * cp, a * dry_air(wet, p), p, ua)


# YorkCalc, EnergyPlus: by liquid-to-gas ratio, range and wet bulb, each to the powers 0 to 2.
YORKCALC = (-0.359741205, -0.055053608, 0.0023850432, 0.173926877, -0.0248473764, 0.00048430224, -0.005589849456, 0.0005770079712, -1.342427256e-5,
            2.84765801111111, -0.121765149, 0.0014599242, 1.680428651, -0.0166920786, -0.0007190532, -0.025485194448, 4.87491696e-5, 2.719234152e-5,
            -0.0653766255555556, -0.002278167, 0.0002500254, -0.0910565458, 0.00318176316, 3.8621772e-5, -0.0034285382352, 8.56589904e-6, -1.516821552e-6)


def york_range(span, wet, w, a):
    """Range where the water enters `span` above the wet bulb."""
    wet, ratio = min(max(wet - KELVIN, -34.4), 26.7), min(w / a, 8.0)

    def reach(r):
        terms = [ratio ** i * r ** j * wet ** k for i in range(3) for j in range(3) for k in range(3)]
        return r + max(sum(c * x for c, x in zip(YORKCALC, terms)), 0.0)

    for end, beyond in ((1.1, span <= reach(1.1)), (22.2, span >= reach(22.2))):
        if beyond:
            return end / reach(end) * span
    return bisected(lambda r: reach(r) - span, 1.1, 22.2)


def yorkcalc(item, cp, t_in, wet, m, speed, number):
    still, w = number(item, "free_convection", 0.1), m / number(item, "flow")
    r = york_range(t_in - wet, wet, w, max(speed, still))
    if speed < still:
        s = speed / still
        r = (1.0 - s) * still * york_range(t_in - wet, wet, w, 1.0) + s * r
    return m * cp * r


def evaporation(heat, air, wet, t_in, ratio, p, most):
    """Water that `air` takes up which leaves saturated, no warmer than the water that enters."""
    leaving = min(saturated_enthalpy(wet, p) + heat / air, saturated_enthalpy(max(t_in, wet), p))
    t = bisected(lambda x: saturated_enthalpy(x, p) - leaving, 230.0, 370.0)
    return min(max(air * (saturation_ratio(t, p) - ratio), 0.0), most)


# Chillers.

def biquadratic(c, x, y):
    return c[0] + c[1] * x + c[2] * x * x + c[3] * y + c[4] * y * y + c[5] * x * y


class Curves:
    def __init__(self, item, number):
        self.capacity, self.input, self.part = ([float(v) for v in item[f"{key}_curve"]] for key in ("capacity", "input", "part_load"))
        margin = number(item, "extrapolation_margin", 2.0)
        self.ranges = [tuple(float(v.split()[0]) - KELVIN + s * margin for v, s in zip(item[f"{side}_range"], (-1.0, 1.0))) for side in ("evaporator", "condenser")]

    def at(self, coefficients, leaving, condenser):
        x, y = (min(max(t - KELVIN, low), high) for t, (low, high) in zip((leaving, condenser), self.ranges))
        return biquadratic(coefficients, x, y)

    def power(self, item, number, heat, leaving, condenser):
        available = number(item, "capacity") * self.at(self.capacity, leaving, condenser)
        r, least = heat / available, number(item, "minimum_load", 0.0)
        cycling = min(r / least, 1.0) if least > 0.0 else 1.0
        held = max(r, number(item, "unloading_limit", 0.0), least)
        part = sum(b * held ** k for k, b in enumerate(self.part))
        return available / number(item, "cop", 5.0) * self.at(self.input, leaving, condenser) * part * cycling


def chiller_power(item, number, heat, leaving, condenser):
    law = item.get("cop_law", "carnot")
    if heat <= 0.0:
        return 0.0
    if law == "eir":
        return Curves(item, number).power(item, number, heat, leaving, condenser)
    if law == "constant":
        return heat / number(item, "cop", 5.0)
    set_point = number(item, "set_point")
    lift = max(condenser + number(item, "condenser_approach", 15.0) - set_point, number(item, "minimum_lift", 10.0))
    power = heat / min(number(item, "carnot_fraction", 0.55) * set_point / lift, number(item, "cop_max", 12.0))
    fans = 0.0 if "condenser" in item else number(item, "fan_fraction", 0.04)
    return power + fans * (heat + power)


def chiller_most(item, number, leaving, condenser):
    """Heat that it takes at most."""
    if item.get("cop_law", "carnot") != "eir":
        return number(item, "capacity")
    curves = Curves(item, number)
    return number(item, "maximum_load", 1.0) * number(item, "capacity") * curves.at(curves.capacity, leaving, condenser)


# Racks.

SHELF_EFFICIENCY = ((0.1, 0.94), (0.2, 0.962), (0.5, 0.975), (0.75, 0.972), (1.0, 0.966))


def shelf_efficiency(load):
    points = SHELF_EFFICIENCY
    if load <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if load <= x1:
            return y0 + (y1 - y0) * (load - x0) / (x1 - x0)
    return points[-1][1]
