"""Three-phase networks: feeders with line matrices, four-wire distribution, balanced networks."""
import cmath
import math

from .case import NotUnderstood, known
from .files import fault_levels, steady_table, read_table, write_pod

FOOT = 0.3048  # m, by definition
MILE = 5280.0 * FOOT
# Ohm: what stands for a switch or a regulator that the case calls ideal. A thousandth of what changes the fifth digit of
# a voltage at the currents of these cases.
IDEAL = 1e-7
PHASES = "abc"


def quantity(value, unit):
    return f"{value!r} {unit}"


def triangle(matrix):
    """Entries of a lower triangle, row by row."""
    return [value for k, row in enumerate(matrix) for value in row[:k + 1]]


def listed(values, unit):
    return "[" + ", ".join(quantity(float(v), unit) for v in values) + "]"


def line(from_bus, to_bus, length, r, x, conductors="abc", capacitance=None, parallel=1, frequency=60.0, extra=""):
    """Instance of a line; length m, r and x ohm/m, capacitance F/m: lists as the class takes them."""
    more = f", capacitance: {listed(capacitance, 'F/m')}" if capacitance and any(capacitance) else ""
    return (f"{{class: line, from: {from_bus}, to: {to_bus}, length: {length!r} m, conductors: {conductors}, "
            f"resistance: {listed(r, 'ohm/m')}, reactance: {listed(x, 'ohm/m')}, parallel: {parallel}, "
            f"frequency: {frequency!r} Hz{more}{extra}}}")


def transformer(from_bus, to_bus, power, first, second, r, x, group, no_load_loss=0.0, no_load_current=0.0, extra=""):
    """Instance of a transformer; r, x and no_load_current a unit of its rating, power VA, loss W."""
    return (f"{{class: transformer, from: {from_bus}, to: {to_bus}, rating: {power!r} VA, first_voltage: {first!r} V, "
            f"second_voltage: {second!r} V, impedance: {math.hypot(r, x)!r}, load_loss: {r * power!r} W, "
            f"no_load_loss: {no_load_loss!r} W, no_load_current: {no_load_current!r}, vector_group: {group}{extra}}}")


def load(bus, p, q, model="power", connection="star", phases="abc"):
    """Instance of a load; p W and q var of all its phases, by three loads where they differ (see loads)."""
    return (f"{{class: electrical_load, supply: {bus}, power: {p!r} W, reactive_power: {q!r} var, model: {model}, "
            f"connection: {connection}, phases: {phases}, lowest_voltage: 50 %}}")


def loads(name, bus, p, q, model, connection):
    """{id: instance} of powers a phase, or between phases a-b, b-c and c-a."""
    ends = PHASES if connection == "star" else ("ab", "bc", "ca")
    return {f"{name}-{end}": load(bus, float(pk), float(qk), model, connection, end)
            for end, pk, qk in zip(ends, p, q) if pk or qk}


MODELS = {"PQ": "power", "Z": "impedance", "I": "current"}
CONNECTIONS = {"Y": "star", "D": "delta"}


def to_neutral(bus, k):
    return cmath.rect(bus[f"v_{PHASES[k]}"], bus[f"angle_{PHASES[k]}"])


def to_earth(bus, k):
    neutral = cmath.rect(bus["v_n"], bus["angle_n"])
    return neutral if k == len(PHASES) else to_neutral(bus, k) + neutral


def degrees(z):
    return math.degrees(cmath.phase(z))


def sequences(v):
    """Zero, positive and negative sequence of three phasors."""
    turn = cmath.rect(1.0, 2.0 * math.pi / 3.0)
    return (sum(v) / 3.0, (v[0] + turn * v[1] + turn * turn * v[2]) / 3.0,
            (v[0] + turn * turn * v[1] + turn * v[2]) / 3.0)


def total_loss(case, classes):
    return sum(row["loss"] for group in classes for row in read_table(case, group).values())


# -- a source, a line, a transformer of any connection, a line, a load --------------------------------------------------

def is_two_lines_and_transformer(case):
    return case.has("source_kV_LL", "transformer", "line1_ft", "line2_ft", "Zy_ohm_per_mile", "line_matrix_use")


