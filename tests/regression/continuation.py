"""A run that goes on from the state of another, held against a run that did not stop.

Up to the moment of the state and at it both are equal bit for bit. Behind it the integrator starts anew, with a step of
its own choice, so that values agree as two runs of one tolerance do and not to the last bit; the greatest difference of
every kind is printed.
"""
import h5py
import numpy

from support import Case

# Die temperatures: what the issue allows between any method and the tight-tolerance reference.
TEMPERATURE_TOLERANCE = 0.05  # K
# Powers and flows follow temperatures and controllers: of the greatest value of their dataset. Engineering estimate.
RELATIVE_TOLERANCE = 2e-3


class Continuation(Case):
    def compare(self, whole, part, name, exact_until):
        groups = [g for g in whole if isinstance(whole[g], h5py.Group) and
                  ("time" in whole[g] or g == "facility") and g not in ("events", "alarms")]
        self.assertGreater(len(groups), 1)
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
        if units == "J":  # energies count from the first row of each file
            x = x - x[0]
        early = times <= exact_until
        self.assertTrue(early.any())
        self.assertEqual(x[early].tobytes(), y[early].tobytes(), "differs up to the stored state or at it")
        if early.all() or x.tobytes() == y.tobytes():
            return
        difference = numpy.abs(x.astype(float) - y.astype(float))
        largest, scale = float(difference.max()), float(numpy.abs(x.astype(float)).max())
        when = times[int(numpy.argmax(difference.reshape(times.size, -1).max(axis=1)))]
        first = times[int(numpy.argmax((x != y).reshape(times.size, -1).any(axis=1)))]
        print(f"{self._subtest.params.get('group')}/{self._subtest.params.get('signal')}: {largest:.3g} {units} "
              f"({largest / scale if scale else 0.0:.2g} of the greatest) at {when:g} s, first at {first:g} s")
        self.assertLessEqual(largest, TEMPERATURE_TOLERANCE if units == "K" else RELATIVE_TOLERANCE * scale)
