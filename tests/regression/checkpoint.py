"""A run in two parts through a checkpoint goes on as the run in one part does.

Up to the checkpoint and at it both are equal bit for bit. Behind it the integrator of the second part starts anew, with a
step of its own choice, so that values agree as two runs of one tolerance do and not to the last bit; the test prints the
greatest difference of every kind it finds.
"""
import unittest

import h5py
import numpy

from support import Case, DAY

SPLIT = 120.0  # s
# Die temperatures: what the issue allows between any method and the tight-tolerance reference.
TEMPERATURE_TOLERANCE = 0.05  # K
# Powers and flows follow temperatures and controllers: of the greatest value of their dataset. Engineering estimate.
RELATIVE_TOLERANCE = 2e-3


class Checkpoint(Case):
    def test_a_run_from_a_checkpoint_goes_on_as_if_it_had_not_stopped(self):
        whole, first, second = (self.folder / name for name in ("whole.h5", "first.h5", "second.h5"))
        saved = self.folder / "saved.checkpoint.h5"
        self.run_ok("run", DAY, "--until", "4 min", "--quiet", "-o", whole)
        self.run_ok("run", DAY, "--until", "2 min", "--quiet", "-o", first, "--checkpoint", saved)
        self.run_ok("run", DAY, "--until", "4 min", "--quiet", "-o", second, "--from", saved)
        with h5py.File(whole) as a, h5py.File(first) as b, h5py.File(second) as c:
            self.compare(a, b, "first part", SPLIT)
            self.compare(a, c, "second part", SPLIT)
            self.assertEqual(float(b["time"][-1]), SPLIT)
            self.assertEqual(float(c["time"][0]), SPLIT)
            self.assertEqual(float(c["time"][-1]), 2 * SPLIT)
            for name, file in (("whole", a), ("first part", b), ("second part", c)):
                with self.subTest(balance=name):
                    self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)

    def compare(self, whole, part, name, exact_until):
        groups = [g for g in whole if isinstance(whole[g], h5py.Group) and
                  ("time" in whole[g] or g == "facility") and g not in ("events", "alarms")]
        self.assertIn("gpu", groups)
        for group in groups:
            clock = "time" if group == "facility" else f"{group}/time"
            times, some = whole[clock][()], part[clock][()]
            rows = numpy.searchsorted(times, some)
            with self.subTest(part=name, group=group):
                self.assertGreater(some.size, 0)
                self.assertTrue(bool(numpy.array_equal(times[rows], some)), "times differ")
            for signal, item in part[group].items():
                if item.ndim == 0 or item.dtype.kind == "O" or signal == "time" or item.shape[0] != some.size:
                    continue
                with self.subTest(part=name, group=group, signal=signal):
                    self.signal(whole[group][signal][()][rows], item[()], some, exact_until, str(item.attrs["units"]))

    def signal(self, x, y, times, exact_until, units):
        early = times <= exact_until
        self.assertTrue(early.any())
        self.assertEqual(x[early].tobytes(), y[early].tobytes(), "differs up to the checkpoint or at it")
        if early.all() or x.tobytes() == y.tobytes():
            return
        difference = numpy.abs(x.astype(float) - y.astype(float))
        largest, scale = float(difference.max()), float(numpy.abs(x.astype(float)).max())
        when = times[int(numpy.argmax(difference.reshape(times.size, -1).max(axis=1)))]
        first = times[int(numpy.argmax((x != y).reshape(times.size, -1).any(axis=1)))]
        print(f"{self._subtest.params.get('group')}/{self._subtest.params.get('signal')}: {largest:.3g} {units} "
              f"({largest / scale if scale else 0.0:.2g} of the greatest) at {when:g} s, first at {first:g} s")
        self.assertLessEqual(largest, TEMPERATURE_TOLERANCE if units == "K" else RELATIVE_TOLERANCE * scale)


if __name__ == "__main__":
    unittest.main()