def two_lines_and_transformer(case):
    d = case.inputs
    per_mile = {name: d[f"{name}_ohm_per_mile"] for name in ("Zy", "Zd")}
    part = {name: [[[z[i] / MILE for z in row] for row in m] for i in (0, 1)] for name, m in per_mile.items()}
    # Between a star and a delta the side of higher voltage leads by 30 degrees (ANSI C57.12).
    groups = {"YY": ("YNyn0", "YNyn0"), "YD": ("Yd1", "Yd11"), "DY": ("Dyn1", "Dyn11"), "DD": ("Dd0", "Dd0")}
    balanced = ([5400e3 / 3] * 3, [0.9] * 3)
    unbalanced = ([1275e3, 1800e3, 2375e3], [0.85, 0.9, 0.95])
    found = {}
    for scenario in case.scenarios():
        name = scenario
        if scenario.startswith("opendss:"):
            connection, kind = scenario.removeprefix("opendss:").split("-")
            name = {"Bal": "BalancedStepDown", "Unb": "UnbalancedStepDown"}[kind] + ":" + connection
        course, connection = name.split(":")
        powers, factors = balanced if course.startswith("Balanced") else unbalanced
        second = 4160.0 if course.endswith("StepDown") else 24900.0
        first_matrix, second_matrix = (part[m] for m in d["line_matrix_use"][connection])
        star = connection[1] == "Y"
        t = d["transformer"]
        equipment = {
            "grid": f"{{class: utility, to: n1, rating: 100 MW, voltage: {d['source_kV_LL'] * 1e3!r} V}}",
            "line1": line("n1", "n2", d["line1_ft"] * FOOT, triangle(first_matrix[0]), triangle(first_matrix[1])),
            "T": transformer("n2", "n3", t["kVA"] * 1e3, d["source_kV_LL"] * 1e3, second, t["R_percent"] / 100,
                             t["X_percent"] / 100, groups[connection][second > d["source_kV_LL"] * 1e3]),
            "line2": line("n3", "n4", d["line2_ft"] * FOOT, triangle(second_matrix[0]), triangle(second_matrix[1])),
            **loads("load", "n4", powers, [p * math.tan(math.acos(f)) for p, f in zip(powers, factors)], "power",
                    "star" if star else "delta")}
        pod = write_pod(case, name.replace(":", "-"), f"Four nodes, {name}", equipment=equipment)
        found[scenario] = (connection, steady_table(case, pod, "bus"))
    out = []
    for row in case.rows:
        connection, table = found[row["scenario"]]
        node, k = row["object"].split(".")
        k = int(k) - 1
        bus = known(table, "n" + node.removeprefix("node").removeprefix("n"))
        side = connection[0] if node[-1] in "12" else connection[1]
        grounded = row["quantity"] == "voltage_to_ground"
        v = to_earth(bus, k) if side == "Y" or grounded else to_earth(bus, k) - to_earth(bus, (k + 1) % 3)
        # Between phases of the first side of an ungrounded star, too: it has no other voltage of its own.
        out.append(degrees(v) if row["quantity"] == "angle" else abs(v))
    return out


# -- a feeder with a regulator, line codes, capacitors ------------------------------------------------------------------

def is_regulated_feeder(case):
    return case.has("regulator_taps", "linecodes_ohm_per_mile", "lines", "loads", "capacitors")


