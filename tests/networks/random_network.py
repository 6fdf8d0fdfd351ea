"""A random hydraulic and thermal plant that is well posed: each follows from a seed and a size.

Circuits are built between two nodes from pieces (series, parallel ways, ladders with direct and reverse return, bridges, meshes, bypasses
by three-way valves, secondary loops with a decoupler, spurs, parts that are shut off), each piece sized for a flow and a
pressure drop. Closed circuits have pumps, and give their heat to outdoor air by dry coolers, towers and chillers, or through plate
exchangers to another circuit; open ones lie between held pressures. Coolant is heated only where it is sure to flow; elsewhere it may stand.

    random_network.py SEED SIZE     prints the pod
"""
import math
import random
import sys

import pod_text
from random_equipment import Equipment, elements_to_free

AIR_CP = 1006.0            # J/(kg K)
FRICTION = ("colebrook", "colebrook_371", "swamee_jain", "haaland", "nikuradse", "epanet")
FLUIDS = {  # kg/m3, Pa s, J/(kg K), W/(m K), near 40 degC: water, PG25 and a thick glycol
    "water": (992.2, 6.53e-4, 4179.0, 0.63),
    "glycol": (1008.0, 1.16e-3, 3950.0, 0.47),
    "thick": (1040.0, 6.0e-3, 3500.0, 0.38),
}
GLYCOLS = ("PG10", "PG20", "PG25", "PG30", "PG40", "PG55", "EG20", "EG35", "EG50")
KV_DENSITY = 1000.0        # kg/m3
BAR = 1e5                  # Pa


