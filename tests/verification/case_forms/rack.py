"""The flow, pressure and temperatures of a rack."""
import os
import re

from .case import Failed, ZERO_CELSIUS, known, label_values
from .files import read_last, write_pod, write_scenario


def is_rack_table(case):
    return case.scenarios() <= {"table", "implied"} and bool(re.search(r"\d kW nameplate", case.problem)) and \
        all("T_in" in label_values(row["object"]) for row in case.rows)


def rack_table(case):
    """The default rack at nameplate power: the flow required at each supply temperature, and what it needs."""
    power = float(re.search(r"([\d.]+) kW nameplate", case.problem).group(1)) * 1e3
    heat_per_volume = float(re.search(r"= ([\d.]+) MJ/m3K", case.problem).group(1)) * 1e6  # J/(m3 K)
    points = {}

    def settled(t_in, number, mass_flow):
        pod = write_pod(case, f"pod-{number}", "One rack between two boundaries", circuits={"tcs": "{fluid: water}"},
                        nodes={"supply": f"{{pressure: 300 kPa, "
                                         f"temperature: {t_in!r} degC}}", "return": "{volume: 1 L}",
                               "sink": f"{{pressure: 100 kPa, temperature: {t_in!r} degC}}"},
                        equipment={"rack": "{class: rack, from: supply, to: return}",
                                   "flow": f"{{class: fixed_flow, from: return, to: sink, flow: {mass_flow!r} kg/s}}"})
        # Half a minute fills the supply manifold several times over; no chip is hot enough to be throttled by then.
        scenario = write_scenario(case, f"scenario-{number}", pod, 30.0, record=["rack"], period=30.0,
                                  workload={"kind": "constant", "rack_power": f"{power!r} W"})
        case.run("run", scenario, "-o", f"{number}.h5", "--force", "--quiet")
        path = os.path.join(case.keep, f"{number}.h5")
        found = {name: read_last(path, "rack", name)["rack"]
                 for name in ("flow_required", "dp", "flow", "power", "heat")}
        if abs(found["power"] - power) > 1e-3 * power:
            raise Failed(f"the rack draws {found['power']} W in place of {power} W")
        return found

    for number, t_in in enumerate(sorted({label_values(row["object"])["T_in"] for row in case.rows}), 1):
        first = settled(t_in, 2 * number, 2.0)
        density = case.ask([f"water density {t_in + ZERO_CELSIUS!r} 4e5"])[0][0]
        at = settled(t_in, 2 * number + 1, first["flow_required"] * density)
        points[t_in] = {"flow": first["flow_required"], "pressure_drop": at["dp"],
                        "outlet_temperature": t_in + at["heat"] / (heat_per_volume * at["flow"])}
    return [known(points[label_values(row["object"])["T_in"]], row["quantity"]) for row in case.rows]


FORMS = [(is_rack_table, rack_table)]
