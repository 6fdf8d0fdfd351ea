"""Friction factors, networks of pipes, pumps and valves, and tanks that drain."""
import json
import math
import os
import re
import sys

from .case import Failed, NotUnderstood, known, label_values, one_answer_a_row
from .files import first_event, last_values, read_first, read_table, row_times, write_pod, write_scenario

DESIGN = {"rack_power": "0 kW", "weather": "{dry_bulb: 20 degC, relative_humidity: 40 %}"}
AT_ROOM = "temperature: 20 degC"  # held at every node: pumps heat a loop, and some loops have no way out


def fluid_of(density, kinematic_viscosity):
    # Nothing here depends on the heat that is carried.
    return (f"{{density: {density!r} kg/m3, viscosity: {density * kinematic_viscosity!r} Pa.s, "
            f"specific_heat: 4186 J/(kg.K)}}")


# -- friction factors

LAWS = ("colebrook", "colebrook_371", "swamee_jain", "haaland", "epanet")


def is_friction(case):
    return case.has("Re", "relative_roughness") and case.scenarios() <= {"laminar", *LAWS}


def friction(case):
    def request(row):
        at = label_values(row["object"])
        law = "colebrook" if row["scenario"] == "laminar" else row["scenario"]
        return f"friction {law} {at['Re']!r} {at['rel']!r}"
    return one_answer_a_row(case, request)


# -- networks of pipes, pumps and valves at one density

def is_network(case):
    return case.has("rho_kg_m3", "nu_m2_s", "g_m_s2", "reservoirs", "nodes", "pipes", "scenarios")


def law_of(problem):
    for word, law in (("EPANET", "epanet"), ("Swamee", "swamee_jain"), ("Haaland", "haaland"),
                      ("Colebrook", "colebrook")):
        if word in problem:
            return law
    raise NotUnderstood("the problem names no friction law")


def node_id(name):
    return "n-" + re.sub(r"[^\w-]", "-", str(name))


def edge_id(name):
    return "e-" + re.sub(r"[^\w-]", "-", str(name))


def changed(elements, changes):
    """The elements with the changes of a scenario; a change names its element and the keys that differ."""
    out = {e["id"]: dict(e) for e in elements}
    for change in changes:
        if change["element"] in out:
            for key, value in change.items():
                if key == "element":
                    continue
                own = next((k for k in out[change["element"]] if k == key or k.startswith(key + "_m")), key)
                out[change["element"]][own] = value
    return list(out.values())


def pump_text(p, weight):
    """A pump whose head is w^2 H0 - a Q^2 exactly; a speed above 1 is put into the curve."""
    speed = p.get("speed", 1.0)
    head = p["H0_m"] * max(speed, 1.0) ** 2
    flow = math.sqrt(head / p["a_m_per_m3s2"]) / 2.0
    return (f"head_curve: [[0 m3/s, {weight * head!r} Pa], "
            f"[{flow!r} m3/s, {weight * (head - p['a_m_per_m3s2'] * flow * flow)!r} Pa]], "
            f"start_speed: {min(speed, 1.0)!r}, speed_min: 0, lag: 0.1 s, ramp_time: 0.1 s")


def valve_text(v):
    bore = f"diameter: {v['diameter_m']!r} m"
    kind, active = v.get("type", "TCV"), v.get("status", "Active") == "Active"
    if kind == "FCV" and active:
        return f"class: flow_limiting_valve, flow: {v['setting']!r} m3/s, loss_coefficient: {v['K']!r}, {bore}"
    if kind in ("TCV", "FCV"):
        k = v["setting"] if kind == "TCV" and active and v.get("setting") is not None else v["K"]
        return f"class: resistance, loss_coefficient: {k!r}, {bore}"
    raise NotUnderstood(f"valve {v['id']} of type {kind}")


