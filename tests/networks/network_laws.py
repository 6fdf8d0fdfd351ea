"""Pressure drop against flow of every class, and properties of coolant, written anew from the pages of the classes: nothing here is
shared with the program. SI units; m in kg/s from inlet to outlet, pressure in Pa.
"""
import bisect
import math

from pod_text import number, points

BAR, KV_DENSITY = 1e5, 1000.0   # of Kv: IEC 60534
LINEAR_SHARE = 1e-3             # of a stated flow; below it a resistance is linear with a C1 join
CREEPING = 1.0                  # Reynolds number below which a bore without a length is
REVERSE = 1e8                   # Pa s/kg of a pump's non-return valve in reverse
LIMITER = 1e11                  # Pa, of a flow limiter
LEAST_SLOPE = 1e-3              # Pa s/kg
SLOWEST = 0.05                  # of full speed, of a pump's table

# IAPWS-IF97 region 1: (I, J, n), and the viscosity of liquid water at 0.1 MPa of IAPWS SR6-08.
IF97 = ((0, -2, 0.14632971213167), (0, -1, -0.84548187169114), (0, 0, -3.756360367204), (0, 1, 3.3855169168385),
        (0, 2, -0.95791963387872), (0, 3, 0.15772038513228), (0, 4, -0.016616417199501), (0, 5, 0.00081214629983568),
        (1, -9, 0.00028319080123804), (1, -7, -0.00060706301565874), (1, -1, -0.018990068218419), (1, 0, -0.032529748770505),
        (1, 1, -0.021841717175414), (1, 3, -5.283835796993e-05), (2, -3, -0.00047184321073267), (2, 0, -0.00030001780793026),
        (2, 1, 4.7661393906987e-05), (2, 3, -4.4141845330846e-06), (2, 17, -7.2694996297594e-16), (3, -4, -3.1679644845054e-05),
        (3, 0, -2.8270797985312e-06), (3, 6, -8.5205128120103e-10), (4, -5, -2.2425281908e-06), (4, -2, -6.5171222895601e-07),
        (4, 10, -1.4341729937924e-13), (5, -8, -4.0516996860117e-07), (8, -11, -1.2734301741641e-09), (8, -6, -1.7424871230634e-10),
        (21, -29, -6.8762131295531e-19), (23, -31, 1.4478307828521e-20), (29, -38, 2.6335781662795e-23),
        (30, -39, -1.1947622640071e-23), (31, -40, 1.8228094581404e-24), (32, -41, -9.3537087292458e-26))
WATER_R = 461.526  # J/(kg K)
CONDUCTIVITY = ((1.6630, -1.15), (-1.7781, -3.4), (1.1567, -6.0), (-0.432115, -7.6))   # of liquid water at 0.1 MPa, IAPWS SR6-08
VISCOSITY = ((280.68, -1.9), (511.45, -7.7), (61.131, -19.6), (0.45903, -40.0))


class Water:
    """Liquid water at atmospheric pressure; its data end 0.1 K short of boiling, and hold from there on."""
    HIGH = 373.0243

    def __init__(self, pressure=101325.0):
        self.pi = pressure / 16.53e6
        self.pressure = pressure

    def _sum(self, t, by_pi, by_tau):
        tau, total = 1386.0 / min(t, self.HIGH), 0.0
        a, b = 7.1 - self.pi, tau - 1.222
        for i, j, n in IF97:
            x = n * (-i * a ** (i - 1) if by_pi and i else 0.0 if by_pi else a ** i)
            y = b ** j if by_tau == 0 else j * b ** (j - 1) if by_tau == 1 else j * (j - 1) * b ** (j - 2)
            total += x * y
        return total

    def enthalpy(self, t):
        return WATER_R * 1386.0 * self._sum(t, False, 1) + max(t - self.HIGH, 0.0) * self.specific_heat(self.HIGH)

    def specific_heat(self, t):
        return -WATER_R * (1386.0 / min(t, self.HIGH)) ** 2 * self._sum(t, False, 2)

    def density(self, t):
        return self.pressure / (WATER_R * min(t, self.HIGH) * self.pi * self._sum(t, True, 0))

    def viscosity(self, t):
        return 1e-6 * sum(a * (min(t, self.HIGH) / 300.0) ** b for a, b in VISCOSITY)

    def conductivity(self, t):
        return sum(a * (min(t, self.HIGH) / 300.0) ** b for a, b in CONDUCTIVITY)


