"""Residuals of a steady state, from its CSV tables and the pod file alone, equation by equation.

    mass      of every node: flows and inflow add up to nothing
    momentum  of every element: the law of its class at its flow is the pressure between its nodes with the weight of the coolant
    heat      of every node: what the streams bring, and what is given to it, add up to nothing
    element   every exchange of heat: exchanger, cooler, coil, plate, pipe by their own equations; pump power; what a unit reports of its parts
    rejection heat and power of towers and chillers, water that towers take, and the weather's wet bulb
    rack      heat, power and conversion of racks
    chip      temperatures of their chips
    room      of every room and mass: the heat of what is in it adds up to nothing
    total     power put in is what leaves to outdoor air and at the boundaries

Tolerances, each of the largest quantity of its kind in the circuit (total: of the power put in).

    mass      1e-9    the flow solve balances to 1e-10 of the largest flow, or ends at 1e-8 where round-off stops it; 12 digits
    momentum  1e-8    likewise of the largest pressure, as the flow solve states it
    regulator 1e-6    of the pressure that a pilot holds: a state of the search, which ends when nothing moves by more than 2e-8 of its scale
    heat      1e-6    of flow times specific heat times the span of temperatures of the circuit: likewise
    element   1e-6    of the heat, above 1e-6 of the circuit's
    rejection 1e-6    likewise; a tower's conductance by its design point is halved in to 1e-13
    rack      1e-6    of the rack's power
    chip      2e-4    of case over coolant: plates of trays whose flows are within 1 % have the conductance on its tangent, which is that close
    room      1e-6    of the heats that come and go
    total     1e-6

A flow of 12 digits leaves its law open by 5e-12 of its flow times its slope (a flow limiter at work: 0.5 Pa). Where a property has only
the accuracy of a fit (water by temperature: specific heat 2e-5) the tolerance of heat is 5e-5 of the circuit's; friction of named water, whose
viscosity is taken here from another formulation, has 1e-4, and 5e-4 where it follows temperature by a fit of that accuracy.
"""
import csv
import math
import pathlib

import network_equipment as equipment
import network_laws as laws
import pod_text
from pod_text import number

GRAVITY = 9.80665
PROPERTY_TEMPERATURE = 313.15   # K, where a circuit states none
AIR_CP = 1006.0                 # J/(kg K)
NATURAL_DRAFT = 0.02
TOLERANCE = {"mass": 1e-9, "momentum": 1e-8, "regulator": 1e-6, "heat": 1e-6, "element": 1e-6, "rejection": 1e-6, "rack": 1e-6, "chip": 2e-4,
             "room": 1e-6, "total": 1e-6}
OF_FIT = 5e-5
OF_LEAVING = 3e-4               # heat of a chiller at its limit, in coolant whose specific heat follows temperature
OF_VISCOSITY = 1e-4
OF_FITTED_VISCOSITY = 5e-4
DIGITS = 5e-12                  # relative, of a number of 12 digits
LEAST_SPAN = 0.5                # K; the search ends at a rate of temperature, whatever the span
LEAST_PRESSURE, LEAST_FLOW, LEAST_HEAT = 1e3, 1e-6, 1.0   # scales of a circuit at rest: Pa, kg/s, W
TWO_PORT = ("pipe", "resistance", "valve", "balancing_valve", "check_valve", "differential_pressure_valve", "pressure_reducing_valve",
            "pressure_sustaining_valve", "strainer", "quick_disconnect", "flow_limiting_valve", "tank", "cold_plate", "heat_load_bank",
            "pump", "dry_cooler", "fixed_flow", "rack", "cooling_tower", "room_cooler", "fan_wall", "liquid_to_air_exchanger",
            "rear_door_exchanger")
REGULATORS = ("pressure_reducing_valve", "pressure_sustaining_valve")
COILS = ("room_cooler", "fan_wall", "liquid_to_air_exchanger", "rear_door_exchanger")
POWERED = ("pump", "dry_cooler", "heat_load_bank", "rack", "chiller", "cooling_tower", "fan_wall", "liquid_to_air_exchanger", "rear_door_exchanger")
ROOMS = ("zone", "heat_capacity")
STANDING = 1e-3                 # Pa over a leaking seat: a flow that drops less is none


class Edge:
    def __init__(self, name, item, start, end, m, unsure):
        self.name, self.item, self.start, self.end, self.m = name, item, start, end, m
        self.unsure = unsure   # kg/s
        self.arrives = None   # temperature of what comes out, where it is not that of the inlet node


class Circuit:
    def __init__(self, item):
        self.item = item
        self.nodes, self.edges = [], []
        if isinstance(item["fluid"], dict):
            self.fluid = laws.Stated(item["fluid"])
        elif item["fluid"] == "water":
            self.fluid = laws.Water()
        else:
            self.fluid = equipment.Glycol(item["fluid"])
        self.named = not isinstance(item["fluid"], dict)
        self.follows = item.get("constant_properties") == "false"
        self.t = number(item, "property_temperature", PROPERTY_TEMPERATURE)
        self.rho, self.mu, self.k = self.fluid.density(self.t), self.fluid.viscosity(self.t), self.fluid.conductivity(self.t)
        self.cp = self.fluid.specific_heat(self.t)

    def carried(self, m, hot, cold):
        """Heat that m brings from one temperature to another [W]."""
        if not self.follows:
            return m * self.cp * (hot - cold)
        return m * (self.fluid.enthalpy(hot) - self.fluid.enthalpy(cold))


