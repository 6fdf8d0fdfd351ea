"""Chains of power conversion at rest: losses from the load up to the facility's supply."""
import math
import os
import re

from .case import NotUnderstood, known, label_values
from .files import read_table, steady_table, write_pod

DESIGN = "design: {rack_power: 0 kW, weather: {dry_bulb: 20 degC, relative_humidity: 40 %}}\n"  # heat goes outdoors
SOURCE_RATING = "100 GW"  # of a supply that the case says nothing about


def write_plant(case, name, title, equipment):
    """A pod that `podtwin steady` takes by itself."""
    pod = write_pod(case, name, title, equipment=equipment)
    with open(os.path.join(case.keep, pod), "a", encoding="utf-8") as f:
        f.write(DESIGN)
    return pod


def source(bus):
    return f"{{class: utility, to: {bus}, rating: {SOURCE_RATING}}}"


def is_chain(case):
    return case.has("P_it", "overhead", "stages") and all({"id", "rated", "a"} <= set(s) for s in case.inputs["stages"])


def stage(d, upper, lower):
    return (f"{{class: power_converter, from: {upper}, to: {lower}, rating: {d['rated']!r} W, "
            f"units: {d.get('units', 1)}, loss_polynomial: {d['a']!r}}}")


def chain_at(case, power, number):
    """Quantities of the whole chain at an IT power, by object and quantity."""
    d, stages = case.inputs, case.inputs["stages"]
    buses = ["it-bus"] + [f"above-{k}" for k in range(len(stages))]  # load side first
    equipment = {"source": source(buses[-1])}
    for k, each in enumerate(stages):
        equipment[f"stage-{k}"] = stage(each, buses[k + 1], buses[k])
    equipment["it"] = f"{{class: electrical_load, power: {power!r} W, supply: {buses[0]}, it: true}}"
    equipment["overhead"] = f"{{class: electrical_load, power: {d['overhead']!r} W, supply: {buses[-1]}}}"
    pod = write_plant(case, f"pod-{number}", "A chain of conversion stages", equipment)
    converters = steady_table(case, pod, "power_converter")
    found = {}
    for k, each in enumerate(stages):
        for quantity in ("loss", "efficiency", "input", "loading"):
            found[each["id"], quantity] = converters[f"stage-{k}"][quantity]
    total = read_table(case, "utility")["source"]["power"]
    taken = converters[f"stage-{len(stages) - 1}"]["input"]
    found["chain", "input"], found["chain", "efficiency"] = taken, power / taken
    found["chain", "loss"] = taken - power
    found["facility", "input"] = found["facility", "total"] = found["facility", "total_power"] = total
    found["facility", "pue"] = total / power
    return found


def best_loads(case):
    """Output over rating at which each stage loses least for what it delivers. The program gives the loss without load,
    at half and at rated load; it is of second degree, so they tell it whole: least where L(x) = x dL/dx."""
    stages = case.inputs["stages"]
    loads = (0.0, 0.5, 1.0)
    equipment = {"source": source("top")}
    for k, each in enumerate(stages):
        for m, load in enumerate(loads):
            equipment[f"stage-{k}-{m}"] = stage(each, "top", f"bus-{k}-{m}")
            equipment[f"load-{k}-{m}"] = (f"{{class: electrical_load, supply: bus-{k}-{m}, "
                                          f"power: {load * each['rated'] * each.get('units', 1)!r} W}}")
    table = steady_table(case, write_plant(case, "pod-loads", "Each stage at three loads", equipment),
                         "power_converter")
    best = {}
    for k, each in enumerate(stages):
        none, half, full = (table[f"stage-{k}-{m}"]["loss"] for m in range(len(loads)))
        square = 2.0 * (full - 2.0 * half + none)
        best[each["id"]] = math.sqrt(none / square) if square > 0.0 else None
    return best