class Stated:
    """A fluid of stated, constant properties."""

    def __init__(self, fluid):
        self.rho, self.mu, self.cp, self.k = (float(fluid[key].split()[0]) for key in ("density", "viscosity", "specific_heat", "conductivity"))

    def enthalpy(self, t):
        return self.cp * (t - 273.15)

    def specific_heat(self, _):
        return self.cp

    def density(self, _):
        return self.rho

    def viscosity(self, _):
        return self.mu

    def conductivity(self, _):
        return self.k


def power(k, n, join, m):
    """k |m|^(n-1) m, linear with a C1 join below `join`."""
    a = abs(m)
    if a >= join and a > 0.0:
        return k * a ** (n - 1.0) * m
    r = a / join if join > 0.0 else 0.0
    return k * join ** (n - 1.0) * m * (0.5 * (3.0 - n) + 0.5 * (n - 1.0) * r * r)


def turbulent(law, re, rough):
    if law in ("swamee_jain", "epanet"):
        return 0.25 / math.log10(rough / 3.7 + 5.74 / re ** 0.9) ** 2
    if law == "haaland":
        return (-1.8 * math.log10((rough / 3.7) ** 1.11 + 6.9 / re)) ** -2
    constant, x = (3.71 if law == "colebrook_371" else 3.7), 5.0
    for _ in range(200):  # successive substitution of 1/sqrt(f)
        new = -2.0 * math.log10(rough / constant + 2.51 * x / re)
        if abs(new - x) <= 1e-14 * x:
            break
        x = new
    return 1.0 / new ** 2


def friction_factor(law, re, rough):
    if law == "nikuradse":
        return 64.0 / re + (0.25 / math.log10(rough / 3.71) ** 2 if rough > 0.0 else 0.0)
    if re < 2000.0:
        return 64.0 / re
    if re >= 4000.0:
        return turbulent(law, re, rough)
    # The turbulent end and its slope by a central difference of high order.
    h, f = 1.0, lambda x: turbulent(law, x, rough)
    end = f(4000.0)
    slope = (8.0 * (f(4000.0 + h) - f(4000.0 - h)) - (f(4000.0 + 2 * h) - f(4000.0 - 2 * h))) / (12.0 * h)
    if law == "epanet":
        fa, fb = end, 2.0 * end + 4000.0 * slope
        r = re / 2000.0
        return (7.0 * fa - fb) + r * ((0.128 - 17.0 * fa + 2.5 * fb) + r * ((-0.128 + 13.0 * fa - 2.0 * fb) + r * (0.032 - 3.0 * fa + 0.5 * fb)))
    # f Re^2: Hermite cubic between 64 Re and the turbulent side.
    s = (re - 2000.0) / 2000.0
    y0, d0 = 64.0 * 2000.0, 64.0 * 2000.0
    y1, d1 = end * 4000.0 ** 2, (2.0 * end * 4000.0 + slope * 4000.0 ** 2) * 2000.0
    value = (y0 * (1 + 2 * s) * (1 - s) ** 2 + d0 * s * (1 - s) ** 2 + y1 * s * s * (3 - 2 * s) + d1 * s * s * (s - 1))
    return value / re ** 2


class Table:
    """Monotone piecewise cubic of the logarithms of drop against flow."""

    def __init__(self, pairs):
        self.m, self.dp = [p[0] for p in pairs], [p[1] for p in pairs]
        self.x, self.y = [math.log(m) for m in self.m], [math.log(dp) for dp in self.dp]
        n = len(pairs)
        h = [self.x[k + 1] - self.x[k] for k in range(n - 1)]
        s = [(self.y[k + 1] - self.y[k]) / h[k] for k in range(n - 1)]
        self.d = [2.0] * n
        if n > 1:
            self.d[0], self.d[-1] = min(s[0], 2.9), s[-1]
            for k in range(1, n - 1):
                a, b = 2.0 * h[k] + h[k - 1], h[k] + 2.0 * h[k - 1]
                self.d[k] = (a + b) / (a / s[k - 1] + b / s[k])

    def drop(self, m):
        a = abs(m)
        if a <= self.m[0]:
            return power(self.dp[0] / self.m[0] ** self.d[0], self.d[0], self.m[0], m)
        x = math.log(a)
        if a >= self.m[-1]:
            y = self.y[-1] + self.d[-1] * (x - self.x[-1])
        else:
            k = bisect.bisect_right(self.x, x) - 1
            h = self.x[k + 1] - self.x[k]
            t = (x - self.x[k]) / h
            y = (self.y[k] * (1 + 2 * t) * (1 - t) ** 2 + h * self.d[k] * t * (1 - t) ** 2 +
                 self.y[k + 1] * t * t * (3 - 2 * t) + h * self.d[k + 1] * t * t * (t - 1))
        return math.copysign(math.exp(y), m)


