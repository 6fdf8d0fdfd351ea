"""What the end-to-end tests share: the program, temporary folders, scenario texts, tables of `podtwin steady`."""
import csv
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("PODTWIN", "podtwin")
SOURCE = pathlib.Path(os.environ.get("PODTWIN_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
POD = SOURCE / "data/pods/gb300-64.yaml"
DAY = SOURCE / "scenarios/library/gb300-pod-day.yaml"
ZERO_CELSIUS = 273.15  # K
LITRE_PER_MINUTE = 1e-3 / 60.0  # m3/s
# A command that takes longer hangs: the longest of these tests takes half a minute on a busy machine.
TIME_LIMIT = 300  # s


def podtwin(*arguments, cwd=None, preexec_fn=None):
    """Runs the program to its end and returns status, standard output and standard error."""
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, preexec_fn=preexec_fn, capture_output=True,
                          text=True, errors="replace", timeout=TIME_LIMIT, check=False)


def scenario(rack_power="142 kW", dry_bulb="35 degC", duration="10 min", events=(), expect=(), extra="", pod=POD):
    """A scenario of constant rack power and weather, as text."""
    lines = ["podtwin: scenario/1", "title: regression", f"pod: {pod}", "start: 2026-07-15T00:00:00Z",
             f"duration: {duration}", f"weather: {{dry_bulb: {dry_bulb}, relative_humidity: 40 %}}"]
    if rack_power:
        lines.append(f"workload: {{kind: constant, rack_power: {rack_power}}}")
    for section, items in (("events", events), ("expect", expect)):
        if items:
            lines.append(f"{section}:")
            lines += [f"  - {item}" for item in items]
    return "\n".join(lines) + "\n" + extra


def table(folder, name):
    """One table of `podtwin steady --csv` as {id: {signal: value}}, units dropped."""
    with open(pathlib.Path(folder) / f"{name}.csv", newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        head = [column.split(" [")[0] for column in next(rows)]
        return {row[0]: {key: float(value) for key, value in zip(head[1:], row[1:]) if value} for row in rows}


class Case(unittest.TestCase):
    """A test with a folder of its own."""
    longMessage = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="podtwin-regression-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8")
        return path

    def run_ok(self, *arguments, status=0):
        done = podtwin(*arguments)
        self.assertEqual(done.returncode, status, f"podtwin {' '.join(map(str, arguments))}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done

    def steady(self, name, text):
        folder = self.folder / name
        self.run_ok("steady", self.write(f"{name}.yaml", text), "--csv", folder)
        return folder
