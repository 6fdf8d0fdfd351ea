"""Random pods: what stands there, drawn from one generator of random numbers.

A pod is drawn as an engineer would draw one, outwards from the heat: racks in loops, coolant distribution units, facility
water with pumps, dry coolers and now and then a chiller, a buffer and real pipes, a room with its own cooling, a test stand
beside it, the electrical tree above it all. Every part is sized from the heat and flow it has to carry, times a factor that
makes it too small by a quarter or twice too large. Other numbers are drawn from the bands of what is built; in a harsh pod
now and then from the ends of what a class still allows.
"""

WATER = 4.13e6                   # J/(m3 K); volumetric heat capacity around 40 degC, for sizing only
WATER_DENSITY = 1e3              # kg/m3, for sizing only
AIR_CP = 1006.0                  # J/(kg K)
BAR = 1e5                        # Pa
RACK_FLOW = 125e-3 / 60 / 142e3  # m3/(s W); the reference pod's 125 L/min for 142 kW, pod-design 2.1
RACK_HEAD = 66e3                 # Pa at that flow
NAMEPLATE = 135e3                # W; of the rack whose flows and volumes are scaled
SHARE_TO_AIR = 0.13              # of a rack's power, for sizing only
ZERO_CELSIUS = 273.15
NOT_SWITCHED = ("zone", "heat_resistance", "heat_capacity", "cdu", "sensor", "pi_controller", "standby_sequencer")


def kelvin(celsius):
    return celsius + ZERO_CELSIUS


def quantity(value, unit):
    return f"{value:.6g} {unit}"


