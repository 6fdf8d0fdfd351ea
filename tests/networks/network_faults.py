"""Ways to make a well-posed network ill-posed, each with what the refusal has to name.

    spoiled(network, random)   yields (kind, text of the pod, name that the place and the message are about, words of the reason)
"""
import copy
import re

import pod_text


def closed_circuits(sections):
    held = {name.split("-")[0] for name, node in sections.get("nodes", {}).items() if "pressure" in node}
    return [name for name in sections["circuits"] if name not in held]


def of_class(sections, *kinds):
    return [name for name, item in sections["equipment"].items() if item["class"] in kinds]


def nodes_of(sections, circuit):
    found = set()
    for item in sections["equipment"].values():
        for port in ("from", "to", "through"):
            if port in item and item[port].startswith(circuit + "-n"):
                found.add(item[port])
    return sorted(found)


def without_reference(s, r):
    name = r.choice(closed_circuits(s))
    s["circuits"][name].pop("reference", None)
    holder = s["circuits"][name].pop("held_by", None)
    if holder:
        del s["equipment"][holder]
    return re.escape(name), "reference|belongs to no circuit|connected to"


def two_vessels(s, r):
    name = r.choice(closed_circuits(s))
    s["circuits"][name].pop("reference", None)
    old = s["circuits"][name].pop("held_by", None)
    if old:
        del s["equipment"][old]
    nodes = nodes_of(s, name)
    for k in (1, 2):
        s["equipment"][f"twin-{k}"] = {"class": "expansion_vessel", "node": r.choice(nodes), "volume": "0.1 m3"}
    s["circuits"][name]["held_by"] = "twin-1"
    return "twin-[12]", "vessel"


def pump_without_curve(s, r):
    name = r.choice(of_class(s, "pump"))
    del s["equipment"][name]["head_curve"]
    return re.escape(name), "head_curve"


def negative_length(s, r):
    name = r.choice(of_class(s, "pipe"))
    s["equipment"][name]["length"] = "-3 m"
    return re.escape(name), "length"


def no_diameter(s, r):
    name = r.choice(of_class(s, "pipe"))
    del s["equipment"][name]["diameter"]
    return re.escape(name), "diameter"


def loop_of_check_valves(s, r):
    """A branch of two non-return valves that stand against each other: nothing can ever pass."""
    nodes = nodes_of(s, r.choice(list(s["circuits"])))
    a, b = r.sample(nodes, 2)
    middle = a.split("-")[0] + "-between"
    for name, end in (("against-1", a), ("against-2", b)):
        s["equipment"][name] = {"class": "check_valve", "from": end, "to": middle, "kv": "0.01 m3/s"}
    return "against-[12]", "non-return valve"


def ring_of_check_valves(s, r):
    """A ring of its own of non-return valves, which nothing drives."""
    circuit = r.choice(list(s["circuits"]))
    start = r.choice(nodes_of(s, circuit))
    ring = [f"{circuit}-ring{k}" for k in range(3)]
    s["equipment"]["to-ring"] = {"class": "check_valve", "from": start, "to": ring[0], "kv": "0.01 m3/s"}
    s["equipment"]["from-ring"] = {"class": "check_valve", "from": start, "to": ring[2], "kv": "0.01 m3/s"}
    for k in range(2):
        s["equipment"][f"ring-{k}"] = {"class": "check_valve", "from": ring[k], "to": ring[k + 1], "kv": "0.01 m3/s"}
    return "to-ring|from-ring|ring-[01]", "non-return valve"


def unconnected(s, r):
    kind = r.choice(("pipe", "resistance"))
    s["equipment"]["lonely"] = {"class": "pipe", "from": "lonely-a", "to": "lonely-b", "length": "3 m", "diameter": "0.05 m"} if kind == "pipe" else \
        {"class": "resistance", "from": "lonely-a", "to": "lonely-b", "dp": "1000 Pa", "flow": "0.001 m3/s"}
    return "lonely", "belongs to no circuit|no pressure reference"


def thick_glycol(s, r):
    name = r.choice(list(s["circuits"]))
    s["circuits"][name]["fluid"] = "PG80"
    s["circuits"][name].pop("constant_properties", None)
    return "PG80", "PG80.*80 % of glycol by volume is outside"


def stated_flow_alone(s, r):
    """Coolant that a stated flow alone joins to the rest."""
    circuit = r.choice(list(s["circuits"]))
    start = r.choice(nodes_of(s, circuit))
    s["equipment"]["forced"] = {"class": "fixed_flow", "from": start, "to": f"{circuit}-alone", "flow": "0.1 kg/s"}
    return "alone|forced", "stated flow|fixed_flow|pressure"


def joined_circuits(s, r):
    names = list(s["circuits"])
    a, b = r.sample(names, 2)
    s["equipment"]["shortcut"] = {"class": "pipe", "from": nodes_of(s, a)[0], "to": nodes_of(s, b)[0], "length": "1 m", "diameter": "0.05 m"}
    return "shortcut|" + "|".join(map(re.escape, (a, b))), "joins two circuits|connected to circuit|has no coolant|held pressure in the closed circuit"


def cold_boundary_below_vacuum(s, r):
    name = r.choice([n for n, node in s.get("nodes", {}).items() if "pressure" in node])
    s["nodes"][name]["pressure"] = "-150000 Pa"
    return re.escape(name), "vacuum"


KINDS = (without_reference, two_vessels, pump_without_curve, negative_length, no_diameter, loop_of_check_valves, ring_of_check_valves,
         unconnected, thick_glycol, stated_flow_alone, joined_circuits, cold_boundary_below_vacuum)


def applies(kind, sections):
    if kind in (without_reference, two_vessels):
        return bool(closed_circuits(sections))
    if kind is pump_without_curve:
        return bool(of_class(sections, "pump"))
    if kind in (negative_length, no_diameter):
        return bool(of_class(sections, "pipe"))
    if kind is joined_circuits:
        return len(sections["circuits"]) > 1
    if kind is cold_boundary_below_vacuum:
        return any("pressure" in node for node in sections.get("nodes", {}).values())
    return True


def spoiled(network, kind, random):
    """(text, pattern of the place's line, pattern of the reason), or None where the kind does not apply."""
    if not applies(kind, network.sections):
        return None
    sections = copy.deepcopy(network.sections)
    names, reason = kind(sections, random)
    return pod_text.written(sections), names, reason
