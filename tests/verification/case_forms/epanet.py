"""EPANET input files, at their first moment."""
import math
import os
import re

from .case import NotUnderstood, known
from .hydraulics import AT_ROOM, DESIGN, fluid_of, steady_tables
from .files import write_pod

DENSITY, GRAVITY = 1000.0, 9.80665  # kg/m3, m/s2; heads and flows do not depend on them
WEIGHT = DENSITY * GRAVITY
FOOT, CUBIC_FOOT = 0.3048, 0.028317  # m; m3 as the engine has it
VISCOSITY = 1.1e-5 * FOOT * FOOT  # m2/s, the engine's water
# A unit of flow in cubic feet a second, as the engine has them: US units with feet, inches and psi, SI with metres.
US_FLOWS = {"CFS": 1.0, "GPM": 448.831, "MGD": 0.64632, "IMGD": 0.5382, "AFD": 1.9837}
SI_FLOWS = {"LPS": 28.317, "LPM": 1699.0, "MLD": 2.4466, "CMH": 101.94, "CMD": 2446.6}
PSI_A_FOOT = 0.4333
STATED = 1e-5  # m3/s at which the drop of a power law is stated; a thousandth of it is below any flow
SEAT = "0.0000000001"  # flow back through what is shut, a share of that fully open
OPEN_KV = 100.0  # m3/s at 1 bar of a body that the file gives no loss
PIECES = 40  # points a straight piece of a curve is given, since tables are smooth here


def sections(path):
    """{section: [words]} without comments."""
    found, section = {}, None
    with open(path, encoding="latin-1") as f:
        for line in f:
            words = line.split(";")[0].split()
            if not words:
                continue
            if words[0].startswith("["):
                section = words[0].strip("[]").upper()
            else:
                found.setdefault(section, []).append(words)
    return found


def inp_of(case, name):
    return os.path.join(case.folder, f"{name}.inp")


def is_epanet(case):
    return all(os.path.exists(inp_of(case, name)) for name in case.scenarios()) and \
        all(re.match(r"(link|node) ", row["object"]) for row in case.rows)


class Network:
    """The first moment of an input file: demands times the pattern's first period, tanks at their first level."""

    def __init__(self, path):
        self.s = sections(path)
        options = {" ".join(words[:-1]).upper(): words[-1] for words in self.s.get("OPTIONS", [])}
        self.headloss = options.get("HEADLOSS", "H-W").upper()
        units = options.get("UNITS", "GPM").upper()
        self.us = units in US_FLOWS
        if self.s.get("RULES") or self.s.get("EMITTERS") or self.headloss not in ("H-W", "D-W", "C-M"):
            raise NotUnderstood("rules, emitters and other laws than H-W, D-W and C-M are not read")
        self.flow = CUBIC_FOOT / known({**US_FLOWS, **SI_FLOWS}, units)  # m3/s a unit of flow
        self.length = FOOT if self.us else 1.0  # m
        self.bore = FOOT / 12.0 if self.us else 1e-3  # m
        gravity = float(options.get("SPECIFIC GRAVITY", 1.0))
        self.pressure = FOOT / (PSI_A_FOOT * gravity) if self.us else 1.0 / gravity  # m of head a unit of pressure
        self.viscosity = VISCOSITY * float(options.get("VISCOSITY", 1.0))  # m2/s
        if "VISCOSITY" in options and float(options["VISCOSITY"]) < 1e-3:
            self.viscosity = float(options["VISCOSITY"]) * self.length ** 2
        self.pattern, self.multiplier = options.get("PATTERN", "1"), float(options.get("DEMAND MULTIPLIER", 1.0))
        self.first = {}
        for words in self.s.get("PATTERNS", []):
            self.first.setdefault(words[0], float(words[1]))
        self.status = {words[0]: words[1].upper() for words in self.s.get("STATUS", [])}
        self.level = {words[0]: float(words[2]) for words in self.s.get("TANKS", [])}
        self.elevation = {words[0]: float(words[1]) for words in self.s.get("JUNCTIONS", [])}
        for words in self.s.get("CONTROLS", []):
            self.control(words)

    def control(self, words):
        link, state, rest = words[1], words[2].upper(), [w.upper() for w in words[3:]]
        if rest[:2] == ["AT", "TIME"]:
            holds = float(rest[2].split(":")[0]) == 0.0
        elif rest[:2] == ["AT", "CLOCKTIME"]:
            holds = False
        elif rest[:2] == ["IF", "NODE"] and words[5] in self.level:
            level, limit = self.level[words[5]], float(rest[4])
            holds = level < limit if rest[3] == "BELOW" else level > limit
        else:
            raise NotUnderstood("control " + " ".join(words))
        if holds:
            self.status[link] = state

    def demand(self, words):
        """m3/s taken at a junction: its own, or what the list of demands says instead."""
        listed = [w for w in self.s.get("DEMANDS", []) if w[0] == words[0]]
        # A row is either node, demand, pattern or node, elevation, demand, pattern.
        rows = [w[1:] for w in listed] or [words[2:]]
        total = sum(float(row[0]) * self.first.get(row[1] if len(row) > 1 else self.pattern, 1.0) for row in rows if row)
        return total * self.multiplier * self.flow

    def points(self, name, ordinate):
        """Points of a curve [m3/s, m]."""
        return [(float(w[1]) * self.flow, float(w[2]) * ordinate) for w in self.s.get("CURVES", []) if w[0] == name]

    def setting(self, link, own):
        """Status (OPEN, CLOSED or ACTIVE) and setting of a pump or valve."""
        word = self.status.get(link)
        if word in ("OPEN", "CLOSED"):
            return word, own
        return "ACTIVE", own if word is None or word == "ACTIVE" else word


