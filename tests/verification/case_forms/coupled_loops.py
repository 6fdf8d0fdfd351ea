"""Two hydraulic loops, given as EPANET files in SI units, that meet in a plate exchanger."""
import math
import os
import re

from .case import NotUnderstood, ZERO_CELSIUS, known
from .epanet import sections
from .files import read_table, write_pod
from .hydraulics import pump_text

DESIGN = {"rack_power": "0 kW", "weather": "{dry_bulb: 20 degC, relative_humidity: 40 %}"}
LITRE = 1e-3  # m3
# The engine's minor losses are 0.02517 K Q^2/d^4 in feet; 8/(pi^2 g) at its own g of 32.2 ft/s2 is a little more.
ENGINE_GRAVITY = 32.2 * 0.3048  # m/s2
LOSS_SCALE = 0.02517 / (8.0 / (math.pi ** 2 * 32.2))
BEHIND = 1e-3  # share of a pipe that lies behind what gives heat to it
SIDES = ("secondary", "primary")


def is_coupled(case):
    return case.has("hA_h", "hA_c", "ms0", "mp0", "n_exp", "T_ps", "q", "scenarios") and \
        all(os.path.exists(os.path.join(case.folder, f"{side}_base.inp")) for side in SIDES)


class Loop:
    """One EPANET file as elements of a pod."""

    def __init__(self, case, side):
        self.side, letter = side, side[0]
        self.s = sections(os.path.join(case.folder, f"{side}_base.inp"))
        options = {" ".join(words[:-1]).upper(): words[-1].upper() for words in self.s["OPTIONS"]}
        if options.get("UNITS") != "LPS" or options.get("HEADLOSS") != "D-W" or self.s.get("VALVES"):
            raise NotUnderstood(f"{side}: only Darcy-Weisbach networks in L/s without valves are read")
        self.rho, self.cp, self.nu = (case.inputs[f"{name}_{letter}"] for name in ("rho", "cp", "nu"))
        self.weight = self.rho * ENGINE_GRAVITY
        (self.reservoir, head), = self.s["RESERVOIRS"]
        self.pressure = self.weight * float(head)
        self.pipes = {}
        for name, start, end, length, diameter, roughness, minor, state in self.s["PIPES"]:
            if state.upper() != "OPEN":
                raise NotUnderstood(f"pipe {name} of status {state}")
            self.pipes[name] = {"from": start, "to": end, "length": float(length), "diameter": float(diameter) * 1e-3,
                                "roughness": float(roughness) * 1e-3, "minor": float(minor) * LOSS_SCALE}

    def node(self, name):
        return f"{self.side[0]}-{name}"

    def circuit(self, held):
        fluid = (f"{{density: {self.rho!r} kg/m3, viscosity: {self.rho * self.nu!r} Pa.s, "
                 f"specific_heat: {self.cp!r} J/(kg.K)}}")
        return f"{{fluid: {fluid}" + ("}" if held else f", reference: {{node: {self.node(self.reservoir)}, "
                                                       f"pressure: {self.pressure!r} Pa}}}}")

    def pipe(self, name, start, end, share, minor):
        p = self.pipes[name]
        return (f"{{class: pipe, from: {start}, to: {end}, length: {p['length'] * share!r} m, "
                f"diameter: {p['diameter']!r} m, roughness: {p['roughness']!r} m, minor_loss: {minor!r}, cells: 1")

    def elements(self, closed, extra, inserted, flows):
        """Pipes and pumps; `inserted` pipes give or take heat near their ends: {pipe: nodes before and behind}. With
        flows each pump gives its flow and no heat."""
        found = {}
        for name, p in self.pipes.items():
            start, end = self.node(p["from"]), self.node(p["to"])
            minor = p["minor"] + extra.get(name, 0.0)
            shut = ", in_service: false}" if name in closed else "}"
            before, behind = inserted.get(name, (None, None))
            if before is None:
                found[name] = self.pipe(name, start, end, 1.0, minor) + shut
                continue
            found[name] = self.pipe(name, start, before, 1.0 - BEHIND, minor) + shut
            found[f"{name}-behind"] = self.pipe(name, behind, end, BEHIND, 0.0) + shut
        for name, start, end, *rest in self.s["PUMPS"]:
            ends = f"from: {self.node(start)}, to: {self.node(end)}"
            if flows is not None:
                found[name] = f"{{class: fixed_flow, {ends}, flow: {flows[name] * self.rho!r} kg/s}}"
            else:
                shut = ", in_service: false" if name in closed else ""
                found[name] = f"{{class: pump, {ends}, {pump_text(self.curve(rest), self.weight)}{shut}}}"
        return found

    def curve(self, words):
        if len(words) != 4 or words[0].upper() != "HEAD" or words[2].upper() != "SPEED":
            raise NotUnderstood("pump " + " ".join(words))
        (q0, h0), (q1, h1), (q2, h2) = [(float(w[1]) * LITRE, float(w[2])) for w in self.s["CURVES"]
                                        if w[0] == words[1]]
        exponent = math.log((h0 - h2) / (h0 - h1)) / math.log(q2 / q1)
        if q0 != 0.0 or abs(exponent - 2.0) > 1e-6:
            raise NotUnderstood(f"pump curve {words[1]} of exponent {exponent}")
        return {"H0_m": h0, "a_m_per_m3s2": (h0 - h1) / q1 ** 2, "speed": float(words[3])}


