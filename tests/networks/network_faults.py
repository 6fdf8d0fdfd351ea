"""Ways to make a well-posed network ill-posed, each with what the refusal has to name. KINDS are told when the pod is read (exit status 2,
with the place); ENDLESS only the search can tell (1): heat that comes in and has no way out.

    spoiled(network, kind, random)   (text of the pod, pattern of the place's line, pattern of the reason), None where it does not apply
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


def contradictory_reference(s, r):
    name = r.choice([n for n, c in s["circuits"].items() if "reference" in c])
    node = s["circuits"][name]["reference"]["node"]
    s.setdefault("nodes", {}).setdefault(node, {}).update(pressure="50000 Pa", temperature="300 K")
    return re.escape(node), "reference of the circuit"


def reference_beside_a_holder(s, r):
    name = r.choice([n for n, c in s["circuits"].items() if "held_by" in c])
    s["circuits"][name]["reference"] = {"node": r.choice(nodes_of(s, name)), "pressure": "100000 Pa"}
    return re.escape(name), "two things would set one pressure"


def vessel_beside_a_reference(s, r):
    name = r.choice([n for n, c in s["circuits"].items() if "reference" in c])
    s["equipment"]["second"] = {"class": "expansion_vessel", "node": r.choice(nodes_of(s, name)), "volume": "0.1 m3"}
    return re.escape(name) + "|second", "whose pressure the vessel 'second' holds"


def disconnected_rack(s, r):
    s["equipment"]["adrift"] = {"class": "rack", "from": "adrift-in", "to": "adrift-out"}
    return "adrift", "belongs to no circuit|no pressure reference"


def rack_in_a_dead_end(s, r):
    s["equipment"]["adrift"] = {"class": "rack", "from": r.choice(nodes_of(s, r.choice(list(s["circuits"])))), "to": "c0-adrift"}
    return "adrift", "no coolant can flow through 'adrift'|connected to circuit|joins two circuits"


def heat_for_a_plug(s, r):
    name = r.choice([n for n, i in s["equipment"].items() if i["class"] == "tank" and i["model"] != "mixed"])
    s["equipment"]["lost"] = {"class": "heat_source", "to": name, "power": "100 W"}
    return "lost", "no one temperature"


def chiller_without_curves(s, r):
    name = r.choice([n for n, i in s["equipment"].items() if i.get("cop_law") == "eir"])
    del s["equipment"][name]["capacity_curve"]
    return re.escape(name), "capacity_curve"


def condenser_without_flow(s, r):
    name = r.choice([n for n, i in s["equipment"].items() if "condenser" in i])
    del s["equipment"][name]["condenser_flow"]
    return re.escape(name), "condenser_flow"


def impossible_exchanger(s, r):
    name = r.choice(of_class(s, "plate_heat_exchanger"))
    item = s["equipment"][name]
    del item["ua"]
    item |= {"nominal_heat": "1e9 W", "nominal_hot_in": "320 K", "nominal_cold_in": "300 K"}
    return re.escape(name), "no exchanger passes more"


def dynamic_without_contents(s, r):
    name = r.choice(of_class(s, "plate_heat_exchanger"))
    s["equipment"][name]["model"] = "dynamic"
    s["equipment"][name].pop("wall_capacity", None)
    return re.escape(name), "wall_capacity"


def impossible_tower(s, r):
    name = r.choice([n for n, i in s["equipment"].items() if i.get("model") == "merkel"])
    s["equipment"][name].pop("ua", None)
    s["equipment"][name]["air_flow"] = "0.0001 m3/s"
    return re.escape(name), "design point cannot be"


def momentum_in_a_row(s, r):
    circuit = r.choice(list(s["circuits"]))
    a, b = r.sample(nodes_of(s, circuit), 2)
    for name, ends in (("row-1", (a, f"{circuit}-row")), ("row-2", (f"{circuit}-row", b))):
        s["equipment"][name] = {"class": "pipe", "from": ends[0], "to": ends[1], "length": "5 m", "diameter": "0.05 m", "inertance": True}
    return "row-[12]", "stated flows alone"


def too_rough(s, r):
    name = r.choice(of_class(s, "pipe"))
    s["equipment"][name]["roughness"] = f"{0.5 * float(s['equipment'][name]['diameter'].split()[0]):.6g} m"
    return re.escape(name), "rougher than a tenth"


def wrong_unit(s, r):
    name = r.choice(of_class(s, "pipe"))
    s["equipment"][name]["length"] = "3 kg"
    return re.escape(name), "another kind than a length"


def no_unit(s, r):
    name = r.choice(of_class(s, "pipe"))
    s["equipment"][name]["diameter"] = 0.05
    return re.escape(name), "unit"


def misspelt_key(s, r):
    name = r.choice(of_class(s, "pump"))
    s["equipment"][name]["head_curv"] = s["equipment"][name].pop("head_curve")
    return re.escape(name), "head_curv"


def unknown_class(s, r):
    s["equipment"]["odd"] = {"class": "pumpe", "from": "c0-n1", "to": "c0-n2"}
    return "odd", "pumpe"


def unknown_fluid(s, r):
    name = r.choice(list(s["circuits"]))
    s["circuits"][name]["fluid"] = "wate"
    return "wate", "wate"


def sensors_in_a_circle(s, r):
    s.setdefault("controls", {}).update({"see-1": {"class": "sensor", "measures": "see-2.value"}, "see-2": {"class": "sensor", "measures": "see-1.value"}})
    return "see-[12]", "in a circle|no value of the plant"


def two_controllers(s, r):
    drive, node = r.choice(of_class(s, "pump", "valve")), nodes_of(s, "c0")[0]
    controls = s.setdefault("controls", {})
    controls["see"] = {"class": "sensor", "measures": f"{node}.t"}
    for k in (1, 2):
        controls[f"hold-{k}"] = {"class": "pi_controller", "sensor": "see", "drives": [drive], "set_point_temperature": "300 K"}
    return "hold-[12]", "is driven by"


# Told by the search.

def heat_in_a_dead_end(s, r):
    circuit = r.choice(list(s["circuits"]))
    s["equipment"]["stub"] = {"class": "resistance", "from": r.choice(nodes_of(s, circuit)), "to": f"{circuit}-stub", "dp": "1000 Pa", "flow": "0.001 m3/s"}
    s["equipment"]["cooked"] = {"class": "heat_source", "to": f"{circuit}-stub", "power": "500 W"}
    return f"{circuit}-stub", "heat has no way out"


def pump_against_a_shut_way(s, r):
    circuit = r.choice(list(s["circuits"]))
    a, b = r.sample(nodes_of(s, circuit), 2)
    s["equipment"]["dead"] = {"class": "pump", "from": a, "to": f"{circuit}-dead", "head_curve": [["0 m3/s", "3e6 Pa"], ["0.001 m3/s", "2e6 Pa"]],
                              "start_speed": 1, "shut_off_power": "800 W"}
    s["equipment"]["shut"] = {"class": "valve", "from": f"{circuit}-dead", "to": b, "kv": "0.001 m3/s", "leakage": 0, "start_position": 0}
    return f"{circuit}-dead", "heat has no way out"


def room_without_a_coil(s, r):
    s["equipment"] |= {"oven": {"class": "zone", "volume": "100 m3"}, "cooked": {"class": "heat_source", "to": "oven", "power": "5000 W"}}
    return "oven", "heat has no way out"


ENDLESS = (heat_in_a_dead_end, pump_against_a_shut_way, room_without_a_coil)
KINDS = (contradictory_reference, reference_beside_a_holder, vessel_beside_a_reference, disconnected_rack, rack_in_a_dead_end, heat_for_a_plug,
         chiller_without_curves, condenser_without_flow, impossible_exchanger, dynamic_without_contents, impossible_tower, momentum_in_a_row, too_rough,
         wrong_unit, no_unit, misspelt_key, unknown_class, unknown_fluid, sensors_in_a_circle, two_controllers, without_reference, two_vessels, pump_without_curve, negative_length, no_diameter, loop_of_check_valves, ring_of_check_valves,
         unconnected, thick_glycol, stated_flow_alone, joined_circuits, cold_boundary_below_vacuum)


def spoiled(network, kind, random):
    if kind is joined_circuits and len(network.sections["circuits"]) < 2:
        return None
    sections = copy.deepcopy(network.sections)
    try:
        names, reason = kind(sections, random)
    except IndexError:   # nothing there to choose from
        return None
    return pod_text.written(sections), names, reason