def resistance(ends, law, shut):
    return f"{{class: resistance, from: n-{ends[0]}, to: n-{ends[1]}, {law}{', in_service: false' if shut else ''}}}"


def power_law(factor, exponent):
    """A head of factor q^exponent [m]."""
    drop = WEIGHT * factor * STATED ** exponent
    return f"dp: {drop:.25f} Pa, flow: {STATED:.10f} m3/s, exponent: {exponent!r}"


def straight_pieces(points):
    """A table of the head that straight pieces between the points take, which begin at rest."""
    dense = []
    for (q0, h0), (q1, h1) in zip(points, points[1:]):
        dense += [(q0 + (q1 - q0) * k / PIECES, h0 + (h1 - h0) * k / PIECES) for k in range(1, PIECES + 1)]
    if points[0] != (0.0, 0.0) or any(q0 >= q1 or h0 >= h1 for (q0, h0), (q1, h1) in zip(dense, dense[1:])):
        raise NotUnderstood("a curve that does not rise from rest")
    return "dp_curve: [" + ", ".join(f"[{q!r} m3/s, {WEIGHT * h!r} Pa]" for q, h in dense) + "]"


def pump_laws(net, words):
    """Head at no flow [m] of a pump and the law that its curve falls by, as the engine makes them of its points."""
    link, keys = words[0], {k.upper(): v for k, v in zip(words[3::2], words[4::2])}
    if not set(keys) <= {"HEAD", "SPEED", "PATTERN"} or "HEAD" not in keys:
        raise NotUnderstood("pump " + " ".join(words))
    status, speed = net.setting(link, keys.get("SPEED", "1"))
    speed = float(speed) * (net.first.get(keys["PATTERN"], 1.0) if "PATTERN" in keys else 1.0)
    points = net.points(keys["HEAD"], net.length)
    shut = status == "CLOSED" or speed == 0.0
    speed = speed or 1.0
    if len(points) == 1:
        (q, h), = points
        points = [(0.0, 4.0 / 3.0 * h), (q, h), (2.0 * q, 0.0)]
    if len(points) == 3 and points[0][0] == 0.0:
        (_, h0), (q1, h1), (q2, h2) = points
        exponent = math.log((h0 - h2) / (h0 - h1)) / math.log(q2 / q1)
        factor = (h0 - h1) / q1 ** exponent
        return h0 * speed ** 2, power_law(factor * speed ** (2.0 - exponent), exponent), shut
    if len(points) < 2:
        raise NotUnderstood(f"pump curve {keys['HEAD']} of {len(points)} points")
    if points[0][0] > 0.0:  # its first straight piece goes on to no flow
        (q0, h0), (q1, h1) = points[:2]
        points = [(0.0, h0 + (h0 - h1) / (q1 - q0) * q0)] + points
    head = points[0][1] * speed ** 2
    return head, straight_pieces([(q * speed, head - h * speed ** 2) for q, h in points]), shut