def network_pod(case, name, number, changes):
    d = case.inputs
    weight = d["rho_kg_m3"] * d["g_m_s2"]
    nodes, equipment = {}, {}
    for r in changed(d["reservoirs"], changes):
        nodes[node_id(r["id"])] = f"{{pressure: {weight * r['head_m']!r} Pa, {AT_ROOM}}}"
    for n in changed(d["nodes"], changes):
        inflow = f", inflow: {-n['demand_m3_s']!r} m3/s" if n.get("demand_m3_s") else ""
        nodes[node_id(n["id"])] = f"{{elevation: {n.get('elevation_m', 0.0)!r} m, {AT_ROOM}{inflow}}}"

    def add(element, text):
        shut = element.get("status") == "Closed" or element.get("speed") == 0.0
        equipment[edge_id(element["id"])] = (f"{{from: {node_id(element['from'])}, to: {node_id(element['to'])}, {text}"
                                             f"{', in_service: false' if shut else ''}}}")
    for p in changed(d["pipes"], changes):
        if p.get("status") not in (None, "Open", "Closed"):
            raise NotUnderstood(f"pipe {p['id']} of status {p['status']}")
        add(p, f"class: pipe, length: {p['length_m']!r} m, diameter: {p['diameter_m']!r} m, "
               f"roughness: {p['roughness_m']!r} m, minor_loss: {p.get('K', 0.0)!r}, cells: 1")
    for p in changed(d.get("pumps", []), changes):
        add(p, f"class: pump, {pump_text(p, weight)}")
    for v in changed(d.get("valves", []), changes):
        add(v, valve_text(v))
    ids = set(nodes) | set(equipment)
    for change in changes:
        if not {node_id(change["element"]), edge_id(change["element"])} & ids:
            raise NotUnderstood(f"scenario {name} changes '{change['element']}', which the network has not")
    return write_pod(case, f"pod-{number}", f"Network, {name}",
                     physics={"gravity": f"{d['g_m_s2']!r} m/s2", "friction": law_of(case.problem)},
                     circuits={"loop": f"{{fluid: {fluid_of(d['rho_kg_m3'], d['nu_m2_s'])}}}"},
                     equipment=equipment, nodes=nodes, design=DESIGN)


def steady_tables(case, pod):
    """{class: {id: {signal: value}}} of the steady state."""
    case.run("steady", pod, "--csv", "steady")
    tables = {}
    for group in ("node", "pipe", "pump", "resistance", "flow_limiting_valve", "fixed_flow", "check_valve",
                  "pressure_reducing_valve", "pressure_sustaining_valve"):
        path = os.path.join(case.keep, "steady", f"{group}.csv")
        tables[group] = read_table(case, group) if os.path.exists(path) else {}
        if os.path.exists(path):
            os.remove(path)  # the next plant may be without
    return tables


def network(case):
    d = case.inputs
    weight = d["rho_kg_m3"] * d["g_m_s2"]
    values = {}
    for number, name in enumerate(sorted(case.scenarios())):
        changes = known(d["scenarios"], name)["changes"]
        tables = steady_tables(case, network_pod(case, name, number, changes))
        height = {n["id"]: n.get("elevation_m", 0.0) for n in changed(d["nodes"], changes)}
        edges = {i: v for group, table in tables.items() if group != "node" for i, v in table.items()}
        for row in case.rows:
            if row["scenario"] != name:
                continue
            what, quantity = row["object"], row["quantity"]
            if quantity in ("head", "gauge_pressure"):
                p = known(tables["node"], node_id(what))["p"]
                values[name, what, quantity] = p / weight + height.get(what, 0.0) if quantity == "head" else p
            elif quantity in ("volume_flow", "mass_flow"):
                flow = known(edges, edge_id(what))["flow"]
                values[name, what, quantity] = flow if quantity == "volume_flow" else flow * d["rho_kg_m3"]
            elif quantity in ("velocity", "reynolds"):
                values[name, what, quantity] = known(tables["pipe"], edge_id(what))[quantity]
            else:
                raise NotUnderstood(f"row {name},{what},{quantity}")
    return [values[row["scenario"], row["object"], row["quantity"]] for row in case.rows]


# -- channels side by side behind a common feed

def is_channels(case):
    return case.has("rho", "nu", "total_mass_flow_kg_s", "plates", "feed")