class Body:
    """Fully open valve by Kv, or by a drop at a flow."""

    def __init__(self, item, rho):
        kv = number(item, "kv")
        if kv is not None:
            self.k = BAR / (kv * kv * rho * KV_DENSITY)
        else:
            self.k = number(item, "dp") / (number(item, "flow") * rho) ** 2
        self.full = math.sqrt(BAR / self.k)

    def drop(self, m):
        return power(self.k, 2.0, LINEAR_SHARE * self.full, m)

    def leak(self, item):
        return BAR / (number(item, "leakage", 1e-6) * self.full)


def kv_drop(kv, rho, m):
    full = kv * math.sqrt(rho * KV_DENSITY)
    return power(BAR / full ** 2, 2.0, LINEAR_SHARE * full, m)


def nominal(item, rho, m, dp="dp", flow="flow", exponent=2.0, per_mass=False, modules=1.0):
    m0 = number(item, flow) * (1.0 if per_mass else rho) * modules
    return power(number(item, dp) / m0 ** exponent, exponent, LINEAR_SHARE * m0, m)


def pipe(item, rho, mu, friction, m):
    d, length, count = number(item, "diameter"), number(item, "length"), number(item, "count", 1.0)
    area = count * math.pi * d * d / 4.0
    dynamic = 0.5 / (rho * area ** 2)
    re = abs(m) * d / (area * mu)
    if length == 0.0:
        return power(dynamic * number(item, "minor_loss", 0.0), 2.0, CREEPING * area * mu / d, m)
    f = friction_factor(friction, re, number(item, "roughness", 4.5e-5) / d) if re > 0.0 else 0.0
    return (f * length / d + number(item, "minor_loss", 0.0)) * dynamic * abs(m) * m


def bore(item, rho, mu, m):
    d = number(item, "diameter")
    area = math.pi * d * d / 4.0
    return power(number(item, "loss_coefficient") / (2.0 * rho * area ** 2), 2.0, CREEPING * area * mu / d, m)


def resistance(item, rho, mu, m):
    factor = number(item, "clogging", 1.0)
    if "dp_curve" in item:
        return factor * Table([(q * rho, dp) for q, dp in points(item, "dp_curve")]).drop(m)
    if "loss_coefficient" in item:
        return factor * bore(item, rho, mu, m)
    return factor * nominal(item, rho, m, exponent=number(item, "exponent", 2.0))


def rack(item, rho, m):
    """Through two published points of the whole, all of it clean."""
    low, high = number(item, "dp_flow_low") * rho, number(item, "dp_flow_high") * rho
    n = math.log(number(item, "dp_high") / number(item, "dp_low")) / math.log(high / low)
    return power(number(item, "dp_high") / high ** n, n, LINEAR_SHARE * high, m)


def opening(item, x):
    leakage = number(item, "leakage", 0.001)
    if item.get("characteristic", "equal_percentage") == "linear":
        g = x
    else:
        r = number(item, "rangeability", 50.0)
        g = r ** (x - 1.0) - (1.0 - x) / r
    return leakage + (1.0 - leakage) * g


def balancing_kv(item, setting):
    if "kv_curve" not in item:
        return number(item, "kv") * setting
    curve = points(item, "kv_curve")
    for (x0, y0), (x1, y1) in zip(curve, curve[1:]):
        if x0 <= setting <= x1:
            return y0 + (y1 - y0) * (setting - x0) / (x1 - x0)
    raise ValueError("setting beyond the scale")


def held_back(body, leak, held, m):
    return min(leak * m, held + body.drop(m)) if m >= 0.0 else leak * m


def quadratic(curve):
    """Coefficients of the head by volume flow: two points with zero slope at shut-off, else least squares."""
    if len(curve) == 2:
        (q0, h0), (q1, h1) = curve
        c = (h1 - h0) / (q1 ** 2 - q0 ** 2)
        return h0 - c * q0 ** 2, 0.0, c
    scale = curve[-1][0]
    rows = [(1.0, q / scale, (q / scale) ** 2) for q, _ in curve]
    a = [[sum(r[i] * r[k] for r in rows) for k in range(3)] for i in range(3)]
    b = [sum(r[i] * h for r, (_, h) in zip(rows, curve)) for i in range(3)]

    def det(x):
        return (x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) - x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]))

    def solved(k):
        return det([[b[i] if j == k else a[i][j] for j in range(3)] for i in range(3)]) / det(a)

    return solved(0), solved(1) / scale, solved(2) / scale ** 2


