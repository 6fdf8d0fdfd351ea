"""EPANET input files of Hazen-Williams networks, at their first moment."""
import math
import os
import re

from .case import NotUnderstood, known
from .hydraulics import AT_ROOM, DESIGN, fluid_of, steady_tables
from .files import write_pod

DENSITY, GRAVITY = 1000.0, 9.80665  # kg/m3, m/s2; heads and flows do not depend on them
FOOT, CUBIC_FOOT = 0.3048, 0.028317  # m; m3 as the engine has it
FLOWS = {"CFS": 1.0, "GPM": 448.831}  # a cubic foot a second, as the engine has them
STATED = 1e-5  # m3/s at which the drop of a power law is stated; a thousandth of it is below any flow


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
        if options.get("HEADLOSS", "H-W").upper() != "H-W" or options.get("UNITS", "GPM").upper() not in FLOWS:
            raise NotUnderstood("only Hazen-Williams networks in US units are read")
        if self.s.get("VALVES") or self.s.get("DEMANDS") or self.s.get("RULES") or self.s.get("EMITTERS"):
            raise NotUnderstood("valves, demand lists, rules and emitters are not read")
        self.flow = CUBIC_FOOT / FLOWS[options.get("UNITS", "GPM").upper()]  # m3/s a unit of flow
        self.pattern, self.multiplier = options.get("PATTERN", "1"), float(options.get("DEMAND MULTIPLIER", 1.0))
        self.first = {}
        for words in self.s.get("PATTERNS", []):
            self.first.setdefault(words[0], float(words[1]))
        self.status = {words[0]: words[1].upper() for words in self.s.get("STATUS", [])}
        self.level = {words[0]: float(words[2]) for words in self.s.get("TANKS", [])}
        for words in self.s.get("CONTROLS", []):
            link, state, rest = words[1], words[2].upper(), [w.upper() for w in words[3:]]
            if rest[:2] == ["AT", "TIME"]:
                holds = float(rest[2]) == 0.0
            elif rest[:2] == ["IF", "NODE"]:
                level, limit = known(self.level, words[5]), float(rest[4])
                holds = level < limit if rest[3] == "BELOW" else level > limit
            else:
                raise NotUnderstood("control " + " ".join(words))
            if holds:
                self.status[link] = state

    def curve(self, name):
        """Shut-off head [m], factor [m/(m3/s)^n] and exponent n, as the engine makes them of one point or three."""
        points = [(float(w[1]) * self.flow, float(w[2]) * FOOT) for w in self.s["CURVES"] if w[0] == name]
        if len(points) == 1:
            (q, h), = points
            return 4.0 / 3.0 * h, h / 3.0 / (q * q), 2.0
        if len(points) != 3 or points[0][0] != 0.0:
            raise NotUnderstood(f"pump curve {name} of {len(points)} points")
        (_, h0), (q1, h1), (q2, h2) = points
        exponent = math.log((h0 - h2) / (h0 - h1)) / math.log(q2 / q1)
        return h0, (h0 - h1) / q1 ** exponent, exponent


def power_law(ends, factor, exponent, shut):
    """A resistance of head factor q^exponent [m] between two nodes."""
    drop = DENSITY * GRAVITY * factor * STATED ** exponent
    return (f"{{class: resistance, from: n-{ends[0]}, to: n-{ends[1]}, dp: {drop:.25f} Pa, flow: {STATED:.10f} m3/s, "
            f"exponent: {exponent!r}{', in_service: false' if shut else ''}}}")


def pod_of(case, name):
    net = Network(inp_of(case, name))
    weight = DENSITY * GRAVITY
    nodes, equipment, elevations = {}, {}, {}
    for words in net.s.get("JUNCTIONS", []):
        demand = float(words[2]) if len(words) > 2 else 0.0
        demand *= net.multiplier * net.first.get(words[3] if len(words) > 3 else net.pattern, 1.0) * net.flow
        elevations[words[0]] = float(words[1]) * FOOT
        nodes[f"n-{words[0]}"] = (f"{{elevation: {elevations[words[0]]!r} m, {AT_ROOM}, "
                                  f"inflow: {-demand:.20f} m3/s}}")
    for kind in ("RESERVOIRS", "TANKS"):
        for words in net.s.get(kind, []):
            head = float(words[1]) + (float(words[2]) if kind == "TANKS" else 0.0)
            nodes[f"n-{words[0]}"] = f"{{pressure: {weight * head * FOOT!r} Pa, {AT_ROOM}}}"
    for words in net.s.get("PIPES", []):
        link, start, end, *rest = words
        length, diameter, roughness, minor = map(float, rest[:4])
        state = net.status.get(link, rest[4].upper() if len(rest) > 4 else "OPEN")
        if minor or state not in ("OPEN", "CLOSED"):
            raise NotUnderstood(f"pipe {link}: minor loss {minor}, status {state}")
        # h [ft] = 4.727 L q^1.852 / (C^1.852 d^4.871) in feet and cubic feet a second
        factor = 4.727 * length / (roughness ** 1.852 * (diameter / 12.0) ** 4.871) * FOOT / CUBIC_FOOT ** 1.852
        equipment[f"l-{link}"] = power_law((start, end), factor, 1.852, state == "CLOSED")
    for words in net.s.get("PUMPS", []):
        link, start, end, *rest = words
        if len(rest) != 2 or rest[0].upper() != "HEAD":
            raise NotUnderstood(f"pump {link} {' '.join(rest)}")
        head, factor, exponent = net.curve(rest[1])
        shut = net.status.get(link, "OPEN") == "CLOSED"
        # The pump gives its shut-off head all but unchanged, what its curve falls by is a resistance behind it.
        nodes[f"n-behind-{link}"] = f"{{elevation: 0 m, {AT_ROOM}}}"
        equipment[f"l-{link}"] = (f"{{class: pump, from: n-{start}, to: n-behind-{link}, head_curve: [[0 m3/s, "
                                  f"{weight * head!r} Pa], [1 m3/s, {weight * head * (1.0 - 1e-6)!r} Pa]], "
                                  f"start_speed: 1, lag: 0.1 s, ramp_time: 0.1 s"
                                  f"{', in_service: false' if shut else ''}}}")
        equipment[f"curve-{link}"] = power_law((f"behind-{link}", end), factor, exponent, shut)
    pod = write_pod(case, f"pod-{name}", f"EPANET network {name}", physics={"gravity": f"{GRAVITY!r} m/s2"},
                    circuits={"water": f"{{fluid: {fluid_of(DENSITY, 1e-6)}}}"}, equipment=equipment, nodes=nodes,
                    design=DESIGN)
    return pod, elevations


def epanet(case):
    values = {}
    for name in sorted(case.scenarios()):
        pod, elevations = pod_of(case, name)
        tables = steady_tables(case, pod)
        for i, v in tables["node"].items():
            node = i.removeprefix("n-")
            values[name, f"node {node}", "head"] = v["p"] / DENSITY / GRAVITY + elevations.get(node, 0.0)
        for table in ("pump", "resistance"):
            for i, v in tables[table].items():
                values[name, f"link {i.removeprefix('l-')}", "volume_flow"] = v["flow"]
    return [known(values, (row["scenario"], row["object"], row["quantity"])) for row in case.rows]


FORMS = [(is_epanet, epanet)]
