"""Speed of a generating set after a step of load."""
import math
import os

import numpy

from .case import NotUnderstood, known
from .files import read_last, write_pod, write_scenario

RATING = 1e6   # W; what is asked is per unit
BASE = 2.0     # of rating: load before the step, so that no stop of the fuel is met on the way down
STOP = 10.0    # of that: the fuel's upper stop
FINE = 1e-3    # s, between rows around the lowest speed
AROUND = 0.04  # s, on either side of it that a polynomial goes through


def is_governor(case):
    return case.has("H", "D", "R", "Ta", "Te", "dP", "f0", "Ki", "Kp")


def governor_text(d, name):
    if name == "droop":
        return f"governor: droop, droop: {d['R']!r} 1"
    if name == "isochronous":
        return f"governor: isochronous, gain: {d['Kp']!r} 1, integral_gain: {d['Ki']!r} 1/s"
    raise NotUnderstood(f"scenario '{name}' is neither droop nor isochronous")


def modes(d, name):
    """Eigenvalues of the stated equations: they set how long a run has to be, no value of it."""
    gain, integral = (1.0 / d["R"], 0.0) if name == "droop" else (d["Kp"], d["Ki"])
    rows = [[-d["D"] / (2.0 * d["H"]), 0.0, 1.0 / (2.0 * d["H"]), 0.0], [-gain / d["Ta"], -1.0 / d["Ta"], 0.0, -integral / d["Ta"]],
            [0.0, 1.0 / d["Te"], -1.0 / d["Te"], 0.0], [1.0, 0.0, 0.0, 0.0]]
    size = 4 if integral else 3
    return numpy.linalg.eigvals(numpy.array(rows)[:size, :size])


class Set:
    """Runs of a set with one governor."""

    def __init__(self, case, name):
        self.case, self.name, self.d = case, name, case.inputs
        d = self.d
        base = BASE * RATING * max(1.0, abs(d["dP"]))
        self.base = base / RATING
        off = "overload: 0 1, underfrequency: 0 1, overfrequency: 0 1, reverse_power: 0 1"
        self.pod = write_pod(case, f"pod-{name}", "A set and a load", equipment={
            "generator": f"{{class: generator, to: bus, rating: {RATING!r} W, frequency: {d['f0']!r} Hz, {governor_text(d, name)}, "
                         f"inertia: {d['H']!r} s, damping: {d['D']!r} 1, actuator_time: {d['Ta']!r} s, engine_time: {d['Te']!r} s, "
                         f"greatest_power: {STOP * self.base!r} 1, initially: on_line, load_reference: {base!r} W, {off}}}",
            "load": f"{{class: electrical_load, supply: bus, power: {base + d['dP'] * RATING!r} W}}"})

    def run(self, name, duration, period):
        scenario = write_scenario(self.case, f"{self.name}-{name}", self.pod, duration, record=["generator"], period=period)
        self.case.run("run", scenario, "-o", f"{self.name}-{name}.h5", "--force", "--quiet")
        return os.path.join(self.case.keep, f"{self.name}-{name}.h5")

    def at(self, time):
        path = self.run(f"to-{time!r}", time, time)
        return {"frequency_deviation": self.d["f0"] * read_last(path, "generator", "speed_deviation")["generator"],
                "mechanical_power": read_last(path, "generator", "engine_power")["generator"] - self.base}

    def course(self, name, duration, period):
        import h5py
        with h5py.File(self.run(name, duration, period), "r") as f:
            return (numpy.array(f["generator/time"][:], float),
                    self.d["f0"] * numpy.array(f["generator/speed_deviation"][:, 0], float))

    def nadir(self):
        slowest = max(-1.0 / modes(self.d, self.name).real)
        time, deviation = self.course("nadir", math.ceil(3.0 * slowest) + 2.0, 0.01)
        rough = float(time[numpy.argmin(deviation)])
        time, deviation = self.course("fine", rough + AROUND, FINE)
        near = time > rough - AROUND
        fit = numpy.polynomial.Polynomial.fit(time[near], deviation[near], 6)
        turns = [float(root.real) for root in fit.deriv().roots() if abs(root.imag) < 1e-9 and abs(root.real - rough) < AROUND]
        at = min(turns, key=fit)
        return {"nadir_time": at, "nadir_deviation": float(fit(at))}

    def final(self):
        slowest = max(-1.0 / modes(self.d, self.name).real)
        if not 0.0 < slowest < 1e4:
            raise NotUnderstood("the stated set comes to no rest")
        time = float(math.ceil(25.0 * slowest) + 1.0)
        return {"final_deviation": self.at(time)["frequency_deviation"]}


def governor(case):
    sets, values, out = {}, {}, []
    for row in case.rows:
        name = row["scenario"]
        if name not in sets:
            sets[name] = Set(case, name)
        key = (name, row["time_s"] or row["quantity"].split("_")[0])
        if key not in values:
            values[key] = (sets[name].at(float(row["time_s"])) if row["time_s"] else
                           known({"nadir": sets[name].nadir, "final": sets[name].final}, key[1])())
        out.append(known(values[key], row["quantity"]))
    return out


FORMS = [(is_governor, governor)]
