"""Random networks of 3 to 500 elements through `podtwin steady`: what is well posed is solved, what is not is refused.

Networks follow from seeds (random_network.py). Of those that are well posed none may be refused and 98 % converge; of each state found every
equation is judged by network_check.py, from the CSV tables and the pod file alone. Each is also spoiled in some ways (network_faults.py): `check`
refuses it with exit status 2, the place and the reason; or, where heat has no way out, the search does with 1.

The output has a line a seed (elements, seconds of the processor, verdict), what equipment there was, and the worst share of its tolerance of
each kind of equation.

PODTWIN_SEEDS=7-9 takes other seeds than the usual ones; PODTWIN_LONG=1 takes those of the long run. What a failure names is repeated with

    random_network.py SEED SIZE > pod.yaml && podtwin steady pod.yaml --csv DIR
"""
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import subprocess
import tempfile
import unittest

from network_check import Check
from network_faults import ENDLESS, KINDS, spoiled
from random_network import RandomNetwork

PROGRAM = os.environ.get("PODTWIN", "podtwin")
LONG = os.environ.get("PODTWIN_LONG") == "1"
SIZES = (5, 10, 20, 40, 80, 150, 300, 500) if LONG else (5, 10, 20, 40, 80, 150)
FIRST_SEED, LAST_SEED = (int(n) for n in os.environ.get("PODTWIN_SEEDS", "1-400" if LONG else "1-60").split("-"))
LEAST_CONVERGED = 0.98
LONGEST = 300  # s of wall time, of a search on a busy machine; the slowest of these takes some seconds on a free one
SPOILT = 3     # ways in which each network is spoiled, one after the other of the list
REFUSED, FAILED = 2, 1  # exit status


def podtwin(*arguments):
    """Runs the program to its end; what takes longer than LONGEST has failed."""
    command = [PROGRAM, *map(str, arguments)]
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, FAILED, "", f"not at an end after {LONGEST} s")


Outcome = collections.namedtuple("Outcome", "seed size elements classes status seconds failures worst message spoilt refusals")


def refusals_of(network, folder):
    """Kinds in which the network was spoiled, and what is wrong with its refusals; nothing when they are right."""
    kinds = [KINDS[(SPOILT * network.seed + k) % len(KINDS)] for k in range(SPOILT)]
    if network.size < 100:
        kinds.append(ENDLESS[network.seed % len(ENDLESS)])
    tried, wrong = [], []
    for kind in kinds:
        spoilt = spoiled(network, kind, random.Random(f"fault {network.seed}"))
        if spoilt is not None:
            tried.append(kind.__name__)
            wrong.append((refused_by_the_search if kind in ENDLESS else refused_when_read)(kind, *spoilt, folder / "spoilt.yaml"))
    return tried, [text for text in wrong if text]


def refused_by_the_search(kind, text, names, reason, path):
    path.write_text(text, encoding="utf-8")
    done = podtwin("steady", path)
    if done.returncode == FAILED and re.search(reason, done.stderr) and re.search(names, done.stderr):
        return None
    return f"{kind.__name__}: exit status {done.returncode}, no word of {names} and {reason}\n{done.stderr[-1000:]}"


def refused_when_read(kind, text, names, reason, path):
    path.write_text(text, encoding="utf-8")
    done = podtwin("check", path)
    what = f"{kind.__name__}: "
    if done.returncode != REFUSED:
        return what + f"exit status {done.returncode}\n{done.stderr[-1000:]}"
    errors = [line for line in done.stderr.splitlines() if ": error: " in line]
    for line in errors:
        place = re.match(re.escape(str(path)) + r":(\d+):\d+: error: (.*)", line)
        if place and re.search(names, text.splitlines()[int(place.group(1)) - 1]) and re.search(reason, place.group(2)):
            return None
    return what + f"no error at a line of {names} that says {reason}\n" + "\n".join(errors)[-1500:]


