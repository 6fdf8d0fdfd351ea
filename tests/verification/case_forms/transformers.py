"""Oil and winding of a transformer under a load that changes."""
import math
import os

from .case import ZERO_CELSIUS, NotUnderstood, known
from .files import read_recorded, row_times, write_pod, write_scenario

MINUTE = 60.0  # s; time constants and profile are in minutes
RATING = 1e6   # VA; only the load over it matters


def is_loading_guide(case):
    return case.has("theta_a", "dtheta_or", "g", "H", "R", "x", "y", "tau_o", "tau_w", "k11", "k21", "k22",
                    "profile_until_min_K")


def loading_guide(case):
    d = case.inputs
    profile = [(MINUTE * until, load) for until, load in d["profile_until_min_K"]]
    transformer = (f"{{class: transformer, from: mv, to: lv, rating: {RATING!r} VA, power_factor: 1, "
                   f"thermal_model: iec_60076_7, rated_top_oil_rise: {d['dtheta_or']!r} K, "
                   f"hot_spot_gradient: {d['g']!r} K, hot_spot_factor: {d['H']!r}, loss_ratio: {d['R']!r}, "
                   f"oil_exponent: {d['x']!r}, winding_exponent: {d['y']!r}, "
                   f"oil_time_constant: {MINUTE * d['tau_o']!r} s, winding_time_constant: {MINUTE * d['tau_w']!r} s, "
                   f"k11: {d['k11']!r}, k21: {d['k21']!r}, k22: {d['k22']!r}, "
                   f"initial_top_oil_temperature: {d['theta_a'] + d.get('dtheta_o_init', 0.0)!r} degC}}")
    pod = write_pod(case, "pod", "A transformer and its load", equipment={
        "grid": "{class: utility, to: mv, rating: 1 GW}", "transformer": transformer,
        "load": f"{{class: electrical_load, power: {RATING * profile[0][1]!r} W, supply: lv}}"})
    times = row_times(case)
    if not times:
        raise NotUnderstood("no row has a time")
    # A load holds until its time, the last one on; rows stand at multiples of one period.
    events = [f"{{at: {at!r} s, target: load, do: set, with: {{power: {RATING * load!r} W}}}}"
              for (at, _), (_, load) in zip(profile, profile[1:]) if at < max(times)]
    period = math.gcd(*(round(1e3 * time) for time in times)) / 1e3
    scenario = write_scenario(case, "scenario", pod, max(times), d["theta_a"], ["transformer"], period,
                              **({"events": events} if events else {}))
    case.run("run", scenario, "-o", "run.h5", "--force", "--quiet")
    result, out = os.path.join(case.keep, "run.h5"), []
    signals = {"top_oil": "t_top_oil", "hot_spot": "t_hot_spot"}
    for row in case.rows:
        place = round(float(row["time_s"]) / period)
        values = read_recorded(result, "transformer", known(signals, row["quantity"]), place)
        out.append(values["transformer"] - ZERO_CELSIUS)
    return out


FORMS = [(is_loading_guide, loading_guide)]