class Circuit(Equipment):
    """One circuit while it is being built: its nodes are named after it."""

    def __init__(self, pod, name, fluid):
        self.pod, self.name = pod, name
        self.watery = fluid == "water"
        self.density, self.viscosity, self.cp, _ = FLUIDS[fluid if fluid in FLUIDS else "glycol"]
        self.heat, self.children = 0.0, []
        self.random = pod.random
        self.nodes = 0
        self.regulators = 0

    def node(self):
        self.nodes += 1
        name = f"{self.name}-n{self.nodes}"
        fields = {}
        if self.random.random() < 0.5:
            fields["elevation"] = f"{self.random.uniform(0.0, 12.0):.3f} m"
        if self.random.random() < 0.3:
            fields["volume"] = f"{10 ** self.random.uniform(-3.0, 0.0):.4g} m3"
        if fields:
            self.pod.nodes[name] = fields
        return name

    def fresh(self, kind):
        self.pod.count += 1
        return f"{self.name}-{kind}{self.pod.count}"

    def add(self, kind, fields):
        name = self.fresh(kind)
        self.pod.equipment[name] = fields
        self.heat += self.power_of(fields)
        return name

    # Elements: each between a and b, of flow q [m3/s] at about dp [Pa].

    def pipe(self, a, b, q, dp):
        r = self.random
        count = r.choice((1, 1, 1, 2, 8))
        velocity = r.uniform(0.3, 2.5)
        diameter = max(math.sqrt(4.0 * q / (math.pi * velocity * count)), 2e-4)
        dynamic = 0.5 * self.density * velocity ** 2
        length = min(dp * diameter / (0.03 * dynamic), 300.0)
        fields = {"class": "pipe", "from": a, "to": b, "length": f"{length:.6g} m", "diameter": f"{diameter:.6g} m",
                  "roughness": f"{min(10 ** r.uniform(-6.0, -3.5), 0.04 * diameter):.4g} m", "count": count}
        if r.random() < 0.5:
            fields["minor_loss"] = r.uniform(0.0, 20.0)
        if r.random() < 0.03:
            fields["length"] = "0 m"
            fields["minor_loss"] = r.uniform(1.0, 20.0)
        plug = r.random() < 0.25
        if plug:
            fields["model"] = "plug"
        else:
            fields["cells"] = r.choice((1, 2, 4, 4, 10))
        way = r.randrange(5)
        if way == 1:
            fields["loss"] = f"{10 ** r.uniform(-1.0, 1.5):.4g} W/K"
        elif way == 2:
            fields["loss_per_area"] = f"{r.uniform(0.5, 10.0):.4g} W/(m2.K)"
        elif way == 3:
            fields["outer_film"] = f"{r.uniform(3.0, 15.0):.4g} W/(m2.K)"
            fields["insulation_thickness"] = f"{r.choice((0.0, 0.013, 0.025))} m"
        if way != 0 and self.pod.halls and r.random() < 0.15:
            fields["air"] = r.choice(self.pod.halls)
        if not plug and r.random() < 0.4:
            fields["wall_thickness"] = f"{r.uniform(0.001, 0.005):.4g} m"
            fields["wall_material"] = r.choice(("carbon_steel", "stainless_steel", "copper"))
            if r.random() < 0.3:
                fields["inner_film"] = f"{r.uniform(200.0, 5000.0):.4g} W/(m2.K)"
        return self.add("pipe", fields)

    def resistance(self, a, b, q, dp):
        r = self.random
        fields = {"class": "resistance", "from": a, "to": b}
        kind = r.randrange(3)
        if kind == 0:
            fields |= {"dp": f"{dp:.6g} Pa", "flow": f"{q:.6g} m3/s", "exponent": round(r.uniform(1.0, 2.2), 3) if r.random() < 0.5 else 2}
            if r.random() < 0.3:
                fields["clogging"] = r.uniform(1.0, 4.0)
        elif kind == 1:
            diameter = math.sqrt(4.0 * q / (math.pi * 1.5))
            fields |= {"loss_coefficient": dp / (0.5 * self.density * 1.5 ** 2), "diameter": f"{diameter:.6g} m"}
        else:
            shares = sorted(r.uniform(0.1, 1.6) for _ in range(r.randrange(1, 6)))
            exponent = r.uniform(1.2, 2.1)
            rising, drop = [], 0.0
            shares = shares if len(shares) > 1 else shares + [2.0 * shares[0]]
            for share in shares:
                share = max(share, 1.05 * rising[-1][0]) if rising else share
                drop = max(share ** exponent * r.uniform(0.9, 1.1), 1.06 * drop)
                rising.append((share, drop))
            fields["dp_curve"] = [[f"{share * q:.6g} m3/s", f"{drop * dp:.6g} Pa"] for share, drop in rising]
        return self.add("res", fields)

    def kv(self, q, dp):
        return q / math.sqrt(dp / BAR * KV_DENSITY / self.density)

    def valve(self, a, b, q, dp, live=True):
        r = self.random
        position = r.choice((0.4, 0.7, 0.9, 1.0, r.uniform(0.3, 1.0))) if live else r.choice((0.0, 0.0, 0.02, 0.1, r.random()))
        characteristic = r.choice(("linear", "equal_percentage"))
        # A live valve passes its flow where it stands.
        opening = max(position if characteristic == "linear" else 50.0 ** (position - 1.0), 0.02 if live else 0.2)
        return self.add("valve", {"class": "valve", "from": a, "to": b, "kv": f"{self.kv(q, dp) / opening:.6g} m3/s",
                                  "characteristic": characteristic, "leakage": 10 ** r.uniform(-6.0, -2.0),
                                  "start_position": position})

    def balancing_valve(self, a, b, q, dp):
        fields = {"class": "balancing_valve", "from": a, "to": b}
        kv = self.kv(q, dp)
        if self.random.random() < 0.5:
            fields["kv"] = f"{kv * 1.5:.6g} m3/s"
            fields["setting"] = round(self.random.uniform(0.3, 1.0), 4)
        else:
            fields["kv_curve"] = [[0, "0 m3/s"], [2, f"{0.4 * kv:.6g} m3/s"], [4, f"{kv:.6g} m3/s"], [8, f"{1.7 * kv:.6g} m3/s"]]
            fields["setting"] = round(self.random.uniform(1.0, 8.0), 3)
        return self.add("bv", fields)

    def body(self, q, dp):
        if self.random.random() < 0.5:
            return {"kv": f"{self.kv(q, dp):.6g} m3/s"}
        return {"dp": f"{dp:.6g} Pa", "flow": f"{q:.6g} m3/s"}

    def check_valve(self, a, b, q, dp):
        fields = {"class": "check_valve", "from": a, "to": b} | self.body(q, dp)
        if self.random.random() < 0.4:
            fields["cracking_pressure"] = f"{self.random.uniform(0.0, 0.3) * dp:.6g} Pa"
        if self.random.random() < 0.3:
            fields["leakage"] = 10 ** self.random.uniform(-7.0, -3.0)
        return self.add("cv", fields)

    def strainer(self, a, b, q, dp):
        return self.add("str", {"class": "strainer", "from": a, "to": b, "dp": f"{dp:.6g} Pa", "flow": f"{q:.6g} m3/s",
                                "exponent": self.random.choice((2, 1.76, 1.9)), "clogging": round(self.random.uniform(0.0, 0.5), 3)})

    def quick_disconnect(self, a, b, q, dp):
        return self.add("qd", {"class": "quick_disconnect", "from": a, "to": b} | self.body(q, dp))

    def flow_limiter(self, a, b, q, dp):
        diameter = math.sqrt(4.0 * q / (math.pi * 1.5))
        return self.add("flv", {"class": "flow_limiting_valve", "from": a, "to": b, "flow": f"{q * self.random.uniform(0.4, 1.6):.6g} m3/s",
                                "loss_coefficient": 0.5 * dp / (0.5 * self.density * 1.5 ** 2), "diameter": f"{diameter:.6g} m"})

    def tank(self, a, b, q, dp):
        model = self.random.choice(("plug", "mixed", "cells", "stratified"))
        fields = {"class": "tank", "from": a, "to": b, "volume": f"{q * self.random.uniform(10.0, 120.0):.6g} m3", "model": model,
                  "dp": f"{dp:.6g} Pa", "flow": f"{q:.6g} m3/s"}
        if model in ("cells", "stratified"):
            fields["cells"] = self.random.choice((2, 10, 20))
        if model == "stratified":
            fields |= {"inlet_at": self.random.choice(("top", "bottom")), "height": f"{self.random.uniform(0.5, 5.0):.4g} m"}
        return self.add("tank", fields)

    def cold_plate(self, a, b, q, dp):
        r = self.random
        each = r.uniform(1.2e-5, 3.5e-5)
        modules = max(1, round(q / each))
        chip = self.add("chip", {"class": "heat_capacity", "capacity": f"{500.0 * modules:.6g} J/K"})
        self.add("power", {"class": "heat_source", "to": chip, "power": f"{modules * r.uniform(100.0, 900.0):.6g} W"})
        fields = {"class": "cold_plate", "from": a, "to": b, "body": chip, "modules": modules, "dp": f"{dp:.6g} Pa", "flow": f"{q / modules:.6g} m3/s"}
        law = r.choice(("table", "quadratic", "fit"))
        fields["law"] = law
        if law == "fit":
            fields |= {"resistance": "0.01617 K/W", "resistance_slope": "5.034e-7 K.m3/W/s", "flow_low": "1.1667e-5 m3/s",
                       "flow_high": "4e-5 m3/s"}
        else:
            fields["resistance_curve"] = [["1e-5 m3/s", "0.031 K/W"], ["1.6667e-5 m3/s", "0.0245 K/W"], ["2.6667e-5 m3/s", "0.0214 K/W"],
                                          ["4e-5 m3/s", "0.0197 K/W"]]
        return self.add("plate", fields)

    def load_bank(self, a, b, q, dp):
        power = q * self.density * self.cp * self.random.uniform(1.0, 6.0)
        return self.add("bank", {"class": "heat_load_bank", "from": a, "to": b, "rating": f"{2.0 * power:.6g} W", "power": f"{power:.6g} W",
                                 "flow": f"{q:.6g} m3/s", "dp": f"{dp:.6g} Pa", "volume": f"{5.0 * q:.6g} m3", "least_flow": 0.01,
                                 "trip_temperature": "450 K"})

    def heated_node(self, node, q):
        self.add("heat", {"class": "heat_source", "to": node,
                          "power": f"{q * self.density * self.cp * self.random.uniform(0.2, 5.0):.6g} W"})

    def passive(self, a, b, q, dp, live):
        """One element that carries the flow q at about dp; if not live it may be shut."""
        r = self.random
        if not live and r.random() < 0.3:
            return self.shut(a, b, q, dp)
        kinds = ([self.pipe] * 6 + [self.resistance] * 4 + [self.valve] * 3 + [self.balancing_valve] * 2 +
                 [self.strainer, self.quick_disconnect, self.check_valve, self.flow_limiter, self.tank])
        return r.choice(kinds)(a, b, q, dp)

    def shut(self, a, b, q, dp):
        """A way that carries little or nothing."""
        r = self.random
        kind = r.randrange(8)
        if kind < 3:
            return self.valve(a, b, q, dp, live=False)
        if kind == 3:
            name = self.quick_disconnect(a, b, q, dp)
            self.pod.equipment[name]["connected"] = False
            return name
        if kind == 4:
            name = self.resistance(a, b, q, dp)
            self.pod.equipment[name]["in_service"] = False
            return name
        if kind == 5:
            return self.add("dpv", {"class": "differential_pressure_valve", "from": a, "to": b, "set_dp": f"{dp * r.uniform(0.3, 3.0):.6g} Pa"} |
                            self.body(q, dp))
        if kind == 6 and self.regulators < 3:
            self.regulators += 1
            kind = r.choice(("pressure_reducing_valve", "pressure_sustaining_valve"))
            return self.add("prv", {"class": kind, "from": a, "to": b, "pressure": f"{r.uniform(50e3, 400e3):.6g} Pa"} | self.body(q, dp))
        return self.add("narrow", {"class": "pipe", "from": a, "to": b, "length": f"{r.uniform(1.0, 20.0):.4g} m", "diameter": "0.004 m",
                                   "cells": r.choice((1, 4))})

    # Pieces: each between a and b from about n elements, flow q at about dp.

    def piece(self, a, b, q, dp, n, live, beside=False):
        """`beside` other ways: a secondary loop there could drive them backwards."""
        r = self.random
        if n <= 1:
            return self.passive(a, b, q, dp, live)
        if n == 2:
            return self.series(a, b, q, dp, n, live)
        kinds = [self.series] * 4 + [self.parallel] * 4
        if n >= 4:
            kinds += [self.bypass, self.spur]
        if n >= 5:
            # A pump heats its loop: where nothing is sure to flow through, the heat would have no way out.
            kinds += [self.bridge, self.secondary] if live and not beside else [self.bridge]
        if n >= 8:
            kinds += [self.ladder] * 3 + [self.mesh]
        return r.choice(kinds)(a, b, q, dp, n, live)

    def split(self, n, count):
        cuts = sorted(self.random.randrange(1, n) for _ in range(count - 1)) if n > 1 else [1] * (count - 1)
        return [max(1, high - low) for low, high in zip([0] + cuts, cuts + [n])]

    def series(self, a, b, q, dp, n, live):
        count = min(n, self.random.randrange(2, 5))
        nodes = [a] + [self.node() for _ in range(count - 1)] + [b]
        weights = [self.random.uniform(0.2, 1.0) for _ in range(count)]
        for k, part in enumerate(self.split(n, count)):
            share = dp * weights[k] / sum(weights)
            if live and part == 1 and self.random.random() < 0.25 and self.pod.heated:
                self.random.choice((self.cold_plate, self.load_bank, self.rack, self.coil))(nodes[k], nodes[k + 1], q, share)
            else:
                self.piece(nodes[k], nodes[k + 1], q, share, part, live)
        if live and self.pod.heated and self.random.random() < 0.3:
            self.heated_node(nodes[1], q)

    def parallel(self, a, b, q, dp, n, live):
        count = min(n, self.random.randrange(2, 6))
        weights = [self.random.uniform(0.1, 1.0) for _ in range(count)]
        for k, part in enumerate(self.split(n, count)):
            # The first way stays open where coolant has to flow; of the others some are sure to.
            self.piece(a, b, q * weights[k] / sum(weights), dp, part, live and (k == 0 or self.random.random() < 0.5), beside=True)

    def ladder(self, a, b, q, dp, n, live):
        """Supply and return rail with rungs; direct or reverse return."""
        r = self.random
        rungs = max(2, n // 4)
        reverse = r.random() < 0.4
        supply, back = a, (self.node() if reverse else b)
        left = n
        for k in range(rungs):
            part = 1 if left <= 0 or k + 1 < rungs and r.random() < 0.5 else r.randrange(1, max(2, n // rungs))
            self.piece(supply, back, q / rungs, 0.7 * dp, part, live and r.random() < 0.7, beside=True)
            left -= part
            if k + 1 == rungs:
                break
            share = q * (rungs - 1 - k) / rungs
            ahead = self.node()
            self.pipe(supply, ahead, share, 0.3 * dp / rungs)
            behind = self.node()
            if reverse:
                self.pipe(back, behind, q * (k + 1) / rungs, 0.3 * dp / rungs)
            else:
                self.pipe(behind, back, share, 0.3 * dp / rungs)
            supply, back = ahead, behind
        if reverse:
            self.pipe(back, b, q, 0.1 * dp)

    def bridge(self, a, b, q, dp, n, live):
        c, d = self.node(), self.node()
        parts = self.split(n - 1, 4)
        self.piece(a, c, 0.5 * q, 0.5 * dp, parts[0], live, beside=True)
        self.piece(c, b, 0.5 * q, 0.5 * dp, parts[1], live, beside=True)
        self.piece(a, d, 0.5 * q, 0.5 * dp, parts[2], False, beside=True)
        self.piece(d, b, 0.5 * q, 0.5 * dp, parts[3], False, beside=True)
        self.random.choice((self.pipe, self.resistance, self.valve))(c, d, 0.2 * q, 0.1 * dp)
        if self.random.random() < 0.3:
            self.add("stated", {"class": "fixed_flow", "from": c, "to": d, "flow": f"{self.random.uniform(-0.1, 0.1) * q * self.density:.6g} kg/s"})

    def mesh(self, a, b, q, dp, n, live):
        """A grid of nodes."""
        width = max(2, round(math.sqrt(n / 2.0)))
        grid = [[self.node() for _ in range(width)] for _ in range(width)]
        grid[0][0], grid[-1][-1] = a, b
        for i in range(width):
            for k in range(width):
                if k + 1 < width:
                    self.random.choice((self.pipe, self.resistance))(grid[i][k], grid[i][k + 1], q / width, dp / (2 * width))
                if i + 1 < width:
                    self.random.choice((self.pipe, self.valve))(grid[i][k], grid[i + 1][k], q / width, dp / (2 * width))

    def bypass(self, a, b, q, dp, n, live):
        """A three-way valve sends a part through the branch."""
        branch, tail = self.node(), self.node()
        self.add("twv", {"class": "three_way_valve", "from": a, "to": branch, "through": tail, "kv": f"{self.kv(q, 0.3 * dp):.6g} m3/s",
                         "kv_bypass": f"{self.kv(q, 0.7 * dp):.6g} m3/s",
                         "start_position": self.random.choice((0.3, 0.5, 0.8, 1.0) if live else (0.0, 0.4, 1.0))})
        self.piece(branch, tail, q, 0.4 * dp, n - 2, live, beside=True)
        self.pipe(tail, b, q, 0.3 * dp)

    def secondary(self, a, b, q, dp, n, live):
        """A loop of its own pump over a decoupler."""
        flow = q * self.random.uniform(0.5, 1.4)
        discharge, load_in = self.node(), self.node()
        self.pipe(a, b, 2.0 * q, 0.05 * dp)
        self.pump(a, discharge, flow, 2.0 * dp)
        self.passive(discharge, load_in, flow, 0.4 * dp, True)
        self.piece(load_in, b, flow, dp, n - 3, live)

    def spur(self, a, b, q, dp, n, live):
        """A dead branch hangs on the way."""
        middle, end = self.node(), self.node()
        self.piece(a, middle, q, 0.5 * dp, (n - 1) // 2, live)
        self.piece(middle, b, q, 0.5 * dp, n - 1 - (n - 1) // 2, live)
        self.random.choice((self.pipe, self.resistance, self.valve))(middle, end, 0.2 * q, dp)

    def pump(self, a, b, q, dp, standing=False, alone=False):
        """`alone` at its discharge node: there it must take no power without flow, which would heat what stands."""
        r = self.random
        speed = 0.0 if standing else r.choice((0.5, 0.75, 1.0, r.uniform(0.4, 1.0)))
        full = max(speed, 0.5)
        fields = {"class": "pump", "from": a, "to": b, "start_speed": speed}
        flow, head = q / full, dp / full ** 2
        kind = r.randrange(4)
        if kind == 0:
            curve = [(0.0, 1.3 * head), (flow, head)]
        elif kind == 1:
            curve = [(0.0, 1.25 * head), (0.6 * flow, 1.2 * head), (1.2 * flow, 0.85 * head)]
        elif kind == 2:
            curve = [(0.0, 1.3 * head), (0.5 * flow, 1.22 * head), (flow, head), (1.5 * flow, 0.55 * head)]
        else:
            curve = [(0.0, 1.35 * head), (0.5 * flow, 1.25 * head), (flow, head), (1.4 * flow, 0.6 * head)]
            fields["head_form"] = "table"
        fields["head_curve"] = [[f"{x:.6g} m3/s", f"{y:.6g} Pa"] for x, y in curve]
        if not alone and r.random() < 0.4:
            fields["efficiency_curve"] = [[f"{0.2 * flow:.6g} m3/s", 0.35], [f"{0.7 * flow:.6g} m3/s", 0.68],
                                          [f"{1.3 * flow:.6g} m3/s", 0.6]]
            fields["motor_efficiency"], fields["drive_efficiency"] = 0.92, 0.97
        if r.random() < 0.2:
            fields["loss_to_coolant"] = 0.4
        if not alone and r.random() < 0.2:
            fields["shut_off_power"] = f"{0.2 * q * dp:.6g} W"
        if not alone and r.random() < 0.15:
            fields["idle_power"] = f"{r.uniform(10.0, 200.0):.5g} W"
        if r.random() < 0.25 and not standing:
            fields["check_valve"] = False
        return self.add("pump", fields)

    def pumps(self, a, b, q, dp):
        count, made = self.random.choice((1, 1, 2, 2, 3, 4)), []
        for k in range(count):
            share = q / count
            if self.random.random() < 0.3:
                middle = self.node()
                made.append(self.pump(a, middle, share, 1.1 * dp, standing=k > 0 and self.random.random() < 0.25, alone=True))
                self.random.choice((self.check_valve, self.pipe))(middle, b, share, 0.1 * dp)
            else:
                made.append(self.pump(a, b, share, dp, standing=k > 0 and self.random.random() < 0.25))
        return made

    def dry_cooler(self, a, b, q, dp, heat):
        rate = q * self.density * self.cp
        fields = {"class": "dry_cooler", "from": a, "to": b, "ua": f"{max(rate, heat / 8.0) * self.random.uniform(0.8, 2.5):.6g} W/K",
                  "air_flow": f"{max(rate, heat / 8.0) / AIR_CP * self.random.uniform(0.8, 2.0):.6g} kg/s",
                  "flow": f"{q * self.density:.6g} kg/s", "dp": f"{dp:.6g} Pa", "fan_power": f"{0.02 * heat:.6g} W",
                  "start_speed": self.random.choice((0.5, 0.8, 1.0)),
                  "arrangement": self.random.choice(("counterflow", "crossflow_unmixed"))}
        if self.random.random() < 0.2:
            fields |= {"fans": 6, "fans_out": self.random.randrange(0, 3), "recirculation": "1.5 K"}
        return self.add("dry", fields)


class RandomNetwork:
    """`sections` of the pod, `text`, and what was put in."""

    def __init__(self, seed, size):
        self.seed, self.size = seed, size
        self.random = random.Random(f"network {seed} {size}")
        self.count = 0
        self.nodes, self.equipment, self.circuits, self.controls = {}, {}, {}, {}
        self.parts, self.halls, self.later, self.room = [], [], [], size
        self.heated = True
        self.changing = self.random.random() < 0.25  # properties by temperature, of water
        self.friction = self.random.choice(FRICTION)
        self.build()
        for finish in self.later:
            finish()
        for part in self.parts:
            self.give_momentum(part)
        self.sections = {"site": {"elevation": f"{self.elevation:.4g} m"}, "physics": {"friction": self.friction}, "circuits": self.circuits}
        if self.nodes:
            self.sections["nodes"] = self.nodes
        self.sections["equipment"] = self.equipment
        if self.controls:
            self.sections["controls"] = self.controls
        self.sections["design"] = {"rack_power": "0 W", "weather": {"dry_bulb": f"{self.dry_bulb:.5g} K", "relative_humidity": f"{self.humidity:.4g} %"}}
        self.text = pod_text.written(self.sections)

    def fluid(self, name=None):
        r = self.random
        if name is None:
            name = r.choice(("water", "water") + GLYCOLS[2:4] if self.changing else tuple(FLUIDS) + ("named", r.choice(GLYCOLS)))
        if self.changing:
            return name, {"fluid": name, "constant_properties": False}
        if name == "named":
            name = "water"
        if name in GLYCOLS or name == "water" and r.random() < 0.3:
            return name, {"fluid": name, "constant_properties": True, "property_temperature": f"{r.choice((15.0, 25.0, 40.0, 50.0)) + 273.15} K"}
        density, viscosity, cp, conductivity = FLUIDS[name]
        return name, {"fluid": {"density": f"{density} kg/m3", "viscosity": f"{viscosity} Pa.s", "specific_heat": f"{cp} J/(kg.K)",
                                "conductivity": f"{conductivity} W/(m.K)"}}

    def new_circuit(self, fluid=None):
        name, item = self.fluid(fluid)
        part = Circuit(self, f"c{len(self.parts)}", name)
        self.parts.append(part)
        self.circuits[part.name] = item
        return part

    def heat_of(self, part):
        return part.heat + sum(self.heat_of(child) for child in part.children)

    def give_momentum(self, part):
        """Inertance to some pipes, none of which alone joins anything to the rest."""
        edges = {}
        for name, item in self.equipment.items():
            if item.get("from", "").startswith(part.name + "-") and item["class"] in ("pipe", "resistance", "balancing_valve", "valve"):
                if item["class"] != "valve" or item["start_position"] > 0.2:
                    if item.get("in_service", True):
                        edges[name] = (item["from"], item["to"])
        held = {n for n, node in self.nodes.items() if n.startswith(part.name + "-") and "pressure" in node}
        held |= {item["node"] for item in self.equipment.values() if item.get("node", "").startswith(part.name + "-")}
        if "reference" in self.circuits[part.name]:
            held.add(self.circuits[part.name]["reference"]["node"])
        for name in elements_to_free(edges, held):
            if self.equipment[name]["class"] == "pipe" and self.random.random() < 0.3 and not self.equipment[name]["length"].startswith("0 "):
                self.equipment[name]["inertance"] = True

    def build(self):
        r = self.random
        self.elevation = r.choice((0.0, r.uniform(0.0, 1800.0)))
        self.dry_bulb = r.uniform(283.0, 311.0)
        self.humidity = r.uniform(40.0, 95.0) if self.dry_bulb < 295.0 else r.uniform(15.0, 85.0)
        count = 1 if self.size < 15 else r.randrange(1, min(6, 2 + self.size // 15))
        shares = [r.uniform(0.5, 1.5) for _ in range(count)]
        budgets = [max(4, round(self.size * share / sum(shares))) for share in shares]
        parents = [None] + [r.randrange(k) for k in range(1, count)]
        flows = [0.0] * count
        for k in reversed(range(count)):
            fed = sum(flows[j] for j in range(count) if parents[j] == k)
            flows[k] = max(fed * r.uniform(0.8, 1.6), 10 ** r.uniform(-3.5, -1.7))
        parts = [self.new_circuit() for _ in range(count)]
        for k in range(1, count):
            parts[parents[k]].children.append(parts[k])
        exchangers = {k: [] for k in range(count)}
        for k in range(1, count):
            hot, cold = parts[k], parts[parents[k]]
            hot_ports, cold_ports = (hot.node(), hot.node()), (cold.node(), cold.node())
            rates = flows[k] * hot.density * hot.cp, flows[parents[k]] * cold.density * cold.cp
            q_cold = min(flows[parents[k]], flows[k] * r.uniform(0.8, 1.6))
            name = self.exchanger(hot_ports, cold_ports, flows[k] * hot.density, q_cold * cold.density,
                                  min(rates) * r.uniform(1.0, 4.0))
            exchangers[k].append(("hot", hot_ports, name))
            exchangers[parents[k]].append(("cold", cold_ports, name))
        for k in range(count):
            open_way = parents[k] is None and r.random() < 0.5
            (self.open_circuit if open_way else self.closed_circuit)(parts[k], flows[k], budgets[k], exchangers[k], parents[k] is None)

    def exchanger(self, hot, cold, m_hot, m_cold, ua):
        r = self.random
        fields = {"class": "plate_heat_exchanger", "hot": list(hot), "cold": list(cold), "ua": f"{ua:.6g} W/K",
                  "hot_flow": f"{m_hot:.6g} kg/s", "cold_flow": f"{m_cold:.6g} kg/s", "hot_dp": f"{r.uniform(10e3, 50e3):.6g} Pa",
                  "cold_dp": f"{r.uniform(10e3, 50e3):.6g} Pa", "film_ratio": round(r.uniform(0.5, 2.0), 3)}
        if r.random() < 0.3:
            fields["fouling"] = f"{0.2 / ua:.6g} K/W"
        if r.random() < 0.3:
            fields |= {"model": "dynamic", "hot_volume": f"{3e-3 * m_hot:.6g} m3", "cold_volume": f"{3e-3 * m_cold:.6g} m3",
                       "wall_capacity": f"{3e3 * m_hot:.6g} J/K", "cells": r.choice((5, 8))}
        self.count += 1
        name = f"hx{self.count}"
        self.equipment[name] = fields
        return name

    def loads(self, c, a, b, q, dp, n, exchangers):
        """The heated part from a to b; the cold sides of exchangers are ways of their own through it."""
        cold = [ports for side, ports, _ in exchangers if side == "cold"]
        ways = len(cold) + 1
        for ports in cold:
            c.pipe(a, ports[0], q / ways, 0.2 * dp)
            c.passive(ports[1], b, q / ways, 0.2 * dp, True)
        left = max(1, n - 2 * len(cold))
        if ways > 1 and left <= 2:
            return
        c.piece(a, b, q / ways, dp, left, True, beside=ways > 1)

    def closed_circuit(self, c, q, n, exchangers, to_air):
        r = self.random
        suction, discharge, hot, back = c.node(), c.node(), c.node(), c.node()
        dp = r.uniform(40e3, 200e3)
        pumps = c.pumps(suction, discharge, q, dp + 60e3)
        own = q * c.density * c.cp * 5.0
        c.heated_node(hot, q)
        if to_air:
            c.heat_rejection(hot, back, q, own)
        for side, ports, exchanger in exchangers:
            if side == "hot":
                c.pipe(hot, ports[0], q, 5e3)
                c.pipe(ports[1], back, q, 5e3)
                if r.random() < 0.5:
                    c.add("cdu", {"class": "cdu", "exchanger": exchanger, "pumps": pumps, "supply_node": discharge, "return_node": hot})
        c.passive(back, suction, q, 5e3, True)
        self.loads(c, discharge, hot, q, dp, n - 6, exchangers)
        self.hold(c, suction, q)

    def hold(self, c, node, q):
        r = self.random
        way = r.randrange(6)
        if way < 3:
            self.circuits[c.name]["reference"] = {"node": node, "pressure": f"{r.uniform(100e3, 300e3):.6g} Pa"}
            if r.random() < 0.3:
                c.add("relief", {"class": "relief_valve", "node": node, "set_pressure": "1e6 Pa"})
        elif way < 5:
            name = c.add("vessel", {"class": "expansion_vessel", "node": node, "volume": f"{max(0.02, 60.0 * q):.6g} m3",
                                    "kind": r.choice(("diaphragm", "maintained"))})
            self.circuits[c.name]["held_by"] = name
        else:
            level = r.uniform(0.5, 2.0)
            name = c.add("open", {"class": "open_tank", "node": node, "area": "1 m2", "height": "2.5 m", "start_level": f"{level:.4g} m",
                                  "elevation": f"{r.uniform(5.0, 15.0):.4g} m"})
            self.circuits[c.name]["held_by"] = name

    def open_circuit(self, c, q, n, exchangers, _):
        r = self.random
        a, b = c.node(), c.node()
        dp = r.uniform(60e3, 250e3)
        # The drop is that of the pressures with the weight of the coolant.
        height = float(self.nodes.get(a, {}).get("elevation", "0 m").split()[0]) - float(self.nodes.get(b, {}).get("elevation", "0 m").split()[0])
        inlet = r.uniform(290.0, 305.0)
        pumped = r.random() < 0.4
        base = r.uniform(0.0, 100e3)
        weight = c.density * 9.80665 * height
        self.nodes.setdefault(a, {}).update({"pressure": f"{base + max(0.0, -weight) + (0.0 if pumped else dp):.6g} Pa", "temperature": f"{inlet:.5g} K"})
        self.nodes.setdefault(b, {}).update({"pressure": f"{base + max(0.0, weight):.6g} Pa", "temperature": f"{r.uniform(290.0, 305.0):.5g} K"})
        start = a
        if pumped:
            start = c.node()
            c.pumps(a, start, q, dp)
        hot = [ports for side, ports, _ in exchangers if side == "hot"]
        assert not hot
        if r.random() < 0.3:
            middle = c.node()
            self.nodes.setdefault(middle, {})["inflow"] = f"{r.uniform(-0.05, 0.1) * q:.6g} m3/s"
            c.pipe(start, middle, q, 0.1 * dp)
            start = middle
        self.loads(c, start, b, q, 0.9 * dp, n - 2, exchangers)


if __name__ == "__main__":
    sys.stdout.write(RandomNetwork(int(sys.argv[1]), int(sys.argv[2])).text)
