"""Chillers by energy-input-ratio curves, a machine a sample: all in one pod, its steady state."""
import csv
import os
import re

from .case import NotUnderstood, known, label_values
from .files import steady_table, write_pod

DROP = 5.0  # K of the chilled water; the flow follows from the load
HEAT = 4186.0  # J/(kg K)


def is_eir(case):
    return case.has("capFunT", "EIRFunT", "EIRFunPLR", "Q_nominal_W", "COP_nominal")


def samples(case):
    with open(os.path.join(case.folder, "samples.csv"), newline="", encoding="utf-8") as f:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(f)]


def load_limits(case):
    found = re.search(r"PLR limited to ([\d.]+)\.\.([\d.]*\d)", case.problem)
    if not found:
        raise NotUnderstood("the statement gives no limits of the part-load ratio")
    return float(found.group(1)), float(found.group(2))


def pod_of(case, name, points, flows):
    """Chilled water of stated flow enters DROP above what the machine holds; the condenser has its entering water."""
    d = case.inputs
    least, most = load_limits(case)
    curves = ", ".join(f"{ours}: {d[theirs]!r}" for ours, theirs in (
        ("capacity_curve", "capFunT"), ("input_curve", "EIRFunT"), ("part_load_curve", "EIRFunPLR")))
    fluid = f"{{fluid: {{density: 1000 kg/m3, viscosity: 1 mPa.s, specific_heat: {HEAT!r} J/(kg.K)}}}}"
    nodes, equipment = {}, {}
    condenser = d["Q_nominal_W"] / 2e4  # kg/s; its temperature enters alone
    for n, (point, flow) in enumerate(zip(points, flows)):
        leaving, entering = point["T_evap_leaving_C"], point["T_cond_entering_C"]
        nodes |= {f"in{n}": f"{{pressure: 100 kPa, temperature: {leaving + DROP!r} degC}}",
                  f"out{n}": "{pressure: 0 kPa}",
                  f"cool{n}": f"{{pressure: 100 kPa, temperature: {entering!r} degC}}", f"warm{n}": "{pressure: 0 kPa}"}
        # The statement gives no ranges of the curves: they hold where they are asked.
        ranges = ", ".join(f"{which}: [{at - 0.01!r} degC, {at + 0.01!r} degC]" for which, at in (
            ("evaporator_range", leaving), ("condenser_range", entering)))
        equipment |= {
            f"chilled{n}": f"{{class: fixed_flow, from: in{n}, to: mid{n}, flow: {flow!r} kg/s}}",
            f"condenser{n}": f"{{class: fixed_flow, from: cool{n}, to: pipe{n}, flow: {condenser!r} kg/s}}",
            f"chiller{n}": f"{{class: chiller, cop_law: eir, from: mid{n}, to: out{n}, condenser: [pipe{n}, warm{n}], "
                           f"capacity: {d['Q_nominal_W']!r} W, cop: {d['COP_nominal']!r}, set_point: {leaving!r} degC, "
                           f"flow: {flow!r} L/s, condenser_flow: {condenser!r} L/s, "
                           f"minimum_load: {least!r}, maximum_load: {most!r}, {curves}, {ranges}}}"}
    return write_pod(case, name, "Chillers by curves", circuits={"water": fluid}, nodes=nodes, equipment=equipment)


def eir(case):
    points = samples(case)
    # A small load first: it tells what capacity each machine has there, and with that the flow of the load asked for.
    small = [load_limits(case)[0] * case.inputs["Q_nominal_W"] / (HEAT * DROP)] * len(points)
    capacity = steady_table(case, pod_of(case, "pod-capacity", points, small), "chiller")
    flows = [point["PLR"] * capacity[f"chiller{n}"]["capacity_available"] / (HEAT * DROP)
             for n, point in enumerate(points)]
    table = steady_table(case, pod_of(case, "pod", points, flows), "chiller")
    found = {point["time_s"]: table[f"chiller{n}"] for n, point in enumerate(points)}
    names = {"COP": "cop", "power": "power", "heat": "heat", "PLR": "load", "capacity": "capacity_available"}
    return [found[label_values(row["scenario"]).get("t", float(row["time_s"] or "nan"))][known(names, row["quantity"])]
            for row in case.rows]


FORMS = [(is_eir, eir)]
