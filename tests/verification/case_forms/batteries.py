"""Kinetic batteries: fitted wells asked for more than they hold, and closed-form discharge, recovery and time to empty."""
import math
import os
import re

from .case import NotUnderstood, known
from .files import read_recorded, write_pod, write_scenario

AMPERE_HOUR = 3600.0  # A s


def is_fitted_wells(case):
    return case.has("q20_Ah", "q10_Ah", "q1h_Ah", "soc0", "dt_h", "requests_A")


def fitted_wells(case):
    """A battery whose every request is cut to what lasts to the end of its step."""
    d = case.inputs
    step = d["dt_h"] * 3600.0
    limits = f"soc_min: {d.get('soc_min', 0.15)!r} 1, soc_max: {d.get('soc_max', 0.95)!r} 1"  # of the unit test's battery
    pod = write_pod(case, "pod", "Battery of three capacities", equipment={
        "battery": f"{{class: battery, model: kinetic, capacity_1h: {d['q1h_Ah']!r} Ah, capacity_10h: {d['q10_Ah']!r} Ah, "
                   f"capacity_20h: {d['q20_Ah']!r} Ah, full_voltage: 2 V, initial_soc: {d['soc0']!r} 1, {limits}, "
                   f"hold_time: {step!r} s}}"})
    requests = d["requests_A"]
    events = [f"{{at: {k * step!r} s, target: battery, do: draw, with: {{current: {current!r} A}}}}"
              for k, current in enumerate(requests)]
    # A row in the middle of a step holds its current, one at its end its charge.
    scenario = write_scenario(case, "steps", pod, len(requests) * step, record=["battery"], period=0.5 * step, events=events)
    case.run("run", scenario, "-o", "steps.h5", "--force", "--quiet")

    def value(signal, place):
        return read_recorded(os.path.join(case.keep, "steps.h5"), "battery", signal, place)["battery"]

    out = []
    for row in case.rows:
        found = re.fullmatch(r"step(\d+)", row["scenario"])
        if row["scenario"] == "fit" and row["quantity"] == "qmax":
            out.append((value("q_available", 0) + value("q_bound", 0)) / value("soc", 0) / AMPERE_HOUR)
        elif row["scenario"] == "fit" and row["quantity"] == "q1_at_half_soc":
            # Wells are level at the start.
            out.append(0.5 * value("q_available", 0) / value("soc", 0) / AMPERE_HOUR)
        elif found and 1 <= int(found.group(1)) <= len(requests):
            end = 2 * int(found.group(1))
            out.append(known({"charge": (value("q_available", end) + value("q_bound", end)) / AMPERE_HOUR,
                              "current": value("current", end - 1), "soc_percent": 100.0 * value("soc", end)},
                             row["quantity"]))
        else:
            raise NotUnderstood(f"row {row['scenario']},{row['object']},{row['quantity']}")
    return out


def is_wells(case):
    return case.has("Q_Ah", "c", "k_per_s") and any(case.has(key) for key in ("currents", "sequence", "powers"))


class Wells:
    """Runs of one battery, each on demand."""

    def __init__(self, case):
        self.case, self.runs = case, {}

    def battery(self, more=""):
        d = self.case.inputs
        # Charges do not depend on voltage; any will do where none is given.
        volts = "".join(f", {name}: {d[key]!r} {unit}" for key, name, unit in (
            ("K", "voltage_fall", "V"), ("R", "resistance", "ohm")) if key in d and more)
        return (f"{{class: battery, model: kinetic, capacity: {d['Q_Ah']!r} Ah, available_fraction: {d['c']!r} 1, "
                f"rate_constant: {d['k_per_s']!r} 1/s, full_voltage: {d.get('E0', 100.0)!r} V{volts}{more}}}")

    def run(self, name, duration, battery, events=(), period=None):
        """The file of a run that is made once."""
        if name not in self.runs:
            pod = write_pod(self.case, f"pod-{name}", "Kinetic battery", equipment={"battery": battery})
            sections = {"events": list(events)} if events else {}
            scenario = write_scenario(self.case, name, pod, duration, record=["battery"], period=period or duration,
                                      **sections)
            self.case.run("run", scenario, "-o", f"{name}.h5", "--force", "--quiet")
            self.runs[name] = os.path.join(self.case.keep, f"{name}.h5")
        return self.runs[name]

    @staticmethod
    def last(path, signal):
        return read_recorded(path, "battery", signal, -1)["battery"]

    def draw(self, current, at=0.0):
        return f"{{at: {at!r} s, target: battery, do: draw, with: {{current: {current!r} A}}}}"

    def emptied(self, current):
        """Time [s] at which a current from full ends by itself."""
        longest = math.ceil(self.case.inputs["Q_Ah"] * AMPERE_HOUR / current) + 1.0
        return self.last(self.run(f"empty-{current!r}", longest, self.battery(), [self.draw(current)]), "ended_at")

    def under_current(self, row, current):
        end = self.emptied(current)
        found = re.fullmatch(r"at ([\d.]+) of time to empty", row["object"])
        if found:
            share = float(found.group(1))
            path = self.run(f"part-{current!r}-{share!r}", share * end, self.battery(), [self.draw(current)])
            return self.last(path, known({"q1": "q_available", "q2": "q_bound"}, row["quantity"])) / AMPERE_HOUR
        return known({"time_to_empty": end, "delivered": current * end / AMPERE_HOUR}, row["quantity"])

    def in_sequence(self, row):
        time, events, starts = float(row["time_s"]), [], 0.0
        for length, current in self.case.inputs["sequence"]:
            if starts < time:
                events.append(self.draw(current, starts))
            starts += length
        path = self.run(f"sequence-{time!r}", time, self.battery(), events)
        return self.last(path, known({"q1": "q_available", "q2": "q_bound"}, row["quantity"])) / AMPERE_HOUR

    def under_power(self, row, power):
        d = self.case.inputs
        end_share = d.get("q1_end_fraction", 0.05)  # of the problem statement
        end = f", end_voltage: {d['V_min']!r} V, end_available: {end_share!r} 1, power: {power!r} W"
        whole = math.ceil(1.01 * d["Q_Ah"] * AMPERE_HOUR * d["E0"] / power)
        path = self.run(f"power-{power!r}", float(whole), self.battery(end))
        runtime = self.last(path, "ended_at")
        if row["quantity"] == "runtime":
            return runtime
        if row["quantity"] == "energy_delivered":
            return self.last(path, "energy_out")
        if row["quantity"] == "terminal_voltage_end":
            # A hair before the end it still gives its power.
            before = runtime - 1e-5
            return self.last(self.run(f"until-{power!r}", before, self.battery(end)), "voltage")
        if row["quantity"] == "end_by_charge":
            import h5py
            with h5py.File(path, "r") as f:
                causes = [cause.decode() for cause, text in zip(f["events"]["cause"][:], f["events"]["text"][:])
                          if text.decode().startswith("end of discharge")]
            return float(causes == ["available well empty"])
        raise NotUnderstood(f"row {row['scenario']},{row['object']},{row['quantity']}")


def wells(case):
    battery = Wells(case)
    out = []
    for row in case.rows:
        name, _, value = row["scenario"].partition("=")
        if name == "I":
            out.append(battery.under_current(row, float(value)))
        elif name == "P":
            out.append(battery.under_power(row, float(value)))
        elif row["scenario"] == "sequence":
            out.append(battery.in_sequence(row))
        else:
            raise NotUnderstood(f"row {row['scenario']},{row['object']},{row['quantity']}")
    return out


FORMS = [(is_fitted_wells, fitted_wells), (is_wells, wells)]
