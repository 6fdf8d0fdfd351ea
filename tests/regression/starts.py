"""The steady start of plants with coolant that stands, of plants that have none, and signals while it is looked for."""
import signal
import subprocess
import time
import unittest

import h5py

from support import Case, PROGRAM, ZERO_CELSIUS, scenario, table

DRAINED_LOOP = 'out_of_service: [tcs2-pipe-supply, "rack[C[01-08]]", "rack[D[01-08]]"]\n'
NO_COOLED_AIR = "out_of_service: [mt-pipe]\n"
# One rack on water from a main, too warm for full power.
HOT_RACK = """podtwin: pod/1
circuits:
  w: {fluid: water}
nodes:
  main: {pressure: 200 kPa, temperature: 57 degC}
  drain: {pressure: 0 kPa, temperature: 57 degC}
equipment:
  R1: {class: rack, from: main, to: mid, gpu_throttle_temperature: 84 degC}
  rest: {class: resistance, from: mid, to: drain, dp: 100 kPa, flow: 100 L/min}
"""
BUSY = """podtwin: scenario/1
pod: hot-rack.yaml
duration: 5 min
weather: {dry_bulb: 30 degC, relative_humidity: 40 %}
workload: {kind: constant, utilisation: 100 %}
"""
SOON = 30.0  # s; a second on a quiet machine


class Starts(Case):
    def test_a_loop_that_stands_is_no_obstacle(self):
        self.run_ok("run", self.write("drained.yaml", scenario("120 kW", "30 degC", "1 min", extra=DRAINED_LOOP)), "-o",
                    self.folder / "drained.h5", "--quiet")

    def test_heat_without_a_way_out_is_said_to_be_that(self):
        done = self.run_ok("run", self.write("hot.yaml", scenario("120 kW", "30 degC", "1 min", extra=NO_COOLED_AIR)), "-o",
                           self.folder / "hot.h5", "--quiet", status=1)
        self.assertIn("heat has no way out", done.stderr)
        self.assertIn("hall.t_air", done.stderr)
        self.assertFalse((self.folder / "hot.h5").exists())

    def test_chips_that_throttle_on_and_off_have_a_start_in_between(self):
        self.write("hot-rack.yaml", HOT_RACK)
        folder = self.steady("busy", BUSY)
        gpus, rack = table(folder, "gpu"), table(folder, "rack")["R1"]
        throttled = sum(gpu["throttled"] for gpu in gpus.values())
        self.assertGreater(throttled, 0)
        self.assertLess(throttled, len(gpus), "all of them")
        middle = 84.0 - 3.0 / 2.0 + ZERO_CELSIUS  # of the hysteresis
        self.assertAlmostEqual(max(gpu["t_junction"] for gpu in gpus.values()), middle, delta=0.1)
        self.run_ok("run", self.folder / "busy.yaml", "-o", self.folder / "busy.h5", "--quiet")
        with h5py.File(self.folder / "busy.h5") as file:
            hottest, number = file["rack/gpu_t_junction_max"][60:, 0], file["rack/throttled"][60:, 0]
            later = file["rack/power"][60:, 0].mean()
        self.assertGreater(number.max(), number.min(), "nothing goes on and off")
        self.assertGreater(hottest.max(), 84.0 + ZERO_CELSIUS)
        self.assertAlmostEqual(rack["power"] / later, 1.0, delta=0.03)

    def test_a_limit_is_where_the_rack_itself_has_it(self):
        self.write("hot-rack.yaml", HOT_RACK)
        done = self.run_ok("run", self.write("busy.yaml", BUSY), "-o", self.folder / "busy.h5")
        self.assertRegex(done.stdout, r"t_junction above 84\.00 degC \(alarm\)")
        with h5py.File(self.folder / "busy.h5") as file:
            limits = set(file["alarms/limit"][()])
        self.assertIn(84.0 + ZERO_CELSIUS, limits)
        self.assertNotIn(87.0 + ZERO_CELSIUS, limits)

    def ends_on(self, number, *arguments, after):
        """Status and standard error of a command that gets a signal `after` seconds."""
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(after)
        self.assertIsNone(process.poll(), "ended before the signal came: the test shows nothing")
        process.send_signal(number)
        try:
            return process.wait(timeout=SOON), process.stderr.read()
        finally:
            process.kill()
            process.stderr.close()

    def test_a_signal_ends_the_search_for_a_start(self):
        many = HOT_RACK.replace("R1: {class: rack, from: main, to: mid", '"R[0001-1200]": {class: rack, from: main, to: "mid$1"')
        many = many.replace("rest: {class: resistance, from: mid", '"rest[0001-1200]": {class: resistance, from: "mid$1"')
        self.write("hot-rack.yaml", many)  # 270,000 unknowns: their search takes seconds
        path = self.write("busy.yaml", BUSY)
        status, errors = self.ends_on(signal.SIGINT, "steady", path, after=1.5)
        self.assertEqual(status, 3, errors)
        status, errors = self.ends_on(signal.SIGTERM, "run", path, "-o", self.folder / "busy.h5", after=1.5)
        self.assertEqual(status, 3, errors)
        self.assertFalse((self.folder / "busy.h5").exists())

    def test_a_signal_ends_a_second_that_takes_forever(self):
        path = self.write("slow.yaml", scenario("120 kW", "30 degC", "1 min", extra="solver: {method: rosenbrock, max_step: 1e-7 s}\nfrom: cold\n"))
        status, errors = self.ends_on(signal.SIGHUP, "run", path, "-o", self.folder / "slow.h5", after=2.0)
        self.assertEqual(status, 3, errors)


if __name__ == "__main__":
    unittest.main()
