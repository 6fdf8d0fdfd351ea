"""Equipment of a random plant beside pipes and fittings: racks, coils in rooms, chillers, cooling towers, the economiser. What a circuit of
random_network.py is built with; sizes follow from the flow, and powers are such that temperatures rise by some kelvin.
"""
KELVIN = 273.15
AIR_CP = 1006.0
# Curves of public EnergyPlus data sets: (capacity, input, part load, evaporator range, condenser range) of a centrifugal in condenser water
# (McQuay WSC 471 kW), one of a screw in outdoor air (Carrier 30XA240).
IN_WATER = ((0.252113, 0.01324053, -0.008637329, 0.08581056, -0.004261176, 0.008661899),
            (0.4475238, -0.0258821, -0.001459053, 0.04342595, -0.001000651, 0.001920106),
            (0.2778889, 0.2338363, 0.4883748), (7.22, 12.78), (12.78, 26.67))
IN_AIR = ((0.7844608307, 0.0496965209, -0.0007704563, 0.0062651469, -0.0001580228, -0.0004502762),
          (-0.3078657246, 0.0607254323, 0.000999675, 0.0391939439, -0.0000010751, -0.0021290772),
          (0.0, 1.0, 0.0), (4.44, 10.0), (29.44, 46.11))
LEAST_SHARE = 0.45   # of the reference capacity that both machines have within their ranges and margins, and beyond