class Pod:
    """Nodes and equipment of the pod that an input file becomes."""

    def __init__(self, net):
        self.net, self.nodes, self.equipment = net, {}, {}

    def between(self, link, start, ends):
        """A node at the height of the start between two parts of a link."""
        name = f"between-{link}-{ends}"
        height = self.net.elevation.get(start, 0.0) * self.net.length
        self.nodes[f"n-{name}"] = f"{{elevation: {height!r} m, {AT_ROOM}}}"
        return name

    def junctions(self):
        for words in self.net.s.get("JUNCTIONS", []):
            demand = self.net.demand(words)
            self.nodes[f"n-{words[0]}"] = (f"{{elevation: {float(words[1]) * self.net.length!r} m, {AT_ROOM}, "
                                           f"inflow: {-demand:.20f} m3/s}}")
        for words in self.net.s.get("RESERVOIRS", []):
            head = float(words[1]) * (self.net.first.get(words[2], 1.0) if len(words) > 2 else 1.0)
            self.hold(words[0], head)
        for words in self.net.s.get("TANKS", []):
            self.hold(words[0], float(words[1]) + float(words[2]))

    def hold(self, node, head):
        self.nodes[f"n-{node}"] = f"{{pressure: {WEIGHT * head * self.net.length!r} Pa, {AT_ROOM}}}"

    def pipe(self, words):
        net, (link, start, end, *rest) = self.net, words
        length, diameter, roughness = float(rest[0]) * net.length, float(rest[1]) * net.bore, float(rest[2])
        minor = float(rest[3]) if len(rest) > 3 and re.match(r"[\d.+-]", rest[3]) else 0.0
        own = rest[-1].upper() if rest[-1].upper() in ("OPEN", "CLOSED", "CV") else "OPEN"
        state = net.status.get(link, own) if own != "CV" else "CV"
        if state not in ("OPEN", "CLOSED", "CV"):
            raise NotUnderstood(f"pipe {link} of status {state}")
        if state == "CV":
            behind = self.between(link, start, "check")
            self.equipment[f"check-{link}"] = (f"{{class: check_valve, from: n-{start}, to: n-{behind}, "
                                               f"kv: {OPEN_KV!r} m3/s, leakage: {SEAT}}}")
            start = behind
        if minor and net.headloss != "D-W":
            behind = self.between(link, start, "minor")
            self.equipment[f"minor-{link}"] = resistance((start, behind), self.loss(minor, diameter), False)
            start = behind
        shut = state == "CLOSED"
        if net.headloss == "D-W":
            rough = roughness * (1e-3 * FOOT if net.us else 1e-3)
            self.equipment[f"l-{link}"] = (
                f"{{class: pipe, from: n-{start}, to: n-{end}, length: {length!r} m, diameter: {diameter!r} m, "
                f"roughness: {rough!r} m, minor_loss: {minor!r}, cells: 1{', in_service: false' if shut else ''}}}")
            return
        if net.headloss == "H-W":  # h [ft] = 4.727 L q^1.852 / (C^1.852 d^4.871) in feet and cubic feet a second
            factor, exponent = 4.727 * length / (roughness ** 1.852 * (diameter / FOOT) ** 4.871), 1.852
        else:  # Chezy and Manning: h = 4.66 n^2 L q^2 / d^5.33 likewise
            factor, exponent = 4.66 * roughness ** 2 * length / (diameter / FOOT) ** 5.33, 2.0
        self.equipment[f"l-{link}"] = resistance((start, end), power_law(factor / CUBIC_FOOT ** exponent, exponent), shut)

    @staticmethod
    def loss(coefficient, diameter):
        return f"loss_coefficient: {coefficient!r}, diameter: {diameter!r} m"

    def pump(self, words):
        link, start, end = words[:3]
        head, falls_by, shut = pump_laws(self.net, words)
        # The pump gives its shut-off head all but unchanged, what its curve falls by is a resistance behind it.
        behind = self.between(link, start, "pump")
        self.equipment[f"l-{link}"] = (f"{{class: pump, from: n-{start}, to: n-{behind}, head_curve: [[0 m3/s, "
                                       f"{WEIGHT * head!r} Pa], [1 m3/s, {WEIGHT * head * (1.0 - 1e-6)!r} Pa]], "
                                       f"start_speed: 1, lag: 0.1 s, ramp_time: 0.1 s"
                                       f"{', in_service: false' if shut else ''}}}")
        self.equipment[f"curve-{link}"] = resistance((behind, end), falls_by, shut)

    def valve(self, words):
        net, (link, start, end, bore, kind, own, *rest) = self.net, words
        kind, diameter, minor = kind.upper(), float(bore) * net.bore, float(rest[0]) if rest else 0.0
        status, setting = net.setting(link, own)
        ends = f"from: n-{start}, to: n-{end}"
        area = 0.25 * math.pi * diameter ** 2
        kv = area * math.sqrt(2e5 / (minor * DENSITY)) if minor else OPEN_KV
        shut = status == "CLOSED"
        if status == "OPEN" or shut:
            text = f"{{class: resistance, {ends}, {self.loss(minor, diameter)}{', in_service: false' if shut else ''}}}"
        elif kind in ("PRV", "PSV"):
            pressure = float(setting) * net.pressure * WEIGHT
            name = "pressure_reducing_valve" if kind == "PRV" else "pressure_sustaining_valve"
            text = f"{{class: {name}, {ends}, pressure: {pressure!r} Pa, kv: {kv!r} m3/s, leakage: {SEAT}}}"
        elif kind == "FCV":
            text = f"{{class: flow_limiting_valve, {ends}, flow: {float(setting) * net.flow!r} m3/s, " \
                   f"{self.loss(minor, diameter)}}}"
        elif kind == "TCV":
            text = resistance((start, end), self.loss(float(setting), diameter), False)
        elif kind == "GPV":
            points = net.points(setting, net.length)
            text = resistance((start, end), straight_pieces(points if points[0][0] == 0.0 else [(0.0, 0.0)] + points),
                              False)
        else:
            raise NotUnderstood(f"valve {link} of type {kind}")
        self.equipment[f"l-{link}"] = text