def chain(case):
    points = {}
    for number, power in enumerate(case.inputs["P_it"]):
        points[power] = chain_at(case, power, number)
    best, out = None, []
    for row in case.rows:
        if row["quantity"] == "load_fraction_of_best_efficiency":
            best = best or best_loads(case)
            out.append(known(best, row["object"]))
            continue
        label = label_values(row["scenario"])
        if set(label) != {"P"}:
            raise NotUnderstood(f"'{row['scenario']}' is no power P=...")
        if label["P"] not in points:
            points[label["P"]] = chain_at(case, label["P"], len(points))
        out.append(known(points[label["P"]], (row["object"], row["quantity"])))
    return out


CONFIG = ("NUM_CDUS", "RACKS_PER_CDU", "NODES_PER_RACK", "CHASSIS_PER_RACK", "SWITCHES_PER_CHASSIS", "NICS_PER_NODE",
          "RECTIFIERS_PER_CHASSIS", "GPUS_PER_NODE", "POWER_GPU_IDLE", "POWER_GPU_MAX", "POWER_CPU_IDLE",
          "POWER_CPU_MAX", "POWER_MEM", "POWER_NIC", "POWER_NVME", "POWER_SWITCH", "POWER_CDU",
          "RECTIFIER_PEAK_THRESHOLD", "SIVOC_LOSS_CONSTANT", "SIVOC_EFFICIENCY", "RECTIFIER_LOSS_CONSTANT",
          "RECTIFIER_EFFICIENCY")


def is_machine(case):
    return case.has("config") and set(CONFIG) <= set(case.inputs["config"])


def node_power(config, cpu, gpu):
    """What a node's parts take behind its converter; gpu and cpu count busy devices."""
    idle_cpus, idle_gpus = config.get("CPUS_PER_NODE", 1) - cpu, config["GPUS_PER_NODE"] - gpu
    return (cpu * config["POWER_CPU_MAX"] + idle_cpus * config["POWER_CPU_IDLE"] + gpu * config["POWER_GPU_MAX"] +
            idle_gpus * config["POWER_GPU_IDLE"] + config["POWER_MEM"] + config["NICS_PER_NODE"] * config["POWER_NIC"] +
            config["POWER_NVME"])


def shared_out(config, whole, parts):
    if config[whole] % config[parts] != 0:
        raise NotUnderstood(f"{config[whole]} {whole} do not share out among {config[parts]} {parts}")
    return config[whole] // config[parts]