class Check:
    """`worst`: {equation: (share of its tolerance, where)}; `failures`: texts."""

    def __init__(self, pod, folder):
        self.sections = pod_text.read(pathlib.Path(pod).read_text(encoding="utf-8"))
        self.items = self.sections["equipment"]
        self.friction = self.sections["physics"]["friction"]
        self.rows = {}
        for path in pathlib.Path(folder).glob("*.csv"):
            if path.name in ("summary.csv", "valve_authority.csv"):
                continue
            with open(path, newline="", encoding="utf-8") as file:
                table = csv.reader(file)
                head = [column.split(" [")[0] for column in next(table)]
                for row in table:
                    self.rows[row[0]] = {key: float(value) for key, value in zip(head[1:], row[1:]) if value}
        self.air, self.wet = self.rows["facility"]["t_dry_bulb"], self.rows["facility"]["t_wet_bulb"]
        weather = self.sections["design"]["weather"]
        self.pressure = equipment.standard_pressure(number(self.sections["site"], "elevation"))
        self.humidity = number(weather, "relative_humidity") / 100.0
        self.worst, self.failures = {}, []
        self.to_air = self.to_boundaries = 0.0
        self.rooms = {name: [] for name, item in self.items.items() if item["class"] in ROOMS}
        self.exhaust = {name: 0.0 for name, item in self.items.items() if item["class"] == "rear_door_exchanger"}
        self.note("rejection", "dry bulb", self.air - number(weather, "dry_bulb"), 1.0)
        self.note("rejection", "wet bulb", self.wet - equipment.wet_bulb(self.air, self.humidity, self.pressure), 10.0)
        self.find_circuits()
        self.collect_edges()
        for circuit in self.circuits.values():
            self.scales(circuit)
            self.mass(circuit)
            self.momentum(circuit)
        self.heat = {node: 0.0 for node in self.of}
        for circuit in self.circuits.values():
            for edge in circuit.edges:
                self.exchange(circuit, edge)
        self.exchangers()
        for name, item in self.items.items():
            if item["class"] == "heat_source" and item["to"] in self.of:
                self.heat[item["to"]] += number(item, "power")
            elif item["class"] == "heat_source" and item["to"] in self.rooms:
                self.rooms[item["to"]].append(number(item, "power"))
            elif item["class"] == "heat_resistance":
                heat = (self.surroundings(item["a"]) - self.surroundings(item["b"])) / number(item, "resistance")
                self.note("room", f"wall {name}", self.rows[name]["heat"] - heat, max(abs(heat), LEAST_HEAT))
                self.give(item["a"], -self.rows[name]["heat"])
                self.give(item["b"], self.rows[name]["heat"])
            elif item["class"] == "relief_valve":
                self.note("mass", name, self.rows[name]["flow"], 1e-6)
            elif item["class"] == "cdu":
                self.unit(name, item)
        for name, heats in self.rooms.items():
            self.note("room", name, math.fsum(heats), max(sum(map(abs, heats)), LEAST_HEAT))
        for circuit in self.circuits.values():
            self.balances(circuit)
        self.total()

    def note(self, equation, where, miss, scale, tolerance=None):
        tolerance = TOLERANCE[equation] if tolerance is None else tolerance
        share = abs(miss) / (tolerance * scale)
        if not share <= self.worst.get(equation, (0.0, ""))[0]:
            self.worst[equation] = (share, where)
        if not share <= 1.0:
            self.failures.append(f"{equation} of {where}: misses by {miss:.4g} of {scale:.4g}, {share:.3g} times the tolerance {tolerance:g}")

    # Structure.

    def ports(self, item):
        """Pairs of nodes that the element joins."""
        kind = item["class"]
        if kind in TWO_PORT:
            return [(item["from"], item["to"])]
        if kind == "three_way_valve":
            return [(item["from"], item["to"]), (item["from"], item["through"])]
        if kind == "plate_heat_exchanger":
            return [tuple(item["hot"]), tuple(item["cold"])]
        if kind == "chiller":
            return [(item["from"], item["to"])] + ([tuple(item["condenser"])] if "condenser" in item else [])
        return []

    def find_circuits(self):
        parent = {}

        def root(n):
            parent.setdefault(n, n)
            while parent[n] != n:
                n = parent[n]
            return n

        for item in self.items.values():
            for a, b in self.ports(item):
                parent[root(a)] = root(b)
        self.circuits = {name: Circuit(item) for name, item in self.sections["circuits"].items()}
        by_root = {}
        for n in parent:
            by_root.setdefault(root(n), []).append(n)
        self.of = {}
        for nodes in by_root.values():
            name = nodes[0].split("-")[0]   # the generator names nodes after their circuit
            for n in nodes:
                assert n.split("-")[0] == name, f"{n} is joined to the circuit {name}"
                self.of[n] = self.circuits[name]
                self.circuits[name].nodes.append(n)

    def collect_edges(self):
        for name, item in self.items.items():
            kind, row = item["class"], self.rows.get(name)
            pairs = self.ports(item)
            if not pairs:
                continue
            keys = {"three_way_valve": ("flow", "flow_bypass"), "plate_heat_exchanger": ("flow_hot", "flow_cold"),
                    "chiller": ("evaporator", "condenser")}.get(kind, ("flow",))
            for (a, b), key in zip(pairs, keys):
                circuit = self.of[a]
                m, unsure = (row[key] * circuit.rho, 0.0) if key in row else self.flow_by_law(circuit, item, key, a, b)
                edge = Edge(name, item, a, b, m, unsure)
                edge.by_law = key not in row
                if kind in ("pipe", "tank", "heat_load_bank"):
                    edge.arrives = row["t_out"]
                elif kind == "rack":
                    edge.arrives = row["t_return"]
                elif kind == "cold_plate":
                    edge.arrives = row["t_coolant"]
                edge.way = key
                circuit.edges.append(edge)

    def flow_by_law(self, circuit, item, key, start, end):
        """Of what has no flow in its table: by its law at the pressures of its nodes. The mass of both nodes checks it."""
        dp, flow = ("condenser_dp", "condenser_flow") if key == "condenser" else ("dp", "flow")
        seen = self.p(start) - self.p(end) + circuit.rho * GRAVITY * (self.z(start) - self.z(end))
        digits = DIGITS * (abs(self.p(start)) + abs(self.p(end)))
        least, m, most = (equipment.bisected(lambda m, x=x: laws.nominal(item, circuit.rho, m, dp, flow) - x, 0.0, 1e5)
                          for x in (abs(seen) - digits, abs(seen), abs(seen) + digits))
        return math.copysign(m, seen), most - least

    def t(self, node):
        return self.rows[node]["t"]

    def p(self, node):
        return self.rows[node]["p"]

    def z(self, node):
        return number(self.sections.get("nodes", {}).get(node, {}), "elevation", 0.0)

    def node_item(self, node):
        return self.sections.get("nodes", {}).get(node, {})

    def scales(self, circuit):
        rho_g = circuit.rho * GRAVITY
        circuit.flow = max([LEAST_FLOW] + [abs(edge.m) for edge in circuit.edges])
        circuit.pressure = max([LEAST_PRESSURE] + [abs(self.p(e.start) - self.p(e.end) + rho_g * (self.z(e.start) - self.z(e.end)))
                                                   for e in circuit.edges])
        moving = [self.t(n) for e in circuit.edges if abs(e.m) > 1e-6 * circuit.flow for n in (e.start, e.end)]
        span = max(moving) - min(moving) if moving else 0.0
        circuit.heat = max(LEAST_HEAT, circuit.flow * circuit.cp * max(span, LEAST_SPAN))

    # Equations of the flow.

    def mass(self, circuit):
        sums = {n: number(self.node_item(n), "inflow", 0.0) * circuit.rho for n in circuit.nodes}
        held = {n for n in circuit.nodes if "pressure" in self.node_item(n)}
        for name, item in self.items.items():
            if item["class"] in ("open_tank", "expansion_vessel") and item["node"] in sums:
                sums[item["node"]] -= self.rows[name]["flow"] * circuit.rho
        for edge in circuit.edges:
            sums[edge.start] -= edge.m
            sums[edge.end] += edge.m
        circuit.out = {n: sums[n] for n in held}
        for edge in circuit.edges:   # what the digits of the pressures leave open
            for n in (edge.start, edge.end):
                sums[n] = math.copysign(max(abs(sums[n]) - edge.unsure, 0.0), sums[n])
        for n, miss in sums.items():
            if n not in held:
                self.note("mass", n, miss, circuit.flow)

    def momentum(self, circuit):
        for edge in circuit.edges:
            item, m = edge.item, edge.m
            seen = self.p(edge.start) - self.p(edge.end) + circuit.rho * GRAVITY * (self.z(edge.start) - self.z(edge.end))
            shut = item.get("in_service") == "false" or item.get("connected") == "false"
            if shut:
                self.note("momentum", f"{edge.name}, which is shut", m, circuit.flow, TOLERANCE["mass"])
                continue
            trapped = self.isolated(edge)
            if item["class"] == "fixed_flow" or trapped or edge.by_law:
                continue
            if item["class"] in REGULATORS and abs(m) * laws.Body(item, circuit.rho).leak(item) < STANDING:
                # In a dead end it holds what it held when it shut.
                self.note("regulator", edge.name, min(seen, 0.0), circuit.pressure)
                continue
            equation = "regulator" if item["class"] in REGULATORS else "momentum"
            drop = self.law(circuit, edge, m)
            # What the digits of the table leave open of the flow.
            digits = abs(self.law(circuit, edge, m * (1.0 + 1e-9)) - drop) * DIGITS / 1e-9
            of_named = item["class"] == "pipe" and circuit.named
            tolerance = OF_FITTED_VISCOSITY if of_named and circuit.follows else OF_VISCOSITY if of_named else TOLERANCE[equation]
            self.note(equation, edge.name, max(abs(drop - seen) - digits, 0.0), circuit.pressure, tolerance)

    def isolated(self, edge):
        """Whether nothing joins it to a held pressure: there pressures are those of a trapped volume."""
        circuit = self.of[edge.start]
        if not hasattr(circuit, "joined"):
            seeds = {n for n in circuit.nodes if "pressure" in self.node_item(n)}
            if "reference" in circuit.item:
                seeds.add(circuit.item["reference"]["node"])
            seeds |= {item["node"] for item in self.items.values() if item["class"] in ("open_tank", "expansion_vessel") and self.of[item["node"]] is circuit}
            grown = True
            while grown:
                grown = False
                for e in circuit.edges:
                    if e.item.get("in_service") == "false" or e.item.get("connected") == "false" or e.item["class"] == "fixed_flow":
                        continue
                    if (e.start in seeds) != (e.end in seeds):
                        seeds |= {e.start, e.end}
                        grown = True
            circuit.joined = seeds
        return edge.start not in circuit.joined or edge.end not in circuit.joined

    def law(self, circuit, edge, m):
        item, rho, mu, row = edge.item, circuit.rho, circuit.mu, self.rows[edge.name]
        kind = item["class"]
        if kind == "pipe":
            if circuit.follows:
                mean = 0.5 * (self.t(edge.start) + self.t(edge.end))
                rho, mu = circuit.fluid.density(mean), circuit.fluid.viscosity(mean)
            return laws.pipe(item, rho, mu, self.friction, m)
        if kind == "resistance":
            return laws.resistance(item, rho, mu, m)
        if kind == "valve":
            return laws.kv_drop(laws.opening(item, row["position"]) * number(item, "kv"), rho, m)
        if kind == "three_way_valve":
            leakage, x = number(item, "leakage", 0.002), row["position"]
            kv, x = (number(item, "kv"), x) if edge.way == "flow" else (number(item, "kv_bypass"), 1.0 - x)
            return laws.kv_drop((leakage + (1.0 - leakage) * x) * kv, rho, m)
        if kind == "balancing_valve":
            return laws.kv_drop(laws.balancing_kv(item, row["setting"]), rho, m)
        if kind in ("check_valve", "differential_pressure_valve"):
            body = laws.Body(item, rho)
            return laws.held_back(body, body.leak(item), number(item, "cracking_pressure", number(item, "set_dp", 0.0)), m)
        if kind in ("pressure_reducing_valve", "pressure_sustaining_valve"):
            body, set_point = laws.Body(item, rho), number(item, "pressure")
            weight = rho * GRAVITY * (self.z(edge.start) - self.z(edge.end))
            due = self.p(edge.start) + weight - body.drop(m) - set_point if kind == "pressure_reducing_valve" else \
                set_point + weight - body.drop(m) - self.p(edge.end)
            held = max(due, 0.0)
            return held + (body.drop(m) if m >= 0.0 else body.leak(item) * m)
        if kind == "strainer":
            return laws.nominal(item, rho, m, exponent=number(item, "exponent", 2.0)) / (1.0 - row["clogging"]) ** 2
        if kind == "quick_disconnect":
            return laws.Body(item, rho).drop(m)
        if kind == "flow_limiting_valve":
            limit = number(item, "flow") * rho
            return laws.bore(item, rho, mu, m) + max(m - limit, 0.0) * laws.LIMITER / limit
        if kind in ("tank", "heat_load_bank"):
            return laws.nominal(item, rho, m)
        if kind == "cold_plate":
            return laws.nominal(item, rho, m, exponent=1.85, modules=number(item, "modules"))
        if kind in ("dry_cooler", "cooling_tower", "liquid_to_air_exchanger", "rear_door_exchanger"):
            return laws.nominal(item, rho, m, per_mass=True)
        if kind == "rack":
            return laws.rack(item, rho, m)
        if kind == "pump":
            return laws.pump(item, rho, row["speed"], m)
        if kind == "plate_heat_exchanger":
            side = "hot" if edge.way == "flow_hot" else "cold"
            return laws.nominal(item, rho, m, f"{side}_dp", f"{side}_flow", 1.76, per_mass=True)
        raise ValueError(f"no law of {kind}")

    # Equations of the heat.

    def inlet(self, edge):
        return self.t(edge.start if edge.m >= 0.0 else edge.end)

    def outlet(self, edge):
        return edge.end if edge.m >= 0.0 else edge.start

    def exchange(self, circuit, edge):
        """Checks the element's own equation, and gives its outlet node what it brings."""
        item, row, m = edge.item, self.rows[edge.name], abs(edge.m)
        kind, node, t_in = item["class"], self.outlet(edge), self.inlet(edge)
        if kind == "plate_heat_exchanger":
            self.heat[node] += circuit.carried(m, t_in, self.t(node))
            return
        arrives = t_in if edge.arrives is None else edge.arrives
        self.heat[node] += circuit.carried(m, arrives, self.t(node))
        gained = circuit.carried(m, arrives, t_in)
        where = f"{kind} {edge.name}"
        if kind == "pipe":
            self.give(item.get("air", "ambient"), row["loss"])
            self.element(circuit, f"loss of {where}", gained + row["loss"])
            if not circuit.follows and m > 1e-6 * circuit.flow:   # else next to nothing comes out
                out = self.pipe_outlet(circuit, item, m, t_in, self.surroundings(item.get("air", "ambient")))
                self.element(circuit, f"outlet of {where}", m * circuit.cp * (row["t_out"] - out))
        elif kind == "tank":
            self.element(circuit, where, gained)
        elif kind == "cold_plate":
            chip = item["body"]
            power = sum(number(i, "power") for i in self.items.values() if i["class"] == "heat_source" and i["to"] == chip)
            self.element(circuit, f"chip of {where}", row["heat"] - power)
            self.element(circuit, where, row["heat"] - gained)
            self.give(chip, -row["heat"])
            self.plate_resistance(circuit, edge, item, row, t_in, power)
        elif kind == "heat_load_bank":
            self.element(circuit, where, row["power"] - gained)
            if row["tripped"] == row["blocked"] == 0.0:
                self.element(circuit, f"setting of {where}", row["power"] - number(item, "power"))
        elif kind == "pump":
            self.pump_heat(circuit, edge, item, row)
        elif kind == "dry_cooler":
            self.cooler(circuit, edge, item, row, t_in)
        elif kind == "cooling_tower":
            self.tower(circuit, edge, item, row, t_in)
        elif kind == "chiller":
            self.chiller(circuit, edge, item, row, t_in)
        elif kind == "rack":
            self.rack(circuit, edge, item, row, t_in, gained)
        elif kind in COILS:
            self.coil(circuit, edge, item, row, t_in)

    def element(self, circuit, where, miss):
        self.note("element", where, miss, circuit.heat, OF_FIT if circuit.follows else None)

    def surroundings(self, place):
        """Temperature of a heat port."""
        if place == "ambient":
            return self.air
        row = self.rows[place]
        return next(row[key] for key in ("t_air", "t_exhaust", "t") if key in row)

    def give(self, place, heat):
        if place == "ambient":
            self.to_air += heat
        elif place in self.exhaust:
            self.exhaust[place] += heat
        else:
            self.rooms[place].append(heat)

    def pipe_outlet(self, circuit, item, m, t_in, air):
        loss, rate = laws.pipe_loss(item), m * circuit.cp
        if item.get("model") == "plug":
            return air + (t_in - air) * math.exp(-loss / rate)
        cells = number(item, "cells", 4.0)
        if number(item, "wall_thickness", 0.0) > 0.0 and number(item, "length") > 0.0 and loss > 0.0:
            film = laws.inner_film(item, circuit.mu, circuit.cp, circuit.k, m)
            loss = 1.0 / (1.0 / loss + 1.0 / film)
        return air + (t_in - air) * (1.0 + loss / (cells * rate)) ** -cells

    def plate_resistance(self, circuit, edge, item, row, t_in, power):
        """T_case = T_in + R(V) Q / modules at rest, where the flow is within the record and the law is known in closed form."""
        modules = number(item, "modules")
        v = abs(edge.m) / circuit.rho / modules
        if item["law"] == "fit" and row["outside"] == 0.0 and not circuit.follows:
            r = number(item, "resistance") + number(item, "resistance_slope") / v
            self.element(circuit, f"case of cold_plate {edge.name}", (row["t_case"] - t_in - r * power / modules) * abs(edge.m) * circuit.cp)

    def pump_heat(self, circuit, edge, item, row):
        rise, rho = self.p(edge.end) - self.p(edge.start), circuit.rho
        hydraulic = max(rise * edge.m / rho, 0.0)
        efficiency = laws.pump_efficiency(item, row["speed"], edge.m, rho)
        power = number(item, "idle_power", 0.0) + max(hydraulic / efficiency if efficiency > 0.0 else 0.0,
                                                      number(item, "shut_off_power", 0.0) * row["speed"] ** 3)
        if hydraulic > 0.0 or number(item, "shut_off_power", 0.0) > 0.0:
            self.element(circuit, f"power of pump {edge.name}", row["power"] - power)
        to_coolant = hydraulic + number(item, "loss_to_coolant", 1.0) * (row["power"] - hydraulic)
        self.heat[edge.end] += to_coolant
        self.to_air += row["power"] - to_coolant

    def cooler(self, circuit, edge, item, row, t_in):
        m, node = abs(edge.m), self.outlet(edge)
        recirculation, out = number(item, "recirculation", 0.0), number(item, "fans_out", 0.0) / number(item, "fans", 1.0)

        def conducted(draft):
            rate, air = m * (circuit.fluid.specific_heat(t_in) if circuit.follows else circuit.cp), draft * number(item, "air_flow") * AIR_CP
            ua = number(item, "ua") / (0.5 * draft ** -0.8 + 0.5 * (m / number(item, "flow")) ** -0.8)
            least, most = min(rate, air), max(rate, air)
            law = laws.counterflow if item.get("arrangement", "counterflow") == "counterflow" else laws.crossflow
            return law(ua / least, least / most) * least

        if m > 1e-6 * circuit.flow:
            reach = (1.0 - out) * conducted(max(row["speed"], NATURAL_DRAFT)) + out * conducted(NATURAL_DRAFT)
            if not circuit.follows:
                self.element(circuit, f"dry_cooler {edge.name}", row["heat"] - reach * (t_in - self.air - recirculation))
        self.heat[node] -= row["heat"]
        self.to_air += row["heat"] + row["power"]

    def tower(self, circuit, edge, item, row, t_in):
        m, node = abs(edge.m), self.outlet(edge)
        wet = self.wet + number(item, "recirculation", 0.0)
        if m > 1e-6 * circuit.flow:
            cp = circuit.fluid.specific_heat(t_in) if circuit.follows else circuit.cp
            if item["model"] == "merkel":
                heat = equipment.merkel(item, cp, self.pressure, t_in, wet, m, row["speed"], number)
            else:
                heat = equipment.yorkcalc(item, cp, t_in, wet, m, row["speed"], number)
            if not circuit.follows:
                self.note("rejection", f"cooling_tower {edge.name}", row["heat"] - heat, circuit.heat)
            # Water: of the air that enters, with the weather's dry bulb and the raised wet bulb.
            entering = equipment.saturation_ratio(wet, self.pressure)
            dry_air = max(row["speed"], number(item, "free_convection", 0.1)) * number(item, "air_flow") * equipment.dry_air_density(wet, entering, self.pressure)
            w, c = wet - equipment.KELVIN, self.air - equipment.KELVIN
            ratio = ((2501.0 - 2.326 * w) * entering - 1.006 * (c - w)) / (2501.0 + 1.86 * c - 4.186 * w)
            if number(item, "recirculation", 0.0) == 0.0:
                taken = equipment.evaporation(row["heat"], dry_air, wet, t_in, ratio, self.pressure, m)
                self.note("rejection", f"evaporation of {edge.name}", row["evaporation"] - taken, max(m, LEAST_FLOW))
        drift = number(item, "drift", 8e-5) * m
        blowdown = max(row["evaporation"] / (number(item, "cycles_of_concentration", 3.0) - 1.0) - drift, 0.0)
        self.note("rejection", f"make-up of {edge.name}", row["make_up"] - row["evaporation"] - drift - blowdown, max(m, LEAST_FLOW))
        self.note("rejection", f"fans of {edge.name}", row["power"] - number(item, "fan_power") * row["speed"] ** 3, max(row["power"], LEAST_HEAT))
        self.heat[node] -= row["heat"]
        self.to_air += row["heat"] + row["power"]

    def chiller(self, circuit, edge, item, row, t_in):
        m, node = abs(edge.m), self.outlet(edge)
        if edge.way == "condenser":
            self.heat[node] += row["heat"] + row["power"]
            return
        self.heat[node] -= row["heat"]
        if "condenser" not in item:
            self.to_air += row["heat"] + row["power"]
        condenser = row["t_condenser_entering"]
        if "condenser" in item:
            other = next(e for e in self.of[item["condenser"][0]].edges if e.name == edge.name and e.way == "condenser")
            enters = self.inlet(other)
        else:
            enters = self.air + number(item, "recirculation", 0.0)
        self.note("rejection", f"condenser of {edge.name}", condenser - enters, 1.0)
        if row["running"] == 0.0:
            self.note("rejection", f"{edge.name} at rest", row["heat"] + row["power"], LEAST_HEAT)
            return
        asked = max(circuit.carried(m, t_in, number(item, "set_point")), 0.0)
        scale, fit = max(asked, circuit.heat), (OF_FIT if circuit.follows else None)
        heat = min(asked, equipment.chiller_most(item, number, row["t_leaving"], condenser))
        # Where the capacity follows the leaving temperature, that is found with the specific heat at the entering one.
        self.note("rejection", f"chiller {edge.name}", row["heat"] - heat, scale, OF_LEAVING if fit and heat < asked else fit)
        self.note("rejection", f"power of {edge.name}", row["power"] - equipment.chiller_power(item, number, row["heat"], row["t_leaving"], condenser), scale, fit)

    def coil(self, circuit, edge, item, row, t_in):
        m, node, kind = abs(edge.m), self.outlet(edge), item["class"]
        cp = circuit.fluid.specific_heat(t_in) if circuit.follows else circuit.cp
        rate, room = m * cp, self.surroundings(item["air"])
        speed, power = row.get("speed", 0.0), row.get("power", 0.0)
        flowing = m > 1e-6 * circuit.flow
        if kind != "room_cooler":
            self.element(circuit, f"fans of {edge.name}", power - number(item, "fan_power") * speed ** number(item, "fan_exponent", 3.0))
        if kind == "room_cooler":
            heat = rate * (1.0 - math.exp(-number(item, "ua") / rate)) * (room - t_in) if flowing else row["heat"]
            self.give(item["air"], -row["heat"])
            taken = row["heat"]
        elif kind == "fan_wall":
            air = speed * number(item, "air_flow") * AIR_CP
            behind = room + power / air
            heat = max(min(air * (behind - number(item, "supply_air")), number(item, "coil_effectiveness") * min(air, rate) * (behind - t_in)), 0.0)
            self.give(item["air"], power - row["heat"])
            taken = row["heat"]
        else:
            door = kind == "rear_door_exchanger"
            v = max(speed, number(item, "rack_air", 1.0) if door else number(item, "natural_draft", 0.02))
            share, through = number(item, "air_share", 0.7), 1.0 - number(item, "bypass", 0.0)
            air, enters = v * number(item, "air_flow") * AIR_CP, row["t_exhaust"] if door else room
            heat = row["heat"]
            if flowing:
                ua = number(item, "ua") / (share * (through * v) ** -0.8 + (1.0 - share) * (m / number(item, "flow")) ** -0.8)
                least, most = sorted((rate, through * air))
                law = laws.counterflow if item["arrangement"] == "counterflow" else laws.crossflow
                heat = law(ua / least, least / most) * least * (enters - t_in) * (1.0 if door else -1.0)
            if door:
                exhaust = self.exhaust[edge.name] + sum(number(i, "power") for i in self.items.values() if i["class"] == "heat_source" and i["to"] == edge.name)
                self.element(circuit, f"exhaust of {edge.name}", exhaust - air * (enters - room))
                self.give(item["air"], air * (enters - room) - row["heat"] + power)
                taken = row["heat"]
            else:
                self.give(item["air"], row["heat"] + power)
                taken = -row["heat"]
        if not circuit.follows:
            self.element(circuit, f"{kind} {edge.name}", row["heat"] - heat)
        self.heat[node] += taken

    def rack(self, circuit, edge, item, row, t_in, gained):
        name, m = edge.name, edge.m
        scale = max(row["power"], LEAST_HEAT)
        self.note("rack", f"supply of {name}", (row["t_supply"] - t_in) * abs(m) * circuit.cp, max(scale, circuit.heat))
        self.note("rack", f"coolant of {name}", row["heat"] - gained, max(scale, circuit.heat), OF_FIT if circuit.follows else None)
        self.note("rack", f"air of {name}", row["power"] - row["heat"] - row["heat_air"], scale)
        self.give(item.get("air", "ambient"), row["heat_air"])
        trays, gpus, switches = (int(number(item, key)) for key in ("trays", "gpus_per_tray", "switch_trays"))
        chips = [f"{name}-T{t:0{len(str(trays))}}" for t in range(1, trays + 1)]
        tray_names = [n for n in self.rows if n.startswith(name + "-T") and n.count("-") == chips[0].count("-")]
        gpu_names = [n for n in self.rows if n.startswith(name + "-T") and "-G" in n[len(name):]]
        cpu_names = [n for n in self.rows if n.startswith(name + "-T") and n.endswith("-C")]
        switch_names = [n for n in self.rows if n.startswith(name + "-S")]
        assert (len(tray_names), len(gpu_names), len(cpu_names), len(switch_names)) == (trays, trays * gpus, trays, switches), name
        total = sum(self.rows[n]["power"] for n in gpu_names + cpu_names + switch_names)
        direct = total + trays * number(item, "tray_air_power") + number(item, "auxiliary_power")
        self.note("rack", f"direct current of {name}", row["power_dc"] - direct, scale)
        load = direct / (number(item, "shelves") * number(item, "shelf_rating"))
        self.note("rack", f"shelves of {name}", row["power"] - direct / equipment.shelf_efficiency(load), scale)
        liquid = total - sum((1.0 - 0.887097) * self.rows[n]["power"] for n in switch_names)
        self.note("rack", f"liquid of {name}", row["heat"] - liquid, max(scale, circuit.heat))
        self.note("mass", f"trays of {name}", sum(self.rows[n]["flow"] for n in tray_names + switch_names) * circuit.rho - m, circuit.flow)
        for n in gpu_names:
            self.gpu(circuit, item, n, self.rows[n], self.rows[n[:n.rindex("-")]], row["t_supply"], m >= 0.0)

    def gpu(self, circuit, item, name, row, tray, t_supply, forward):
        leakage = number(item, "gpu_leakage", 1.4)
        if row["throttled"] == 0.0 and row["utilisation"] == 0.0:
            power = number(item, "gpu_idle_power") + leakage * (row["t_junction"] - 333.15)
            self.note("chip", f"power of {name}", row["power"] - min(max(power, 0.0), 1400.0), max(row["power"], LEAST_HEAT))
        self.note("chip", f"junction of {name}", row["t_junction"] - row["t_case"] - 0.0095 * row["power"], max(0.0095 * row["power"], 0.1))
        gpus = number(item, "gpus_per_tray")
        flow = abs(tray["flow"]) * 1400.0 / (gpus * 1400.0 + 600.0)
        if forward and flow >= 1.01 * 1.16667e-5:
            rise = (0.01617 + 1.39833e-7 / flow) * row["power"]
            self.note("chip", f"case of {name}", row["t_case"] - t_supply - rise, max(rise, 0.1))

    def unit(self, name, item):
        row, hx = self.rows[name], self.rows[item["exchanger"]]
        pumps = [self.rows[n] for n in item["pumps"]]
        self.note("element", f"heat of {name}", row["heat"] - hx["heat"], max(abs(hx["heat"]), LEAST_HEAT))
        for key in ("flow", "power"):
            total = sum(p[key] for p in pumps)
            self.note("element", f"{key} of {name}", row[key] - total, max(sum(abs(p[key]) for p in pumps), 1e-9))
        self.note("element", f"pressure of {name}", row["dp"] - self.p(item["supply_node"]) + self.p(item["return_node"]), 1e5)

    def exchangers(self):
        for name, item in self.items.items():
            if item["class"] != "plate_heat_exchanger":
                continue
            row = self.rows[name]
            hot, cold = (next(e for e in self.of[item[side][0]].edges if e.name == name and e.way == f"flow_{side}") for side in ("hot", "cold"))
            self.heat[self.outlet(hot)] -= row["heat"]
            self.heat[self.outlet(cold)] += row["heat"]
            circuits = self.of[hot.start], self.of[cold.start]
            if any(c.follows for c in circuits) or min(abs(hot.m) / circuits[0].flow, abs(cold.m) / circuits[1].flow) < 1e-6:
                continue
            ua0, ratio = number(item, "ua"), number(item, "film_ratio", 1.0)
            cold_film0 = ua0 * (1.0 + 1.0 / ratio)
            film = ratio * cold_film0 * (abs(hot.m) / number(item, "hot_flow")) ** 0.8, cold_film0 * (abs(cold.m) / number(item, "cold_flow")) ** 0.8
            ua = 1.0 / (1.0 / film[0] + 1.0 / film[1] + number(item, "fouling", 0.0))
            rates = abs(hot.m) * circuits[0].cp, abs(cold.m) * circuits[1].cp
            law = laws.counterflow if (hot.m >= 0.0) == (cold.m >= 0.0) else laws.parallel_flow
            heat = law(ua / min(rates), min(rates) / max(rates)) * min(rates) * (self.inlet(hot) - self.inlet(cold))
            self.note("element", f"exchanger {name}", row["heat"] - heat, max(abs(row["heat"]), max(c.heat for c in circuits)))

    def balances(self, circuit):
        """Of every node that is mixed; what a held one takes leaves the plant."""
        for name, item in self.items.items():
            if item["class"] in ("open_tank", "expansion_vessel") and item["node"] in circuit.nodes:
                taken = self.rows[name]["flow"] * circuit.rho
                if abs(taken) > TOLERANCE["mass"] * circuit.flow:
                    self.failures.append(f"{name} of a closed circuit takes {taken} kg/s")
        for n in circuit.nodes:
            if "temperature" in self.node_item(n):
                self.to_boundaries += self.heat[n]
                continue
            self.note("heat", n, self.heat[n], circuit.heat, OF_FIT if circuit.follows else None)

    def total(self):
        """Power against what leaves: by air, and what streams and held temperatures take at the boundaries."""
        power = sum(number(i, "power") for i in self.items.values() if i["class"] == "heat_source")
        power += sum(self.rows[n]["power"] for n, i in self.items.items() if i["class"] in POWERED)
        facility = self.rows["facility"]
        scale = max(power, LEAST_HEAT)
        self.note("total", "power put in", facility["facility_power"] - power, scale)
        self.note("total", "heat to outdoor air", facility["heat_to_ambient"] - self.to_air, max(scale, abs(self.to_air)))
        # Coolant that crosses a boundary carries its enthalpy, counted from one of the circuit's boundaries: what comes in goes out.
        streams = 0.0
        for circuit in self.circuits.values():
            crossing = [(flow, self.t(n)) for n, flow in circuit.out.items()]
            crossing += [(-number(self.node_item(n), "inflow") * circuit.rho, self.t(n)) for n in circuit.nodes if "inflow" in self.node_item(n)]
            for flow, t in crossing:
                self.to_boundaries += circuit.carried(flow, t, crossing[0][1])
            streams += circuit.heat if crossing else 0.0
        self.note("total", "power less what leaves", power - self.to_air - self.to_boundaries, scale + streams,
                  OF_FIT if any(c.follows for c in self.circuits.values()) else None)
