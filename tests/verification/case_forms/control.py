"""A PI controller around a process of first order."""
import math

from .case import NotUnderstood, known
from .files import last_values, row_times, write_pod
from .modes import modes_of


def is_loop_control(case):
    return case.has("tau", "K", "Kp", "Ti", "times")


def loop_control(case):
    d = case.inputs
    pods = {}
    for name, set_point, load in (("setpoint", 1, 0), ("load", 0, 1)):
        pods[name] = write_pod(case, f"pod-{name}", "PI control of a first-order process", equipment={
            "process": f"{{class: first_order_process, gain: {d['K']!r}, time_constant: {d['tau']!r} s, "
                       f"disturbance: {load}}}"},
            controls={"controller": f"{{class: pi_controller, sensor: process, drives: [process], "
                                    f"set_point: {set_point}, "
                      f"gain: {d['Kp']!r}, integral_time: {d['Ti']!r} s, sample_period: 0 s, start_output: 0, "
                      "output_low: -1000, output_high: 1000}"})
    values = {name: last_values(case, pod, row_times(case, lambda row, n=name: row["scenario"] == n), "process", "y")
              for name, pod in pods.items()}
    modes = [(real, imag) for real, imag in modes_of(case, pods["setpoint"]) or [] if imag > 0.0]
    out = []
    for row in case.rows:
        if row["object"] == "closed_loop":
            if row["quantity"] not in ("natural_frequency", "damping_ratio"):
                raise NotUnderstood(f"row {row['scenario']},{row['object']},{row['quantity']}")
            frequency = math.hypot(*modes[0]) if modes else None
            out.append(frequency if not modes or row["quantity"] == "natural_frequency" else -modes[0][0] / frequency)
        else:
            out.append(known(known(values, row["scenario"])[float(row["time_s"])], row["object"]))
    return out


FORMS = [(is_loop_control, loop_control)]