class Machine:
    """Racks of chassis: rectifiers feed switches and the converters of nodes."""

    def __init__(self, case):
        self.case, self.config = case, case.inputs["config"]
        c = self.config
        self.missing = set(case.inputs.get("missing_racks", []))
        self.racks = range(c["NUM_CDUS"] * c["RACKS_PER_CDU"])
        self.nodes = shared_out(c, "NODES_PER_RACK", "CHASSIS_PER_RACK")
        # Ratings are not stated: what the parts can come to, and the threshold of a rectifier.
        self.node_rating = node_power(c, c.get("CPUS_PER_NODE", 1), c["GPUS_PER_NODE"])
        most = (self.nodes * (self.node_rating + c["SIVOC_LOSS_CONSTANT"]) / c["SIVOC_EFFICIENCY"] +
                c["SWITCHES_PER_CHASSIS"] * c["POWER_SWITCH"])
        self.rectifier_rating = max(most / c["RECTIFIERS_PER_CHASSIS"], c["RECTIFIER_PEAK_THRESHOLD"])

    def node_converter(self, upper, lower, units):
        c = self.config
        return (f"{{class: power_converter, from: \"{upper}\", to: \"{lower}\", rating: {self.node_rating!r} W, "
                f"units: {units}, standing_loss: {c['SIVOC_LOSS_CONSTANT']!r} W, "
                f"conversion_efficiency: {c['SIVOC_EFFICIENCY']!r}}}")

    def rectifiers(self, upper, lower, by_load):
        c = self.config
        staging = f"staging: by_load, unit_threshold: {c['RECTIFIER_PEAK_THRESHOLD']!r} W" if by_load else "staging: all"
        return (f"{{class: power_converter, from: \"{upper}\", to: \"{lower}\", rating: {self.rectifier_rating!r} W, "
                f"units: {c['RECTIFIERS_PER_CHASSIS']}, standing_loss: {c['RECTIFIER_LOSS_CONSTANT']!r} W, "
                f"conversion_efficiency: {c['RECTIFIER_EFFICIENCY']!r}, {staging}}}")

    def at(self, cpu, gpu, by_load, number):
        """Quantities of the whole machine, by object and quantity."""
        c, places = self.config, f"c[0-{self.config['CHASSIS_PER_RACK'] - 1}]"
        node = node_power(c, cpu, gpu)
        equipment = {"grid": source("hall"), "elsewhere": source("void")}
        equipment[f"cdu[0-{c['NUM_CDUS'] - 1}]-pump"] = (f"{{class: electrical_load, power: {c['POWER_CDU']!r} W, "
                                                         "supply: hall}")
        # A rack that is not there takes nothing from the hall; the case counts losses as if it were.
        for rack in self.racks:
            bus = "void" if rack in self.missing else "hall"
            equipment[f"rack{rack}"] = f"{{class: breaker, from: {bus}, to: rack{rack}-ac}}"
        racks = f"rack[0-{len(self.racks) - 1}]"
        dc, board = "rack$1-c$2-dc", "rack$1-c$2-board"
        equipment[f"{racks}-{places}-rectifiers"] = self.rectifiers("rack$1-ac", dc, by_load)
        equipment[f"{racks}-{places}-converters"] = self.node_converter(dc, board, self.nodes)
        equipment[f"{racks}-{places}-nodes"] = (f"{{class: electrical_load, power: {self.nodes * node!r} W, "
                                                f"supply: \"{board}\", it: true}}")
        equipment[f"{racks}-{places}-switches"] = (
            f"{{class: electrical_load, power: {c['SWITCHES_PER_CHASSIS'] * c['POWER_SWITCH']!r} W, "
            f"supply: \"{dc}\", it: true}}")
        pod = write_plant(self.case, f"pod-{number}", "Racks of chassis with rectifiers and node converters", equipment)
        converters = steady_table(self.case, pod, "power_converter")
        loss = lambda kind: math.fsum(v["loss"] for name, v in converters.items() if name.endswith(kind))
        feeds = read_table(self.case, "breaker")
        found = {("facility", "total_power"): read_table(self.case, "utility")["grid"]["power"],
                 ("rectifiers", "loss"): loss("-rectifiers"), ("node_converters", "loss"): loss("-converters")}
        for rack in self.racks:
            found[f"rack{rack}", "power"] = 0.0 if rack in self.missing else feeds[f"rack{rack}"]["power"]
        return found

    def node(self, cpu, gpu, number):
        """Input of one node: 12 digits of it in the table."""
        equipment = {"bench": source("bench-bus"), "converter": self.node_converter("bench-bus", "board", 1),
                     "node": f"{{class: electrical_load, power: {node_power(self.config, cpu, gpu)!r} W, "
                             f"supply: board, it: true}}"}
        pod = write_plant(self.case, f"pod-node-{number}", "One node behind its converter", equipment)
        return steady_table(self.case, pod, "power_converter")["converter"]["input"]


def machine(case):
    plant, found, out = Machine(case), {}, []
    for row in case.rows:
        label = label_values(row["scenario"])
        if not {"cpu", "gpu"} <= set(label):
            raise NotUnderstood(f"'{row['scenario']}' states no cpu and gpu")
        key = label["cpu"], label["gpu"], label.get("smart_sharing")
        if row["object"] == "node":
            if row["quantity"] != "input_power":
                raise NotUnderstood(f"row {row['scenario']},node,{row['quantity']}")
            key = "node", *key[:2]
            if key not in found:
                found[key] = plant.node(*key[1:], len(found))
            out.append(found[key])
            continue
        if key not in found:
            found[key] = plant.at(key[0], key[1], bool(key[2]), len(found))
        quantity = "loss" if re.fullmatch(r"loss_all_\d+_racks", row["quantity"]) else row["quantity"]
        out.append(known(found[key], (row["object"], quantity)))
    return out


FORMS = [(is_chain, chain), (is_machine, machine)]
