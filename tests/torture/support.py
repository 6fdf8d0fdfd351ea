"""What every torture scenario shares: a plant and its events through files, and what must hold of every result.

A scenario is a test method marked by `scenario`. It hands a pod and events to `torture`, which runs `podtwin run` and
checks of the result what holds of every run: exit status, no NaN, energy and coolant mass closed to 1e-6, pressures
within the band that the plant's heads allow. The scenario itself checks its end state, by hand where it can.
"""
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import h5py
import numpy

PROGRAM = os.environ.get("PODTWIN", "podtwin")
TIME_LIMIT = 120  # s, of one command
CLOSED = 1e-6  # of energy and of coolant, issue 3
METHODS = ("arkode", "cvode", "rosenbrock")
KELVIN = 273.15
AIR = 101325.0  # Pa, standard atmosphere at sea level
GRAVITY = 9.80665  # m/s2
# A coolant whose figures make the arithmetic of a test plain: 1 L/s is 1 kg/s and carries 4 kW a kelvin.
DENSITY, SPECIFIC_HEAT = 1000.0, 4000.0
PLAIN = "{density: 1000 kg/m3, viscosity: 0.001 Pa.s, specific_heat: 4000 J/(kg.K), conductivity: 0.6 W/(m.K)}"
LITRE = 1e-3  # m3


def scenario(pain, why, by_hand=False):
    """Marks a test as a scenario: row of user-pains part A (or word of issue 3), one line why, end state by hand or not."""
    def mark(test):
        test.scenario = {"pain": pain, "why": why, "by_hand": by_hand}
        return test
    return mark


def pod(equipment, nodes="", circuits=f"  w: {{fluid: {PLAIN}}}\n", physics=""):
    """A pod at sea level from the lines of its sections."""
    text = "podtwin: pod/1\nsite: {latitude: 0 deg, longitude: 0 deg, elevation: 0 m}\n"
    if physics:
        text += f"physics: {{{physics}}}\n"
    text += "circuits:\n" + circuits
    if nodes:
        text += "nodes:\n" + nodes
    return text + "equipment:\n" + equipment


def circuit(name="w", fluid=PLAIN, node="ret", pressure="200 kPa", more=""):
    """One circuit whose pressure is held at a node."""
    return f"  {name}: {{fluid: {fluid}, reference: {{node: {node}, pressure: {pressure}}}{more}}}\n"


def at(time, target, verb, **what):
    """One event."""
    given = f", with: {{{', '.join(f'{key}: {value}' for key, value in what.items())}}}" if what else ""
    return f"{{at: {time}, target: {target}, do: {verb}{given}}}"


class Result:
    """The result file of one run, by equipment or node and signal."""

    def __init__(self, path, stderr):
        self.file = h5py.File(path)
        self.stderr = stderr
        self.balance = {name: float(item[()]) for name, item in self.file["balance"].items()}
        self.place = {}
        for name, group in self.file.items():
            if isinstance(group, h5py.Group) and "id" in group and "time" in group:
                self.place.update({member.decode(): (group, column) for column, member in enumerate(group["id"][:])})

    def time(self, member):
        return self.place[member][0]["time"][:]

    def series(self, member, signal):
        group, column = self.place[member]
        return group[signal][:, column].astype(float)

    def value(self, member, signal, time=None):
        """At a moment that has a row, at the end if none is given."""
        rows = self.time(member)
        row = -1 if time is None else int(numpy.argmin(abs(rows - time)))
        assert time is None or abs(rows[row] - time) < 1e-6, f"no row at {time} s"
        return self.series(member, signal)[row]

    def events(self):
        table = self.file["events"]
        return list(zip(table["time"][:], table["equipment"].asstr()[:], table["text"].asstr()[:]))


def not_finite(file):
    """Names of the datasets that hold a NaN or an infinity."""
    found = []

    def look(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" and not numpy.isfinite(item[()]).all():
            found.append(name)
    file.visititems(look)
    return found


class Torture(unittest.TestCase):
    longMessage = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="podtwin-torture-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def podtwin(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              errors="replace", timeout=TIME_LIMIT, check=False)
        self.assertEqual(done.returncode, status, f"podtwin {' '.join(map(str, arguments))}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
        return done

    def files(self, plant, events, duration, start, method, rtol, period, dry_bulb, workload=""):
        (self.folder / "pod.yaml").write_text(plant, encoding="utf-8")
        classes = set(re.findall(r"\bclass: (\w+)", plant)) | {"node"}
        if "valve" in classes:
            classes.discard("three_way_valve")  # one group of the result
        lines = ["podtwin: scenario/1", "title: torture", "pod: pod.yaml", "start: 2026-07-15T00:00:00Z",
                 f"duration: {duration}", f"weather: {{dry_bulb: {dry_bulb}, relative_humidity: 40 %}}",
                 f"solver: {{method: {method}{f', rtol: {rtol}' if rtol else ''}}}", f"from: {start}"]
        if workload:
            lines.append(f"workload: {workload}")
        if events:
            lines += ["events:"] + [f"  - {event}" for event in events]
        lines += ["record:"] + [f"  - {{class: {name}, signals: ['*'], period: {period}}}" for name in sorted(classes)]
        (self.folder / "run.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def torture(self, plant, within, events=(), duration="60 s", start="cold", method="arkode", rtol=None, period="1 s",
                dry_bulb="20 degC", workload=""):
        """Runs it and checks what holds of every run. `within`: gauge pressures [Pa] that the plant's heads allow."""
        self.files(plant, events, duration, start, method, rtol, period, dry_bulb, workload)
        path = self.folder / f"{method}.h5"
        done = self.podtwin("run", "run.yaml", "-o", path, "--force", "--quiet")
        result = Result(path, done.stderr)
        self.addCleanup(result.file.close)
        self.assertEqual(not_finite(result.file), [], method)
        self.assertLess(abs(result.balance["energy_error_relative"]), CLOSED, f"{method}: {result.balance}")
        self.assertLess(abs(result.balance["coolant_error_relative"]), CLOSED, f"{method}: {result.balance}")
        pressures = result.file["node"]["p"][:].astype(float)
        slack = 1e-6 * max(map(abs, within)) + 1.0  # results hold float32
        self.assertGreaterEqual(pressures.min(), within[0] - slack, method)
        self.assertLessEqual(pressures.max(), within[1] + slack, method)
        return result

    def refused(self, plant, events, said, duration="60 s"):
        self.files(plant, events, duration, "cold", "arkode", None, "1 s", "20 degC")
        done = self.podtwin("check", "run.yaml", status=2)
        self.assertRegex(done.stdout + done.stderr, said)
        self.assertRegex(done.stdout + done.stderr, r"\.yaml:\d+:\d+")

    def near(self, found, expected, relative=1e-5, absolute=0.0, message=""):
        self.assertLessEqual(abs(found - expected), relative * abs(expected) + absolute,
                             f"{message}: found {found:.9g}, by hand {expected:.9g}")


def series_flow(head, *coefficients):
    """Flow at which `head` [kPa] is used up by laws k q^2 in a row [kPa/(L/s)^2] -> L/s."""
    return math.sqrt(head / sum(coefficients))


def side_by_side(*coefficients):
    """The coefficient of k q^2 laws in parallel."""
    return sum(1.0 / math.sqrt(k) for k in coefficients if math.isfinite(k)) ** -2