def channels(case):
    d = case.inputs
    equipment = {"flow": f"{{class: fixed_flow, from: outlet, to: sink, flow: {d['total_mass_flow_kg_s']!r} kg/s}}"}
    for element, ends in ([(dict(d["feed"], id="feed", channels=d["feed"].get("channels", 1)), ("inlet", "manifold"))] +
                          [(plate, ("manifold", "outlet")) for plate in d["plates"]]):
        equipment[element["id"]] = (f"{{class: pipe, from: {ends[0]}, to: {ends[1]}, length: {element['length_m']!r} m, "
                                    f"diameter: {element['bore_m']!r} m, roughness: 0 m, count: {element['channels']}, "
                                    "cells: 1}")
    pod = write_pod(case, "pod", "Channels side by side", circuits={"loop": f"{{fluid: {fluid_of(d['rho'], d['nu'])}}}"},
                    nodes={"inlet": f"{{pressure: 0 Pa, {AT_ROOM}}}", "sink": f"{{pressure: 0 Pa, {AT_ROOM}}}"},
                    equipment=equipment, design=DESIGN)
    pipes = steady_tables(case, pod)["pipe"]
    out = []
    for row in case.rows:
        # All plates have one pressure drop.
        pipe = known(pipes, d["plates"][0]["id"] if row["object"] == "plates" else row["object"])
        out.append(known({"mass_flow": pipe["flow"] * d["rho"], "dp": pipe["dp"], "reynolds": pipe["reynolds"],
                          "reynolds_per_channel": pipe["reynolds"], "velocity": pipe["velocity"]}, row["quantity"]))
    return out


# -- equal pumps side by side on one resistance

def is_pumps(case):
    return case.has("H0_m", "a_m_per_m3s2", "R_m_per_m3s2", "efficiency", "rho", "g", "speeds", "n_parallel")


def pumps(case):
    d = case.inputs
    weight = d["rho"] * d["g"]
    equipment, nodes, places = {}, {}, {}
    for label in sorted(case.scenarios()):
        at, i = label_values(label), len(places)
        places[label] = i, int(at["n"])
        nodes[f"low-{i}"] = f"{{pressure: 0 Pa, {AT_ROOM}}}"
        flow = math.sqrt(d["H0_m"] / d["R_m_per_m3s2"])
        equipment[f"system-{i}"] = (f"{{class: resistance, from: high-{i}, to: low-{i}, flow: {flow!r} m3/s, "
                                    f"dp: {weight * d['R_m_per_m3s2'] * flow * flow!r} Pa}}")
        for k in range(int(at["n"])):
            equipment[f"pump-{i}-{k}"] = (f"{{class: pump, from: low-{i}, to: high-{i}, "
                                          f"efficiency: {d['efficiency']!r}, {pump_text(dict(d, speed=at['w']), weight)}}}")
    pod = write_pod(case, "pod", "Pumps side by side", physics={"gravity": f"{d['g']!r} m/s2"},
                    circuits={"loop": f"{{fluid: {fluid_of(d['rho'], 1e-6)}}}"}, nodes=nodes, equipment=equipment,
                    design=DESIGN)
    tables = steady_tables(case, pod)
    out = []
    for row in case.rows:
        i, n = places[row["scenario"]]
        system = tables["resistance"][f"system-{i}"]
        each = [tables["pump"][f"pump-{i}-{k}"] for k in range(n)]
        out.append(known({("system", "volume_flow"): system["flow"], ("system", "head"): system["dp"] / weight,
                          ("each_pump", "volume_flow"): each[0]["flow"],
                          ("all_pumps", "shaft_power"): sum(pump["power"] for pump in each)},
                         (row["object"], row["quantity"])))
    return out


# -- open tanks and an orifice

# A level falls with the square of the time that is left: its end is found to the square root of what it misses by.
RTOL_OF_ENDS = "0.000000000001"
LONG = 2000.0  # s; events are written to 1 ms, so plants whose end comes sooner are run with larger tanks

def is_tanks(case):
    return case.has("A1_m2", "orifice_m2", "Cd", "h0_m", "A2_m2", "h2_m", "g")


