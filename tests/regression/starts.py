"""The steady start of plants with coolant that stands, of plants that have none, and signals while it is looked for."""
import signal
import subprocess
import time
import unittest

from support import Case, PROGRAM, scenario

DRAINED_LOOP = 'out_of_service: [tcs2-pipe-supply, "rack[C[01-08]]", "rack[D[01-08]]"]\n'
NO_COOLED_AIR = "out_of_service: [mt-pipe]\n"
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
        # Tanks and bypass shut: nothing flows, and the search goes to its end of many seconds.
        path = self.write("still.yaml", scenario("120 kW", "30 degC", "1 min", extra="out_of_service: [BT-1]\n"))
        status, errors = self.ends_on(signal.SIGINT, "steady", path, after=1.0)
        self.assertEqual(status, 3, errors)
        status, errors = self.ends_on(signal.SIGTERM, "run", path, "-o", self.folder / "still.h5", after=1.0)
        self.assertEqual(status, 3, errors)
        self.assertFalse((self.folder / "still.h5").exists())

    def test_a_signal_ends_a_second_that_takes_forever(self):
        path = self.write("slow.yaml", scenario("120 kW", "30 degC", "1 min", extra="solver: {method: rosenbrock, max_step: 1e-7 s}\nfrom: cold\n"))
        status, errors = self.ends_on(signal.SIGHUP, "run", path, "-o", self.folder / "slow.h5", after=2.0)
        self.assertEqual(status, 3, errors)


if __name__ == "__main__":
    unittest.main()