def pod_of(case, name):
    net = Network(inp_of(case, name))
    pod = Pod(net)
    pod.junctions()
    for section, make in (("PIPES", pod.pipe), ("PUMPS", pod.pump), ("VALVES", pod.valve)):
        for words in net.s.get(section, []):
            make(words)
    path = write_pod(case, f"pod-{name}", f"EPANET network {name}",
                     physics={"gravity": f"{GRAVITY!r} m/s2", "friction": "epanet"},
                     circuits={"water": f"{{fluid: {fluid_of(DENSITY, net.viscosity)}}}"}, equipment=pod.equipment,
                     nodes=pod.nodes, design=DESIGN)
    return path, {node: height * net.length for node, height in net.elevation.items()}


def epanet(case):
    values = {}
    for name in sorted(case.scenarios()):
        pod, elevations = pod_of(case, name)
        tables = steady_tables(case, pod)
        for i, v in tables["node"].items():
            node = i.removeprefix("n-")
            values[name, f"node {node}", "head"] = v["p"] / WEIGHT + elevations.get(node, 0.0)
            values[name, f"node {node}", "pressure"] = v["p"]
        for group, table in tables.items():
            for i, v in table.items() if group != "node" else ():
                values[name, f"link {i.removeprefix('l-')}", "volume_flow"] = v["flow"]
    return [known(values, (row["scenario"], row["object"], row["quantity"])) for row in case.rows]


FORMS = [(is_epanet, epanet)]