def pump(item, rho, speed, m):
    """Pressure drop from suction to discharge: minus the head."""
    curve = points(item, "head_curve")
    if m < 0.0 and item.get("check_valve", "true") == "true":
        resisted = REVERSE * m
    else:
        resisted = None
    if item.get("head_form") == "table":
        w = max(speed, SLOWEST)
        falls = Table([(q * rho, curve[0][1] - h) for q, h in curve[1:]])
        own = w * w * falls.drop(m / w) if resisted is None else resisted
        return own - curve[0][1] * speed ** 2
    a, b, c = quadratic(curve)
    if abs(c) * curve[-1][0] ** 2 < 1e-9 * a:
        c = 0.0
    k, b = -c / rho ** 2, b / rho * speed
    join = LINEAR_SHARE * curve[-1][0] * rho
    crest = max(b / (2.0 * k), join) if b > 0.0 and k > 0.0 else 0.0
    head_0 = a * speed ** 2
    if m >= crest:
        return (power(k, 2.0, join, m) if resisted is None else resisted) - head_0 - b * m
    # Held at its crest, but for a slope of 1e-3 Pa s/kg.
    held = -(head_0 + (b - k * crest) * crest) + LEAST_SLOPE * (max(m, 0.0) - crest)
    if m >= 0.0:
        return held
    return held + (power(k, 2.0, join, m) if resisted is None else resisted)


def pump_efficiency(item, speed, m, rho):
    if "efficiency_curve" not in item:
        return number(item, "efficiency", 0.7)
    curve = points(item, "efficiency_curve")
    # Water that seeps back through the non-return valve is no flow, at which the power goes on: that of next to none.
    q = max(m, 1e-9 * rho * curve[0][0] * speed) / rho / speed if speed > 0.0 else 0.0
    if q <= curve[0][0]:
        value = curve[0][1] * q / curve[0][0]
    elif q >= curve[-1][0]:
        value = curve[-1][1]
    else:
        k = bisect.bisect_right([x for x, _ in curve], q) - 1
        (x0, y0), (x1, y1) = curve[k], curve[k + 1]
        value = y0 + (y1 - y0) * (q - x0) / (x1 - x0)
    return value * number(item, "motor_efficiency", 1.0) * number(item, "drive_efficiency", 1.0)


# Heat.

def counterflow(ntu, cr):
    if abs(1.0 - cr) < 1e-9:
        return ntu / (1.0 + ntu)
    e = math.exp(-ntu * (1.0 - cr))
    return (1.0 - e) / (1.0 - cr * e)


def parallel_flow(ntu, cr):
    return (1.0 - math.exp(-ntu * (1.0 + cr))) / (1.0 + cr)


def crossflow(ntu, cr):
    """Both unmixed, approximate: Incropera."""
    return 1.0 - math.exp(ntu ** 0.22 / cr * (math.exp(-cr * ntu ** 0.78) - 1.0))


def pipe_loss(item):
    """Conductance to the surroundings [W/K]."""
    d, length, count = number(item, "diameter"), number(item, "length"), number(item, "count", 1.0)
    if "loss" in item:
        return number(item, "loss")
    if "loss_per_area" in item:
        return number(item, "loss_per_area") * count * math.pi * d * length
    film = number(item, "outer_film", 0.0)
    if film == 0.0:
        return 0.0
    bare = d + 2.0 * number(item, "wall_thickness", 0.0)
    outer = bare + 2.0 * number(item, "insulation_thickness", 0.0)
    return count * length / (math.log(outer / bare) / (2.0 * math.pi * 0.04) + 1.0 / (film * math.pi * outer))


def gnielinski(re, pr):
    f = (1.8 * math.log10(re) - 1.5) ** -2
    return f / 8.0 * re * pr / (1.0 + 12.7 * math.sqrt(f / 8.0) * (pr ** (2.0 / 3.0) - 1.0))


def inner_film(item, mu, cp, conductivity, m):
    """Conductance from coolant to wall [W/K], the whole pipe."""
    d, length, count = number(item, "diameter"), number(item, "length"), number(item, "count", 1.0)
    area = count * math.pi * d * length
    if "inner_film" in item:
        return number(item, "inner_film") * area
    re, pr = abs(m) * d / (count * math.pi * d * d / 4.0 * mu), mu * cp / conductivity
    if re <= 2300.0:
        nu = 3.66
    elif re >= 4000.0:
        nu = gnielinski(re, pr)
    else:
        nu = 3.66 + (re - 2300.0) / 1700.0 * (gnielinski(4000.0, pr) - 3.66)
    return nu * conductivity / d * area