class Equipment:
    """Part of random_network.Circuit."""

    def rate(self, q):
        return q * self.density * self.cp

    # Loads.

    def rack(self, a, b, q, dp):
        r = self.random
        gpus, switches = r.randrange(1, 5), r.choice((0, 0, 1, 2))
        trays = max(1, min(12, round(q / 3e-5 / (gpus + 0.5))))
        n = r.uniform(1.7, 1.98)
        each = min(self.rate(q) * r.uniform(0.5, 4.0) / (trays * (gpus + 0.6) + 0.8 * switches), 900.0)   # of a GPU
        fields = {"class": "rack", "from": a, "to": b, "trays": trays, "gpus_per_tray": gpus, "switch_trays": switches,
                  "dp_flow_low": f"{q / 3.0:.6g} m3/s", "dp_low": f"{dp / 3.0 ** n:.6g} Pa", "dp_flow_high": f"{q:.6g} m3/s", "dp_high": f"{dp:.6g} Pa",
                  "gpu_idle_power": f"{each:.6g} W", "cpu_idle_power": f"{0.6 * each:.6g} W",
                  "switch_idle_power": f"{0.8 * each:.6g} W", "tray_air_power": f"{r.uniform(0.0, 400.0):.6g} W",
                  "auxiliary_power": f"{r.uniform(0.0, 800.0):.6g} W", "shelves": r.choice((2, 4, 8)),
                  "shelf_rating": f"{trays * gpus * r.uniform(300.0, 1500.0):.6g} W", "manifold_return": r.choice(("direct", "reverse"))}
        # In some circuits coolant is hot; a chip that throttles is on and off, which no table of one moment shows.
        fields |= {f"{chip}_throttle_temperature": "420 K" for chip in ("gpu", "cpu", "switch")}
        fields |= {f"{chip}_shutdown_temperature": "430 K" for chip in ("gpu", "cpu", "switch")}
        if r.random() < 0.3:
            fields["gpu_leakage"] = "0 W/K"
        return self.add("rack", fields)

    def room(self, power):
        """A zone that something in this circuit cools; now and then outdoor air has a part in it."""
        r = self.random
        hall = self.add("hall", {"class": "zone", "volume": f"{r.uniform(50.0, 500.0):.6g} m3"})
        self.add("heat", {"class": "heat_source", "to": hall, "power": f"{power:.6g} W"})
        if r.random() < 0.3:
            self.add("wall", {"class": "heat_resistance", "a": hall, "b": r.choice(("ambient", hall)), "resistance": f"{20.0 / power:.6g} K/W"})
            name, wall = list(self.pod.equipment.items())[-1]
            if wall["b"] == hall:   # behind the wall a mass of its own
                wall["b"] = self.add("mass", {"class": "heat_capacity", "capacity": "1e6 J/K"})
                self.add("heat", {"class": "heat_source", "to": wall["b"], "power": f"{0.1 * power:.6g} W"})
        self.pod.halls.append(hall)
        return hall

    def coil(self, a, b, q, dp):
        r = self.random
        rate = self.rate(q)
        power = rate * r.uniform(0.3, 2.0)
        hall = self.room(power)
        kind = r.randrange(4)
        air_flow, flow = f"{rate / AIR_CP * r.uniform(0.5, 2.0):.6g} kg/s", f"{q * self.density:.6g} kg/s"
        if kind == 0:
            return self.add("cooler", {"class": "room_cooler", "from": a, "to": b, "air": hall, "ua": f"{rate * r.uniform(0.5, 2.0):.6g} W/K",
                                       "dp": f"{dp:.6g} Pa", "flow": f"{q:.6g} m3/s"})
        if kind == 1:
            return self.add("wall", {"class": "fan_wall", "from": a, "to": b, "air": hall, "air_flow": air_flow, "fan_power": f"{0.03 * power:.6g} W",
                                     "fan_exponent": r.choice((1, 3)), "supply_air": f"{r.uniform(290.0, 310.0):.6g} K",
                                     "coil_effectiveness": round(r.uniform(0.5, 0.95), 3), "start_speed": r.choice((0.5, 0.8, 1.0)),
                                     "dp": f"{dp:.6g} Pa", "flow": f"{q:.6g} m3/s"})
        fields = {"from": a, "to": b, "air": hall, "air_flow": air_flow, "flow": flow, "fan_power": f"{0.03 * power:.6g} W", "dp": f"{dp:.6g} Pa",
                  "start_speed": r.choice((0.5, 0.8, 1.0)), "arrangement": r.choice(("counterflow", "crossflow_unmixed")),
                  "ua": f"{rate * r.uniform(0.5, 2.0):.6g} W/K"}
        if kind == 2:
            return self.add("coil", {"class": "liquid_to_air_exchanger"} | fields)
        # The heat of the exhaust beside that of the room; what the door leaves of both the room gives to outdoor air.
        door = self.add("door", {"class": "rear_door_exchanger", "rack_air": round(r.uniform(0.3, 1.0), 3), "bypass": r.choice((0.0, 0.1))} | fields)
        self.add("exhaust", {"class": "heat_source", "to": door, "power": f"{power:.6g} W"})
        self.add("wall", {"class": "heat_resistance", "a": hall, "b": "ambient", "resistance": f"{10.0 / power:.6g} K/W"})
        return door

    # Where heat leaves.

    def chiller(self, a, b, q, dp, set_point, condenser=None, alone=False):
        """Its capacity follows when all heat is known; `alone` it has to take all of it."""
        r = self.random
        law = r.choice(("carnot", "constant") if alone else ("carnot", "constant", "eir", "eir"))
        fields = {"class": "chiller", "from": a, "to": b, "set_point": f"{set_point:.6g} K", "cop_law": law, "dp": f"{dp:.6g} Pa", "flow": f"{q:.6g} m3/s"}
        if law == "carnot":
            fields |= {"carnot_fraction": round(r.uniform(0.4, 0.6), 3), "condenser_approach": f"{r.uniform(3.0, 15.0):.4g} K"}
        elif law == "constant":
            fields["cop"] = round(r.uniform(2.5, 7.0), 3)
        else:
            curves = IN_WATER if condenser else IN_AIR
            fields |= {key: list(values) for key, values in zip(("capacity_curve", "input_curve", "part_load_curve"), curves)}
            fields |= {key: [f"{t + KELVIN} K" for t in values] for key, values in zip(("evaporator_range", "condenser_range"), curves[3:])}
            fields |= {"cop": 5.5 if condenser else 3.0, "minimum_load": r.choice((0.0, 0.1)), "maximum_load": r.choice((1.0, 1.15))}
            if r.random() < 0.5:
                fields["unloading_limit"] = r.choice((0.1, 0.3))
        if condenser:
            fields |= {"condenser": list(condenser[0]), "condenser_flow": f"{condenser[1]:.6g} m3/s", "condenser_dp": f"{r.uniform(10e3, 50e3):.6g} Pa",
                       "condenser_minimum_flow": 0.05}
        elif r.random() < 0.3:
            fields["recirculation"] = "2 K"
        name = self.add("chiller", fields)
        share = r.uniform(1.5, 3.0) if alone or r.random() < 0.6 else r.uniform(0.2, 1.0)
        self.pod.later.append(lambda: fields.update(capacity=f"{share * self.pod.heat_of(self) / LEAST_SHARE:.6g} W"))
        return name

    def tower(self, a, b, q):
        r = self.random
        flow = q * self.density
        fields = {"class": "cooling_tower", "from": a, "to": b, "model": r.choice(("merkel", "merkel", "yorkcalc")), "flow": f"{flow * r.uniform(0.9, 1.3):.6g} kg/s",
                  "air_flow": f"{flow * r.uniform(0.6, 1.2):.6g} m3/s", "fan_power": f"{flow * r.uniform(100.0, 400.0):.6g} W",
                  "start_speed": r.choice((0.5, 0.8, 1.0, r.uniform(0.0, 1.0))), "dp": f"{r.uniform(20e3, 60e3):.6g} Pa",
                  "cycles_of_concentration": round(r.uniform(2.0, 6.0), 2)}
        if fields["model"] == "yorkcalc":   # with next to no air its polynomial has two ranges for one approach: such a plant hunts
            fields["start_speed"] = r.choice((0.5, 0.8, 1.0))
        else:
            if r.random() < 0.4:
                fields["ua"] = f"{self.rate(q) * r.uniform(0.8, 2.0):.6g} W/K"
            elif r.random() < 0.5:
                fields |= {"range": "5 K", "approach": "4.5 K", "t_wet_bulb": "297 K"}
        if r.random() < 0.2:
            fields["recirculation"] = "1 K"
        return self.add("tower", fields)

    def condenser_water(self, q, ways):
        """A circuit of its own with tower; its part from pump to tower goes through `ways` pairs of nodes in a row, which are given back."""
        c = self.pod.new_circuit("water")
        suction, discharge = c.node(), c.node()
        c.pumps(suction, discharge, q, 180e3)
        nodes = [discharge] + [c.node() for _ in range(ways)]
        warm = nodes[-1]
        if c.random.random() < 0.5:
            warm = c.node()
            c.pipe(nodes[-1], warm, q, 10e3)
        for _ in range(c.random.choice((1, 1, 2))):
            c.tower(warm, suction, q)
        self.pod.hold(c, suction, q)
        return list(zip(nodes, nodes[1:]))

    def economiser(self, a, b, q, set_point):
        """Past or through an exchanger in tower water, then a chiller that has the same."""
        r = self.random
        first, second = self.condenser_water(1.3 * q, 2)
        into, mixed = self.node(), self.node()
        valve = self.add("twv", {"class": "three_way_valve", "from": a, "to": into, "through": mixed, "kv": f"{self.kv(q, 15e3):.6g} m3/s",
                                 "kv_bypass": f"{self.kv(q, 30e3):.6g} m3/s", "start_position": 0})
        tower = self.pod.parts[-1]
        self.pod.exchanger((into, mixed), first, q * self.density, 1.3 * q * tower.density, self.rate(q) * r.uniform(1.0, 4.0))
        chiller = self.chiller(mixed, b, q, 30e3, set_point, (second, 1.3 * q), alone=True)
        outdoors, back = self.fresh("WB"), self.fresh("TT")
        self.pod.controls[outdoors] = {"class": "sensor", "measures": "facility.t_wet_bulb", "lag": "5 s"}
        self.pod.controls[back] = {"class": "sensor", "measures": f"{a}.t", "lag": "5 s"}
        self.pod.controls[self.fresh("ECO")] = {"class": "economiser_control", "source": outdoors, "return": back, "valves": [valve], "chillers": [chiller],
                                                "set_point": f"{set_point:.6g} K", "approach": f"{r.uniform(2.0, 6.0):.4g} K"}

    def heat_rejection(self, a, b, q, heat):
        """From the hot node to the cold one."""
        r = self.random
        ways = ["dry", "dry", "trim", "trim in air", "alone", "in water", "economiser"] + ["tower"] * 2 * self.watery
        if self.pod.room < 25:
            ways = ["dry", "trim in air", "alone"] + ["tower"] * self.watery
        way = r.choice(ways)
        set_point = r.uniform(280.0, 302.0)
        if way in ("trim", "trim in air"):
            middle = self.node()
            self.dry_cooler(a, middle, q, 30e3, heat)
            condenser = (self.condenser_water(1.2 * q, 1)[0], 1.2 * q) if way == "trim" else None
            self.chiller(middle, b, q, 20e3, set_point, condenser)
        elif way == "alone":
            self.chiller(a, b, q, 40e3, set_point, alone=True)
        elif way == "in water":
            self.chiller(a, b, q, 40e3, set_point, (self.condenser_water(1.2 * q, 1)[0], 1.2 * q), alone=True)
        elif way == "economiser":
            self.economiser(a, b, q, set_point)
        elif way == "tower":
            for _ in range(r.choice((1, 1, 2))):
                self.tower(a, b, q)
        else:
            for _ in range(r.choice((1, 1, 2))):
                self.dry_cooler(a, b, q, 40e3, heat)

    # What the chillers have to take.

    def power_of(self, fields):
        kind = fields["class"]
        if kind in ("heat_source", "heat_load_bank"):
            return float(fields["power"].split()[0])
        if kind == "pump":
            head, last = fields["head_curve"][0][1], fields["head_curve"][-1][0]
            return float(head.split()[0]) * float(last.split()[0]) / 0.3 + sum(float(fields.get(k, "0").split()[0]) for k in ("idle_power", "shut_off_power"))
        if kind == "rack":
            gpus = fields["trays"] * fields["gpus_per_tray"]
            return 1.3 * (gpus * 1000.0 + fields["trays"] * 600.0 + fields["switch_trays"] * 1000.0)
        return 0.0


def elements_to_free(edges, held):
    """Of `edges`, {name: (a, b)}, those without which all that `held` nodes reach they still reach: one name after the other is taken."""
    def reached(names):
        near = {}
        for name in names:
            a, b = edges[name]
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
        seen, open_ends = set(held), list(held)
        while open_ends:
            for n in near.get(open_ends.pop(), ()):
                if n not in seen:
                    seen.add(n)
                    open_ends.append(n)
        return seen

    all_nodes = reached(edges)
    names = {name for name, ends in edges.items() if all_nodes.issuperset(ends)}
    for name in sorted(names):
        left = names - {name}
        if reached(left) == all_nodes:
            names = left
            yield name