def regulated_feeder(case):
    d = case.inputs
    source = d["source"]
    nominal = source["kV_LL"] * 1e3
    taps = [d["regulator_taps"][p.upper()] for p in PHASES]
    letter = {"1": "a", "2": "b", "3": "c"}

    def named(phases):
        return "".join(letter[c] for c in str(phases))

    regulated = next(row["from"] for row in d["lines"] if row["from"].lower().startswith("rg"))
    equipment = {
        "grid": f"{{class: utility, to: b{source['bus']}, rating: 100 MW, voltage: {nominal * source['pu']!r} V}}",
        "regulator": f"{{class: voltage_regulator, from: b{source['bus']}, to: b{regulated}, rating: 1 MVA, "
                     f"resistance: 0, reactance: 0.0000001, " +
                     ", ".join(f"ratio_{p}: {t!r}" for p, t in zip(PHASES, taps)) + "}"}
    for row in d["lines"]:
        code = d["linecodes_ohm_per_mile"][row["code"]]
        n = len(code["r"])
        phases = named(row["phases"])
        c = code.get("c_nF_per_mile_diag", code.get("c_nF", 0.0)) * 1e-9 / MILE
        equipment["line" + row["id"]] = line(
            "b" + row["from"], "b" + row["to"], row["length_ft"] * FOOT, [v / MILE for v in triangle(code["r"])],
            [v / MILE for v in triangle(code["x"])], phases[:n], [c], frequency=d["frequency_Hz"])
    for key, value in d.items():
        ends = key.split("_")[1:]
        if key.startswith("transformer_"):
            first, second = (u * 1e3 for u in value["kV"])
            equipment[key] = transformer("b" + ends[0], "b" + ends[1], value["kVA"] * 1e3, first, second,
                                         value["R_percent"] / 100, value["X_percent"] / 100, "YNyn0")
        elif key.startswith("switch_"):
            equipment[key] = f"{{class: breaker, from: b{ends[0]}, to: b{ends[1]}, resistance: {IDEAL!r} ohm}}"
    for number, row in enumerate(d["loads"]):
        connection = known(CONNECTIONS, row["conn"])
        model = known(MODELS, row["model"])
        name, bus = f"load{number}", "b" + row["bus"]
        if isinstance(row["kW"], list):
            equipment.update(loads(name, bus, [p * 1e3 for p in row["kW"]], [q * 1e3 for q in row["kvar"]], model,
                                   connection))
        else:
            phases = named(row.get("phase", row.get("phases")))
            equipment[name] = load(bus, row["kW"] * 1e3, row["kvar"] * 1e3, model, connection, phases)
    for number, row in enumerate(d["capacitors"]):
        phases = named(row.get("phase", row.get("phases")))
        between = row["kV"] * 1e3 * (1.0 if len(phases) > 1 else math.sqrt(3.0))
        equipment[f"capacitor{number}"] = (
            f"{{class: capacitor_bank, at: b{row['bus']}, reactive_power: {row.get('kvar_total', row.get('kvar')) * 1e3!r} "
            f"var, rated_voltage: {between!r} V, phases: {phases}, loss_factor: 0}}")
    pod = write_pod(case, "pod", "Regulated feeder", equipment=equipment)
    buses = {key.lower(): value for key, value in steady_table(case, pod, "bus").items()}
    lines = read_table(case, "line")
    base = {}
    for key, value in d.items():
        if key.startswith("transformer_"):
            base["b" + key.split("_")[2]] = value["kV"][1] * 1e3
    out = []
    for row in case.rows:
        node, k = row["object"].rsplit(".", 1)
        k = int(k) - 1
        if row["quantity"] in ("voltage_pu", "angle"):
            bus = known(buses, "b" + node.lower())
            v = to_earth(bus, k)
            out.append(degrees(v) if row["quantity"] == "angle"
                       else abs(v) * math.sqrt(3.0) / base.get("b" + node, nominal))
        elif row["quantity"] in ("active_power_in", "reactive_power_in"):
            own = known(lines, node)
            out.append(own[("power_" if row["quantity"].startswith("active") else "q_") + PHASES[k]])
        else:
            raise NotUnderstood(f"row {row['object']},{row['quantity']}")
    return out


# -- four-wire distribution ---------------------------------------------------------------------------------------------

def is_four_wire(case):
    return case.has("scenarios") and all("Vbase_LN" in s and "transformers" in s
                                         for s in case.inputs["scenarios"].values())


def four_wire(case):
    found = {}
    for name, s in case.inputs["scenarios"].items():
        equipment = {"grid": f"{{class: utility, to: src, rating: 100 MW, "
                             f"voltage: {s['source']['kV_LL'] * s['source']['pu'] * 1e3!r} V}}"}
        for t in s["transformers"]:
            first, second = (u * 1e3 for u in t["kV"])
            equipment[t["id"]] = transformer(
                t["from"], t["to"], t["kVA"] * 1e3, first, second, t["R_percent"] / 100, t["X_percent"] / 100, "Dyn11",
                extra=f", second_earthing: {t['neutral_earth_ohm']!r} ohm")
        for row in s["lines"]:
            equipment[row["id"]] = line(row["from"], row["to"], row["length_km"] * 1e3,
                                        [v / 1e3 for v in triangle(row["R_ohm_per_km"])],
                                        [v / 1e3 for v in triangle(row["X_ohm_per_km"])], "abcn")
        for row in s["loads"]:
            equipment.update(loads("load-" + row["id"], row["bus"], row["P"], row["Q"], known(MODELS, row["model"]),
                                   known(CONNECTIONS, row["conn"])))
        pod = write_pod(case, name, s["description"], equipment=equipment)
        buses = steady_table(case, pod, "bus")
        found[name] = (s["Vbase_LN"], buses, read_table(case, "line"), read_table(case, "transformer"))
    out = []
    for row in case.rows:
        base, buses, lines, transformers = known(found, row["scenario"])
        name, _, which = row["object"].partition(".")
        what = row["quantity"]
        if what == "current":
            out.append(known(lines, name)["i_" + which])
        elif what in ("primary_active_power", "primary_reactive_power"):
            out.append(known(transformers, name)["power_in" if "active" == what.split("_")[1] else "q_in"])
        elif what == "total_loss":
            out.append(sum(line["loss"] for line in lines.values()))
        elif what in ("negative_sequence_unbalance", "zero_sequence_unbalance"):
            zero, positive, negative = sequences([to_neutral(known(buses, name), k) for k in range(3)])
            out.append(abs(negative if what.startswith("negative") else zero) / abs(positive))
        elif what == "voltage_to_neutral_pu":
            out.append(abs(to_neutral(known(buses, name), int(which) - 1)) / base)
        else:
            v = to_earth(known(buses, name), int(which) - 1)
            out.append(degrees(v) if what == "angle" else abs(v))
    return out