def tanks(case):
    d = case.inputs
    height = 2.0 * max(d["h0_m"], d["h2_m"])
    # The orifice is ideal: no viscosity makes its flow linear at the end, and nothing but the level throttles it.
    circuit = {"loop": f"{{fluid: {fluid_of(1000.0, 1e-12)}}}"}
    bore = math.sqrt(4.0 * d["orifice_m2"] / math.pi)

    def tank(node, area, level):
        return (f"{{class: open_tank, node: {node}, area: {area!r} m2, height: {height!r} m, start_level: {level!r} m, "
                "least_level: 0.000000000000001 m}")

    def plant(name, times_area=1):
        """The plant of a scenario; with areas so many times as large everything takes so many times as long."""
        ends = "from: b, to: a" if name == "level" and d["h2_m"] > d["h0_m"] else "from: a, to: b"
        equipment = {"tank1": tank("a", d["A1_m2"] * times_area, d["h0_m"]),
                     "orifice": f"{{class: resistance, loss_coefficient: {1.0 / d['Cd'] ** 2!r}, "
                                f"diameter: {bore!r} m, {ends}}}"}
        if name == "level":
            equipment["tank2"] = tank("b", d["A2_m2"] * times_area, d["h2_m"])
        return write_pod(case, f"pod-{name}-{times_area}", f"Tanks, {name}", physics={"gravity": f"{d['g']!r} m/s2"},
                         circuits=circuit, equipment=equipment, design=DESIGN,
                         nodes={"b": "{elevation: 0 m}" if name == "level" else f"{{pressure: 0 Pa, {AT_ROOM}}}"})
    pods = {name: plant(name) for name in ("drain", "level")}
    flow_factor = d["Cd"] * d["orifice_m2"] * math.sqrt(2.0 * d["g"])
    scale = {"drain": (d["h0_m"], 1.0 / d["A1_m2"]),
             "level": (abs(d["h0_m"] - d["h2_m"]), 1.0 / d["A1_m2"] + 1.0 / d["A2_m2"])}
    values, out = {}, []
    for name, pod in pods.items():
        for group, signal in (("open_tank", "level"), ("resistance", "flow")):
            times = row_times(case, lambda row, n=name: row["scenario"] == n and float(row["time_s"]) > 0.0)
            for time, found in last_values(case, pod, times, group, signal).items():
                values.update({(name, time, i): v for i, v in found.items()})
            for i, v in read_first(os.path.join(case.keep, "to-0.h5"), group, signal).items():
                values[name, 0.0, i] = v
    for row in case.rows:
        name = known(pods, row["scenario"]) and row["scenario"]
        if row["quantity"] in ("level", "outflow"):
            what = row["object"] if row["quantity"] == "level" else "orifice"
            out.append(known(values, (name, float(row["time_s"]), what)))
        elif row["quantity"] in ("time_to_empty", "time_to_equal"):
            head, per_area = scale[name]
            start = flow_factor * math.sqrt(head)
            about = 2.0 * head / (start * per_area)  # s that it takes
            times_area = max(1, math.ceil(LONG / about))
            # Flow falls in proportion to the time that is left; of its start this much is none.
            least = 1e-7 * start
            ends = f"{{when: \"orifice.flow < {least:.20f} m3/s\", target: orifice, do: isolate}}"
            scenario = write_scenario(case, f"end-{name}", plant(name, times_area),
                                      float(math.ceil(1.02 * about * times_area)), rtol=RTOL_OF_ENDS, events=[ends])
            case.run("run", scenario, "-o", f"end-{name}.h5", "--force", "--quiet")
            end = first_event(os.path.join(case.keep, f"end-{name}.h5"), "orifice")
            out.append(None if end is None else end / times_area)
        else:
            raise NotUnderstood(f"row {name},{row['object']},{row['quantity']}")
    return out


# -- collections of small networks in the tables of pandapipes