def solved(case, label, loops, changes, flows):
    """Tables of the pod of one scenario; with flows it is the one whose pumps give no heat."""
    d = case.inputs
    hot, cold = loops
    valve = re.search(r"loss coefficient added to pipe (\w+)", case.problem)
    if not valve:
        raise NotUnderstood("the problem does not say which pipe the valve is in")
    base = next(iter(d["scenarios"].values()))["valve_K"]  # that of the files
    racks = [f"RK{number}" for number in range(1, len(d["q"]) + 1)]
    closed = {racks[number - 1] for number in changes["closed"]} | (set() if changes["second_pump"] else {"SP2"})
    nodes = {cold.node(cold.reservoir): f"{{pressure: {cold.pressure!r} Pa, temperature: {d['T_ps']!r} degC}}"}
    inserted = {name: (hot.node(name), hot.node(name)) for name in racks}
    equipment = hot.elements(closed, {}, {**inserted, "HXs": ("s-hx-in", "s-hx-out")}, flows)
    equipment.update(cold.elements(closed, {valve.group(1): changes["valve_K"] - base},
                                   {"HXp": ("p-hx-in", "p-hx-out")}, flows))
    equipment["hx"] = (
        f"{{class: plate_heat_exchanger, hot: [s-hx-in, s-hx-out], cold: [p-hx-in, p-hx-out], "
        f"ua: {1.0 / (1.0 / d['hA_h'] + 1.0 / d['hA_c'])!r} W/K, film_ratio: {d['hA_h'] / d['hA_c']!r}, "
        f"hot_exponent: {d['n_exp']!r}, cold_exponent: {d['n_exp']!r}, hot_flow: {d['ms0']!r} kg/s, "
        f"cold_flow: {d['mp0']!r} kg/s}}")
    for name, heat in zip(racks, d["q"]):
        if name not in closed:
            equipment[f"heat-{name}"] = f"{{class: heat_source, power: {heat!r} W, to: {hot.node(name)}}}"
    pod = write_pod(case, f"pod-{label}", "Two loops and a plate exchanger",
                    physics={"gravity": f"{ENGINE_GRAVITY!r} m/s2", "friction": "epanet"}, nodes=nodes,
                    circuits={"secondary": hot.circuit(False), "primary": cold.circuit(True)}, equipment=equipment,
                    design=DESIGN)
    case.run("steady", pod, "--csv", "steady")
    names = ("node", "pipe", "heat_exchanger", "pump" if flows is None else "fixed_flow")
    return {name: read_table(case, name) for name in names}


def coupled(case):
    loops = [Loop(case, side) for side in SIDES]
    values = {}
    for number, name in enumerate(sorted(case.scenarios())):
        changes = known(case.inputs["scenarios"], name)
        # Pumps warm their coolant, and the case's do not: a second pod has their flows in their place.
        wet = solved(case, f"{number}-pumps", loops, changes, None)
        flows = {i: row["flow"] for i, row in wet["pump"].items()}
        dry = solved(case, f"{number}-flows", loops, changes, flows)
        hx = dry["heat_exchanger"]["hx"]
        t = {i: row["t"] - ZERO_CELSIUS for i, row in dry["node"].items()}
        values.update({(name, "hx", "UA"): hx["ua"], (name, "hx", "duty"): hx["heat"],
                       (name, "hx", "TCS_supply"): t["s-hx-out"], (name, "hx", "TCS_return"): t["s-hx-in"],
                       (name, "hx", "primary_return"): t["p-hx-out"]})
        for i, row in {**wet["pipe"], **wet["pump"]}.items():
            values[name, i, "volume_flow"] = row["flow"]
        for i, kelvin in t.items():
            values[name, i.split("-", 1)[1], "outlet_temperature"] = kelvin
        for i, row in wet["node"].items():
            values[name, i.split("-", 1)[1], "gauge_pressure"] = row["p"]
    return [known(values, (row["scenario"], row["object"], row["quantity"])) for row in case.rows]


FORMS = [(is_coupled, coupled)]