def tried(seed):
    network = RandomNetwork(seed, SIZES[seed % len(SIZES)])
    with tempfile.TemporaryDirectory(prefix="podtwin-network-") as name:
        folder = pathlib.Path(name)
        pod, tables = folder / "pod.yaml", folder / "tables"
        pod.write_text(network.text, encoding="utf-8")
        began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = podtwin("steady", pod, "--csv", tables)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began
        failures, worst = [], {}
        if done.returncode == 0:
            check = Check(pod, tables)
            failures, worst = check.failures, check.worst
        errors = "\n".join(line for line in done.stderr.splitlines() if "warning" not in line)
        classes = collections.Counter(item["class"] for section in ("equipment", "controls") for item in network.sections.get(section, {}).values())
        return Outcome(seed, network.size, len(network.equipment), classes, done.returncode, seconds, failures, worst, errors,
                       *refusals_of(network, folder))


class RandomNetworks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ProcessPoolExecutor(int(os.environ.get("PODTWIN_JOBS", "2"))) as pool:
            cls.outcomes = []
            for outcome in pool.map(tried, range(FIRST_SEED, LAST_SEED + 1)):
                cls.outcomes.append(outcome)
                print(f"seed {outcome.seed:3}: {outcome.elements:3} elements, {outcome.seconds:6.2f} s, {cls.verdict(outcome)}", flush=True)
        cls.tell()

    @staticmethod
    def verdict(outcome):
        if outcome.status != 0:
            return "no steady state" if outcome.status == FAILED else "refused"
        return f"{len(outcome.failures)} equations do not hold" if outcome.failures else "holds"

    @classmethod
    def tell(cls):
        for size in SIZES:
            some = [o for o in cls.outcomes if o.size == size]
            if not some:
                continue
            found = [o for o in some if o.status == 0]
            print(f"size {size:3}: {len(found)} of {len(some)} converge, {max(o.seconds for o in some):.2f} s of the processor at most, "
                  f"{sum(o.seconds for o in some) / len(some):.2f} s in the mean")
        worst = {}
        for outcome in cls.outcomes:
            for equation, (share, where) in outcome.worst.items():
                worst[equation] = max(worst.get(equation, (0.0, "", 0)), (share, where, outcome.seed))
        for equation, (share, where, seed) in sorted(worst.items()):
            print(f"{equation:10}: at most {share:.2g} of its tolerance ({where}, seed {seed})")
        print("elements: " + ", ".join(f"{count} {name}" for name, count in sum((o.classes for o in cls.outcomes), collections.Counter()).most_common()))
        spoilt = collections.Counter(kind for o in cls.outcomes for kind in o.spoilt)
        print("spoiled: " + ", ".join(f"{count} {name}" for name, count in spoilt.most_common()))
        print(f"{sum(o.status == 0 for o in cls.outcomes)} of {len(cls.outcomes)} converge; {sum(bool(o.failures) for o in cls.outcomes)} with an equation "
              f"that does not hold; {spoilt.total()} spoiled ones, {sum(len(o.refusals) for o in cls.outcomes)} not refused as they should be")

    def test_none_that_is_well_posed_is_refused(self):
        wrong = [f"seed {o.seed} size {o.size}: status {o.status}\n{o.message}" for o in self.outcomes if o.status not in (0, FAILED)]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_nearly_all_converge(self):
        failed = [f"seed {o.seed} size {o.size}: {o.message}" for o in self.outcomes if o.status != 0]
        share = 1.0 - len(failed) / len(self.outcomes)
        self.assertGreaterEqual(share, LEAST_CONVERGED, "\n".join(failed))

    def test_every_equation_holds(self):
        wrong = [f"seed {o.seed} size {o.size}: " + "; ".join(o.failures[:4]) for o in self.outcomes if o.failures]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_what_is_spoiled_is_refused_with_the_reason(self):
        wrong = [f"seed {o.seed} size {o.size}: {text}" for o in self.outcomes for text in o.refusals]
        self.assertEqual(wrong, [], "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