def collection(case):
    path = os.path.join(case.folder, "networks.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def is_collection(case):
    networks = collection(case)
    return bool(networks) and case.scenarios() <= set(networks) and \
        {row["quantity"] for row in case.rows} <= {"gauge_pressure", "mean_velocity"} and \
        all({"junction", "pipe", "ext_grid", "fluid"} <= set(n) for n in networks.values())


def law_of_name(name):
    """The friction law that the name of a network states: N is Nikuradse, PC Prandtl-Colebrook."""
    for word, law in (("nikuradse", "nikuradse"), ("swamee", "swamee_jain"), ("colebrook", "colebrook_371")):
        if word in name:
            return law
    return known({"N": "nikuradse", "PC": "colebrook_371"}, name.rsplit("_", 1)[-1])


def polynomial_pump(coefficients):
    """Head [bar] as a polynomial of flow [m3/h], highest power first, by three points of it."""
    value = lambda q: 1e5 * sum(a * q ** k for k, a in enumerate(reversed(coefficients)))
    if len(coefficients) > 3:
        raise NotUnderstood(f"a pump curve of order {len(coefficients) - 1}")
    return ", ".join(f"[{q / 3600.0!r} m3/s, {value(q)!r} Pa]" for q in (0.0, 50.0, 100.0))


def collected_pod(case, name, number, net):
    fluid = net["fluid"]
    density = fluid["density"]
    works = lambda element: element.get("in_service", True)
    nodes, equipment, inflow = {}, {}, {}
    for table, sign in (("sink", -1.0), ("source", 1.0)):
        for e in filter(works, net.get(table, [])):
            flow = sign * e["mdot_kg_per_s"] * e.get("scaling", 1.0) / density
            inflow[e["junction"]] = inflow.get(e["junction"], 0.0) + flow
    held = {e["junction"]: e["p_bar"] for e in filter(works, net["ext_grid"])}
    for j in net["junction"]:
        parts = [f"elevation: {j.get('height_m', 0.0)!r} m", AT_ROOM]
        if j["index"] in held:
            parts.append(f"pressure: {held[j['index']] * 1e5!r} Pa")
        if inflow.get(j["index"]):
            parts.append(f"inflow: {inflow[j['index']]!r} m3/s")
        nodes[f"junction{j['index']}"] = "{" + ", ".join(parts) + "}"

    def add(table, e, text, shut=False):
        equipment[f"{table}{e['index']}"] = (
            f"{{from: junction{e['from_junction']}, to: junction{e['to_junction']}, {text}"
            f"{', in_service: false' if shut or not works(e) else ''}}}")
    for p in net["pipe"]:
        add("pipe", p, f"class: pipe, length: {p['length_km'] * 1e3!r} m, diameter: {p['diameter_m']!r} m, "
                       f"roughness: {p['k_mm'] / 1e3!r} m, minor_loss: {p['loss_coefficient']!r}, cells: 1")
    for v in net.get("valve", []):
        add("valve", v, f"class: resistance, loss_coefficient: {v['loss_coefficient']!r}, "
                        f"diameter: {v['diameter_m']!r} m", not v["opened"])
    for p in net.get("pump", []):
        curve = net["pump_types"][p["std_type"]]["reg_par"]
        curve = polynomial_pump(curve["_object"] if isinstance(curve, dict) else curve)
        add("pump", p, f"class: pump, head_curve: [{curve}], start_speed: 1, lag: 0.1 s, ramp_time: 0.1 s")
    return write_pod(case, f"pod-{number}", f"Network {name}",
                     physics={"gravity": "9.81 m/s2", "friction": law_of_name(name)},
                     circuits={"loop": f"{{fluid: {fluid_of(density, fluid['viscosity'] / density)}}}"},
                     equipment=equipment, nodes=nodes, design=DESIGN)


def collected(case):
    networks, values = collection(case), {}
    for number, name in enumerate(sorted(case.scenarios())):
        try:
            tables = steady_tables(case, collected_pod(case, name, number, networks[name]))
        except Failed as error:
            print(f"run_case: {name}: {error}", file=sys.stderr)
            continue
        values.update({(name, i, "gauge_pressure"): v["p"] for i, v in tables["node"].items()})
        values.update({(name, i, "mean_velocity"): v["velocity"] for i, v in tables["pipe"].items()})
    return [values.get((row["scenario"], row["object"], row["quantity"])) for row in case.rows]


FORMS = [(is_friction, friction), (is_network, network), (is_channels, channels), (is_pumps, pumps), (is_tanks, tanks),
         (is_collection, collected)]