# -- balanced networks --------------------------------------------------------------------------------------------------

def is_balanced_network(case):
    return case.has("scenarios") and all("grids" in s and "trafos" in s for s in case.inputs["scenarios"].values())


def balanced_pod(case, name, s, equivalent):
    def alive(row):
        return "" if row.get("in_service", True) else ", in_service: false"

    equipment = {}
    for number, g in enumerate(s["grids"]):
        nominal = s["buses"][g["bus"]] * 1e3
        # The voltage is that at the bus whatever is drawn; the power behind it is that of faults.
        equipment[f"grid{number}"] = (
            f"{{class: utility, to: {g['bus']}, rating: 100 MW, voltage: {nominal * g['vm_pu']!r} V, holds_voltage: true, "
            f"short_circuit_power: {g['s_sc_max_mva'] * 1e6!r} VA, resistance_over_reactance: {g['rx_max']!r}, "
            f"parallel: allowed{alive(g)}}}")
    for row in s["lines"]:
        equipment[row["id"]] = line(row["from"], row["to"], row["length_km"] * 1e3, [row["r"] / 1e3], [row["x"] / 1e3],
                                    "abc", [row.get("c_nF", 0.0) * 1e-12], row.get("parallel", 1),
                                    row.get("frequency", 50.0), alive(row))
    for t in s["trafos"]:
        r, z = t["vkr"] / 100, t["vk"] / 100
        equipment[t["id"]] = transformer(
            t["hv"], t["lv"], t["sn_mva"] * 1e6, t["vn_hv"] * 1e3, t["vn_lv"] * 1e3, r, math.sqrt(z * z - r * r), "YNyn0",
            t["pfe_kw"] * 1e3, t["i0"] / 100,
            f", tap_position: {t['tap']}, equivalent: {equivalent}{alive(t)}")
    for row in s["loads"]:
        shares = {"impedance": row.get("z", 0.0) / 100, "current": row.get("i", 0.0) / 100}
        shares["power"] = 1.0 - sum(shares.values())
        for model, share in shares.items():
            if share:
                equipment[f"{row['id']}-{model}"] = load(row["bus"], share * row["p_mw"] * 1e6, share * row["q_mvar"] * 1e6,
                                                        model)
    for number, row in enumerate(s["switches"]):
        equipment[f"switch{number}"] = (f"{{class: breaker, from: {row['a']}, to: {row['b']}, "
                                        f"closed: {'true' if row['closed'] else 'false'}, resistance: {IDEAL!r} ohm}}")
    nodes = {bus: f"{{nominal_voltage: {kv * 1e3!r} V}}" for bus, kv in s["buses"].items()}
    return write_pod(case, name, "Balanced network", nodes=nodes, equipment=equipment)


def balanced_network(case):
    found = {}
    for scenario in case.scenarios():
        if scenario.startswith("sc_max:"):
            s = known(case.inputs["scenarios"], scenario.removeprefix("sc_max:"))
            pod = balanced_pod(case, scenario.replace(":", "-"), s, "pi")
            found[scenario] = fault_levels(case, pod)
            continue
        name, equivalent = scenario.rsplit(":", 1)
        s = known(case.inputs["scenarios"], name)
        pod = balanced_pod(case, scenario.replace(":", "-"), s, equivalent)
        found[scenario] = (s, steady_table(case, pod, "bus"), read_table(case, "line"), read_table(case, "transformer"),
                           read_table(case, "utility"))
    out = []
    for row in case.rows:
        if row["scenario"].startswith("sc_max:"):
            level = known(found[row["scenario"]], row["object"])
            out.append(level[known({"ikss": "ik3_max", "ip": "ip"}, row["quantity"])])
            continue
        s, buses, lines, transformers, grids = found[row["scenario"]]
        name, what = row["object"], row["quantity"]
        if what in ("vm_pu", "va"):
            v = to_earth(known(buses, name), 0)
            out.append(degrees(v) if what == "va" else abs(v) * math.sqrt(3.0) / (s["buses"][name] * 1e3))
        elif what in ("p", "q"):
            out.append(known(grids, name)["power" if what == "p" else "q"])
        elif what == "loading_percent":
            t = next(t for t in s["trafos"] if t["id"] == name)
            own = known(transformers, name)
            out.append(100.0 * own["loading"])
        elif what == "loss":
            out.append((lines.get(name) or known(transformers, name))["loss"])
        elif what == "i":
            out.append(known(lines, name)["i_max"])
        else:
            own = lines.get(name) or known(transformers, name)
            out.append(own["power_in" if what.startswith("p_") else "q_in"])
    return out


FORMS = [(is_two_lines_and_transformer, two_lines_and_transformer), (is_regulated_feeder, regulated_feeder),
         (is_four_wire, four_wire), (is_balanced_network, balanced_network)]