def flow_style(value):
    """A value as YAML's flow form has it, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow_style(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow_style, value)) + "]"
    return str(value)


class RandomPod:
    def __init__(self, random):
        self.random = random
        self.harsh = self.chance(0.4)
        self.circuits, self.nodes, self.equipment, self.controls = {}, {}, {}, {}
        self.placed = []          # (id, class) of all equipment
        self.racks = []
        self.rack_rated = 0.0     # W, of the largest rack
        self.coldest = kelvin(20.0)  # K; the coldest thing that anything is in contact with, outdoor air apart; a plant starts at 20 degC
        self.critical, self.buses = [], []
        self.dry_bulb = self.between(-15.0, 42.0)  # degC; what the heat rejection is drawn for
        self.build()

    # -- drawing

    def between(self, low, high):
        return self.random.uniform(low, high)

    def chance(self, share):
        return self.random.random() < share

    def oversize(self):
        """A part as somebody sized it: a quarter too small to twice too large."""
        return self.random.choice((self.between(0.75, 1.0), self.between(1.0, 1.4), self.between(1.4, 2.0)))

    def span(self, low, high, least, most):
        """A value of the usual band; in a harsh pod now and then of what the class still allows."""
        if self.harsh and self.chance(0.25):
            return self.random.choice((least, most, self.between(least, most)))
        return self.between(low, high)

    # -- placing

    def add(self, identity, kind, section=None, **entry):
        (self.equipment if section is None else section)[identity] = {"class": kind, **entry}
        self.placed.append((identity, kind))
        return identity

    def edge(self, identity, kind, start, end, **entry):
        return self.add(identity, kind, **{"from": start, "to": end}, **entry)

    def of_class(self, *kinds):
        return [identity for identity, kind in self.placed if kind in kinds]

    def switched(self):
        """(id, class) of what can stop: trip, or be shut off."""
        return [(identity, kind) for identity, kind in self.placed if kind not in NOT_SWITCHED]

    def supply(self):
        return {"supply": self.random.choice(self.buses)} if self.buses and self.chance(0.85) else {}

    def lag(self):
        """How fast a drive follows: half a second to two, in a harsh pod from at once to lazily."""
        return {"lag": quantity(self.span(0.5, 2.0, 0.01, 20.0), "s")}

    def node(self, name, flow, low, high):
        """A node with a mixed volume of some seconds of flow."""
        self.nodes[name] = {"volume": quantity(flow * self.span(low, high, 0.05, 200.0), "m3")}

    def piping(self, identity, start, end, dp, flow):
        """A stated drop, or a real pipe of about that flow."""
        if self.chance(0.3):
            velocity = self.between(1.2, 2.4)
            diameter = (4.0 * flow / (3.14159 * velocity)) ** 0.5
            self.edge(identity, "pipe", start, end, length=quantity(self.between(5.0, 60.0), "m"), diameter=quantity(diameter, "m"),
                      cells=self.random.randint(1, 6),
                      loss=quantity(self.random.choice((0.0, self.between(0.0, 100.0))), "W/K"))
        else:
            self.edge(identity, "resistance", start, end, dp=quantity(dp, "Pa"), flow=quantity(flow, "m3/s"),
                      exponent=f"{self.random.choice((2.0, 2.0, self.between(1.7, 2.0))):.3g}")

    def pumps(self, name, start, end, count, flow, head):
        """`count` equal pumps that carry the flow together at the head, with some of both to spare."""
        h = head * self.between(1.15, 1.7)
        curve = [[quantity(0.0, "m3/s"), quantity(h * self.between(1.2, 1.8), "Pa")],
                 [quantity(flow / count * self.between(1.0, 1.5), "m3/s"), quantity(h, "Pa")]]
        return [self.edge(f"{name}{k + 1}", "pump", start, end, head_curve=curve,
                          efficiency=quantity(self.between(45.0, 80.0), "%"),
                          ramp_time=quantity(self.span(5.0, 40.0, 0.01, 300.0), "s"),
                          coast_down=quantity(self.span(0.5, 6.0, 0.01, 60.0), "s"),
                          check_valve="false" if self.harsh and self.chance(0.2) else "true", **self.lag(), **self.supply())
                for k in range(count)]

    def controller(self, name, drives, span, integral_time, gain, measured, **entry):
        self.add(f"{name}-S", "sensor", self.controls, lag=quantity(self.span(0.5, 6.0, 0.01, 30.0), "s"), **measured)
        if self.chance(0.2):
            entry["sample_period"] = self.random.choice(("0 s", "2 s", "5 s"))
        self.add(f"{name}-C", "pi_controller", self.controls, sensor=f"{name}-S", drives=drives, **span,
                 gain=f"{self.between(*gain):.3g}", integral_time=quantity(self.between(*integral_time), "s"), **entry)

    def hold_temperature(self, name, node, drives, set_point, gain, **entry):
        """Cooling harder when it is too warm."""
        self.controller(name, drives, {"span_temperature": "10 K"}, (35.0, 90.0), gain, {"measures": node},
                        set_point_temperature=quantity(set_point, "degC"), action="direct", **entry)

    def hold_pressure(self, name, high, low, drives, set_point, gain, output_low):
        self.controller(name, drives, {"span_pressure": "100 kPa"}, (3.0, 12.0), gain, {"measures": f"{high}.p", "minus": f"{low}.p"},
                        set_point_pressure=quantity(set_point, "Pa"), output_low=output_low)

    # -- the pod

    def build(self):
        loops = [self.draw_loop(n + 1) for n in range(self.random.choice((1, 1, 2, 2, 3, 4)))]
        self.heat = sum(loop["heat"] for loop in loops)
        self.facility_flow = self.heat / (WATER * self.between(8.0, 12.0))
        self.facility_set = self.between(22.0, 36.0)  # degC
        if self.chance(0.8):
            self.electrical_tree()
        for loop in loops:
            self.technology_loop(loop)
        self.facility_water()
        self.room()
        if self.chance(0.3):
            self.test_stand()

    def draw_loop(self, n):
        trays, gpus, switches = self.random.randint(1, 5), self.random.choice((1, 2, 4, 4, 8)), self.random.randint(0, 3)
        rated = (trays * (gpus * 1400.0 + 600.0 + 400.0) + switches * 1240.0 + 300.0) / 0.97
        heat = self.random.randint(1, 6) * rated
        self.rack_rated = max(self.rack_rated, rated)
        return {"name": f"tcs{n}", "n": n, "racks": round(heat / rated), "trays": trays, "gpus": gpus, "switches": switches,
                "rated": rated, "heat": heat, "flow": heat * RACK_FLOW * self.between(0.9, 1.5)}

    def electrical_tree(self):
        """Utility, transformers, switchboard, UPS blocks or breakers; racks feed from two of the critical buses."""
        total = 2.0 * self.heat
        self.add("GRID", "utility", to="MV", rating=quantity(2.0 * total, "W"))
        count = self.random.randint(1, 3)
        for k in range(count):
            self.edge(f"T-{k + 1}", "transformer", "MV", "MSB", rating=quantity(total / count * self.oversize(), "VA"))
        self.critical = [f"UPSB-{k + 1}" for k in range(self.random.randint(2, 4))]
        for k, bus in enumerate(self.critical):
            if self.chance(0.7):
                self.edge(f"UPS-{k + 1}", "ups", "MSB", bus, rating=quantity(total / len(self.critical) * self.oversize(), "W"),
                          **({"air": "hall"} if self.chance(0.3) else {}))
            else:
                self.edge(f"Q-{k + 1}", "breaker", "MSB", bus)
        self.buses = ["MSB"] + self.critical
        if self.chance(0.5):
            self.add("MISC", "electrical_load", supply="MSB", power=quantity(self.between(1e3, 0.05 * self.heat), "W"))

    def feeds(self, n):
        """Two buses for a row of racks, by busways or straight from the critical buses."""
        pair = self.random.sample(self.critical, 2)
        if self.chance(0.5):
            return pair
        for side, bus in zip("AB", pair):
            self.edge(f"BW-{n}-{side}", "busway", bus, f"BW-{n}-{side}", rating=quantity(self.between(400.0, 1600.0), "A"))
        return [f"BW-{n}-A", f"BW-{n}-B"]

    def technology_loop(self, loop):
        name, flow = loop["name"], loop["flow"]
        self.circuits[name] = {"fluid": self.random.choice(("PG25", "PG25", "water")),
                               "reference": {"node": f"{name}-return", "pressure": quantity(self.between(100.0, 250.0), "kPa")}}
        self.node(f"{name}-supply", flow, 2.0, 20.0)
        self.node(f"{name}-racks", flow, 2.0, 20.0)
        self.rows_of_racks(loop)
        pipe_dp, own_dp = self.between(15e3, 50e3), self.between(5e3, 40e3)
        self.piping(f"{name}-pipe-supply", f"{name}-header", f"{name}-supply", pipe_dp, flow)
        self.piping(f"{name}-pipe-return", f"{name}-racks", f"{name}-return", pipe_dp, flow)
        units = self.random.randint(1, 3)
        set_point = self.facility_set + self.between(4.0, 9.0)
        pumps = []
        for u in range(1, units + 1):
            pumps += self.distribution_unit(loop, u, units, RACK_HEAD + 2.0 * pipe_dp, own_dp, set_point)
        if self.chance(0.85):
            self.hold_pressure(f"{name}-DP", f"{name}-supply", f"{name}-racks", pumps, RACK_HEAD * self.between(0.7, 1.1), (0.05, 0.2), 0.15)
        if self.chance(0.3) and len(pumps) > 1:
            self.add(f"{name}-SEQ", "standby_sequencer", self.controls, units=pumps, duty=len(pumps) - 1)

    def rows_of_racks(self, loop):
        name, scale = loop["name"], loop["rated"] / NAMEPLATE
        feeds = {"feeds": self.feeds(loop["n"])} if self.critical and self.chance(0.9) else {}
        flows = {key: quantity(litres * scale, "L/min") for key, litres in (
            ("dp_flow_low", 59.0), ("dp_flow_high", 177.0), ("required_flow_cold", 59.0), ("required_flow_warm", 177.0))}
        for k in range(loop["racks"]):
            self.racks.append(self.edge(
                f"R{loop['n']}{k + 1:02d}", "rack", f"{name}-supply", f"{name}-racks", **feeds, **({"air": "hall"} if self.chance(0.9) else {}),
                trays=loop["trays"], gpus_per_tray=loop["gpus"], switch_trays=loop["switches"], rated_power=quantity(loop["rated"], "W"),
                auxiliary_power="300 W", shelves=int(loop["rated"] * 1.3 / 33e3) + 1, **flows,
                manifold_coolant_volume=quantity(17.7 * scale, "L")))

    def distribution_unit(self, loop, u, units, head, own_dp, set_point):
        """Pumps, exchanger, valve on the facility side and outlet of one unit; its pumps."""
        name, unit = loop["name"], f"CDU-{loop['n']}{u}"
        hot, heat = loop["flow"] / units, loop["heat"] / units
        cold = self.facility_flow * heat / self.heat
        pumps = self.pumps(f"{name}-P{u}", f"{name}-return", f"{unit}-discharge", self.random.randint(1, 2), hot, head + own_dp)
        self.add(f"{unit}-hx", "plate_heat_exchanger", ua=quantity(heat / self.between(3.0, 7.0) * self.oversize(), "W/K"),
                 hot=[f"{unit}-discharge", f"{unit}-outlet"], cold=[f"{unit}-cold", "fws-return"],
                 hot_flow=quantity(hot * WATER_DENSITY, "kg/s"), cold_flow=quantity(cold * WATER_DENSITY, "kg/s"),
                 hot_dp=quantity(own_dp, "Pa"), cold_dp=quantity(self.between(30e3, 90e3), "Pa"))
        kv = cold / (self.between(15e3, 40e3) / BAR) ** 0.5
        stroke = quantity(self.span(20.0, 120.0, 0.1, 600.0), "s")
        if self.chance(0.6):
            self.edge(f"{unit}-valve", "three_way_valve", "fws-supply", f"{unit}-cold", through="fws-return", kv=quantity(kv, "m3/s"),
                      kv_bypass=quantity(0.5 * kv, "m3/s"), stroke_time=stroke, **self.lag(), **self.supply())
        else:
            self.edge(f"{unit}-valve", "valve", "fws-supply", f"{unit}-cold", kv=quantity(kv, "m3/s"), stroke_time=stroke,
                      characteristic=self.random.choice(("equal_percentage", "linear")),
                      on_power_loss=self.random.choice(("hold", "hold", "open", "close")), **self.lag(), **self.supply())
        if self.chance(0.85):
            self.hold_temperature(f"{unit}-T", f"{unit}-outlet.t", [f"{unit}-valve"], set_point, (0.05, 0.25), start_output=0.6)
        self.edge(f"{unit}-out", "resistance", f"{unit}-outlet", f"{name}-header", dp="2 kPa", flow=quantity(hot, "m3/s"))
        self.add(unit, "cdu", exchanger=f"{unit}-hx", pumps=pumps, supply_node=f"{unit}-outlet", return_node=f"{name}-return",
                 rating=quantity(heat, "W"))
        return pumps

    def facility_water(self):
        flow = self.facility_flow
        self.circuits["fws"] = {"fluid": self.random.choice(("water", "water", "PG25")), "reference": {"node": "fws-suction", "pressure": "150 kPa"}}
        self.node("fws-supply", flow, 2.0, 15.0)
        self.node("fws-return", flow, 2.0, 15.0)
        cooler_dp, pipe_dp, chiller_dp = self.between(20e3, 60e3), self.between(20e3, 60e3), self.between(20e3, 50e3)
        chillers = self.random.randint(1, 3) if self.dry_bulb + 4.0 > self.facility_set or self.chance(0.2) else 0
        head = 110e3 + cooler_dp + pipe_dp + (chiller_dp if chillers else 0.0)
        count = self.random.randint(1, 3)
        duty = max(1, count - self.random.randint(0, 1))
        self.piping("fws-pipe-return", "fws-return", "fws-suction", 0.5 * pipe_dp, flow)
        pumps = self.pumps("fws-P", "fws-suction", "fws-hot", count, flow * count / duty, head)
        if self.chance(0.8):
            self.hold_pressure("fws-DP", "fws-hot", "fws-suction", pumps, head * self.between(0.7, 1.0), (0.04, 0.12), 0.3)
        if duty < count:
            self.add("fws-SEQ", "standby_sequencer", self.controls, units=pumps, duty=duty)
        self.dry_coolers(cooler_dp)
        node = "fws-cooled"
        for k in range(chillers):
            self.chiller(f"CH-{k + 1}", node, "fws-chilled", self.heat / chillers, self.facility_set, flow / chillers, chiller_dp)
        if chillers:
            node = "fws-chilled"
        if self.chance(0.6):
            self.edge("BT", "tank", node, "fws-tank", volume=quantity(flow * self.span(20.0, 500.0, 0.2, 5000.0), "m3"),
                      model=self.random.choice(("plug", "mixed", "cells")), cells=self.random.randint(2, 25), flow=quantity(flow, "m3/s"))
            node = "fws-tank"
        self.piping("fws-pipe-supply", node, "fws-supply", 0.5 * pipe_dp, flow)
        # All two-way valves may shut at once: the pumps keep a way round.
        self.edge("fws-bypass", "valve", "fws-supply", "fws-return", kv=quantity(0.1 * flow, "m3/s"), stroke_time="60 s")

    def dry_coolers(self, dp):
        count = self.random.randint(1, 4)
        names = []
        for k in range(count):
            air = self.heat / count / (AIR_CP * self.between(7.0, 12.0)) * self.oversize()
            names.append(self.edge(
                f"DC-{k + 1}", "dry_cooler", "fws-hot", "fws-cooled", ua=quantity(AIR_CP * air * self.between(0.8, 2.5), "W/K"),
                air_flow=quantity(air, "kg/s"), flow=quantity(WATER_DENSITY * self.facility_flow / count, "kg/s"),
                fan_power=quantity(self.heat / count * self.between(0.01, 0.04), "W"), dp=quantity(dp, "Pa"),
                arrangement=self.random.choice(("counterflow", "crossflow_unmixed")), **self.lag(), **self.supply()))
        self.hold_temperature("fws-CT", "fws-cooled.t", names, self.facility_set - 0.2, (0.1, 0.3), start_output=0.5)

    def chiller(self, name, start, end, heat, set_point, flow, dp):
        self.edge(name, "chiller", start, end, capacity=quantity(heat * self.oversize(), "W"), set_point=quantity(set_point, "degC"),
                  flow=quantity(flow, "m3/s"), dp=quantity(dp, "Pa"), response_time=quantity(self.between(10.0, 40.0), "s"),
                  restart_delay=quantity(self.between(5.0, 90.0), "s"), cop_law=self.random.choice(("carnot", "constant")), **self.supply())
        self.coldest = min(self.coldest, kelvin(set_point))

    def room(self):
        """Hall air: air-cooled racks, a wall to outdoors, fan walls or a room cooler on chilled or facility water."""
        heat = self.heat * SHARE_TO_AIR
        for k in range(self.random.randint(0, 3)):
            power = self.between(2e3, 15e3)
            heat += power
            self.add(f"NET-{k + 1}", "air_cooled_rack", power=quantity(power, "W"), air="hall",
                     **({"feeds": self.random.sample(self.critical, 2)} if self.critical else {}))
        self.add("hall", "zone", volume=quantity(heat * self.span(1e-3, 6e-3, 2e-4, 2e-2), "m3"),
                 equipment_capacity=quantity(heat * self.between(0.0, 20.0), "J/K"))
        # Warm without any cooling, and not hot beyond belief.
        self.add("wall", "heat_resistance", a="hall", b="ambient", resistance=quantity(self.between(20.0, 60.0) / heat, "K/W"))
        if self.chance(0.3):
            self.add("steel", "heat_capacity", capacity=quantity(self.between(1e5, 1e7), "J/K"))
            self.add("film", "heat_resistance", a="steel", b="hall", resistance=quantity(self.between(1e-4, 5e-3), "K/W"))
        start, end = self.chilled_water(heat) if self.chance(0.4) else ("fws-supply", "fws-return")
        flow = heat / (WATER * 8.0)
        if self.chance(0.6):
            self.fan_walls(heat, flow, start, end)
        else:
            self.edge("RC", "room_cooler", start, end, air="hall", ua=quantity(heat / self.between(5.0, 12.0), "W/K"), flow=quantity(flow, "m3/s"))

    def chilled_water(self, heat):
        flow = heat / (WATER * 6.0)
        self.circuits["mt"] = {"fluid": "water", "reference": {"node": "mt-return", "pressure": "150 kPa"}}
        self.nodes["mt-supply"] = {"volume": quantity(flow * self.between(10.0, 60.0), "m3")}
        self.pumps("mt-P", "mt-return", "mt-discharge", self.random.randint(1, 2), flow, 130e3)
        self.chiller("MCH", "mt-discharge", "mt-supply", 1.5 * heat, self.between(10.0, 20.0), flow, 40e3)
        return "mt-supply", "mt-return"

    def fan_walls(self, heat, flow, start, end):
        count = self.random.randint(1, 4)
        names = [self.edge(f"FW-{k + 1}", "fan_wall", start, end, air="hall",
                           air_flow=quantity(heat / count / (AIR_CP * 10.0) * self.oversize(), "kg/s"),
                           fan_power=quantity(heat / count * self.between(0.02, 0.06), "W"),
                           supply_air=quantity(self.between(22.0, 28.0), "degC"), flow=quantity(flow / count, "m3/s"),
                           fan_exponent=self.random.choice((1, 2, 3)), **self.lag(), **self.supply()) for k in range(count)]
        self.hold_temperature("hall-T", "hall.t_air", names, self.between(32.0, 38.0), (0.2, 0.5), output_low=0.1)

    def test_stand(self):
        """Water from a main through a heated vessel to a drain: boundaries, stated heat, stated flow."""
        flow = self.between(0.5e-3, 20e-3)
        inlet = self.between(5.0, 35.0)
        drain = inlet + self.between(-5.0, 20.0)
        self.coldest = min(self.coldest, kelvin(inlet), kelvin(drain))
        self.circuits["stand"] = {"fluid": "water"}
        self.nodes["main"] = {"pressure": quantity(self.between(50.0, 300.0), "kPa"), "temperature": quantity(inlet, "degC")}
        self.nodes["drain"] = {"pressure": "0 kPa", "temperature": quantity(drain, "degC")}
        self.nodes["vessel"] = {"volume": quantity(flow * self.between(15.0, 60.0), "m3")}
        self.piping("stand-in", "main", "vessel", 30e3, flow)
        self.edge("stand-valve", "valve", "vessel", "drain", kv=quantity(flow / 0.5, "m3/s"), leakage=0.02,
                  start_position=quantity(self.between(20.0, 100.0), "%"), **self.supply())
        if self.chance(0.5):
            self.edge("stand-flow", "fixed_flow", "vessel", "drain", efficiency=self.random.choice((0, 0.5)),
                      flow=quantity(0.5 * WATER_DENSITY * flow * self.random.choice((1.0, 1.0, -1.0)), "kg/s"))
        heat = WATER * flow * self.between(1.0, 10.0)
        if self.chance(0.5):
            given = {"profile": [[quantity(60.0 * k, "s"), quantity(heat * self.between(0.0, 1.0), "W")] for k in range(6)]}
        else:
            given = {"power": quantity(heat, "W")}
        self.add("heater", "heat_source", to="vessel", **given, **self.supply())

    def text(self, title):
        lines = ["podtwin: pod/1", f"title: {title}", "site: {latitude: 45 deg, longitude: 0 deg, elevation: 100 m}"]
        for section in ("circuits", "nodes", "equipment", "controls"):
            if entries := getattr(self, section):
                lines.append(f"{section}:")
                lines += [f"  {identity}: {flow_style(entry)}" for identity, entry in entries.items()]
        return "\n".join(lines) + "\n"
