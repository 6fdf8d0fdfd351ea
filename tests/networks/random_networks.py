"""Random networks of 4 to 500 elements through `podtwin steady`: what is well posed is solved, what is not is refused.

Networks follow from seeds (random_network.py). Of those that are well posed none may be refused and 98 % converge; of each state found every
equation is judged by network_check.py, from the CSV tables and the pod file alone. Each is also spoiled in one way (network_faults.py): `check`
refuses it with exit status 2, the place and the reason.

PODTWIN_SEEDS=7-9 takes other seeds than the usual ones; PODTWIN_LONG=1 takes those of the long run. What a failure names is repeated with

    random_network.py SEED SIZE > pod.yaml && podtwin steady pod.yaml --csv DIR
"""
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time
import unittest

from network_check import Check
from network_faults import KINDS, spoiled
from random_network import RandomNetwork

PROGRAM = os.environ.get("PODTWIN", "podtwin")
LONG = os.environ.get("PODTWIN_LONG") == "1"
SIZES = (5, 10, 20, 40, 80, 150, 300, 500) if LONG else (5, 10, 20, 40, 80, 150)
FIRST_SEED, LAST_SEED = (int(n) for n in os.environ.get("PODTWIN_SEEDS", "1-400" if LONG else "1-60").split("-"))
LEAST_CONVERGED = 0.98
LONGEST = 300  # s of wall time, of a search on a busy machine; the slowest of these takes 10 on a free one
REFUSED, FAILED = 2, 1  # exit status


def podtwin(*arguments):
    """Runs the program to its end; what takes longer than LONGEST has failed."""
    command = [PROGRAM, *map(str, arguments)]
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, FAILED, "", f"not at an end after {LONGEST} s")


Outcome = collections.namedtuple("Outcome", "seed size elements status seconds failures worst message refusal")


def refusal_of(network, folder):
    """What is wrong with the refusal of the network spoiled in the way that its seed says; nothing when it is right."""
    kind = KINDS[network.seed % len(KINDS)]
    spoilt = spoiled(network, kind, random.Random(f"fault {network.seed}"))
    if spoilt is None:
        return None
    text, names, reason = spoilt
    path = folder / "spoilt.yaml"
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
        began = time.monotonic()
        done = podtwin("steady", pod, "--csv", tables)
        seconds = time.monotonic() - began
        failures, worst = [], {}
        if done.returncode == 0:
            check = Check(pod, tables)
            failures, worst = check.failures, check.worst
        errors = "\n".join(line for line in done.stderr.splitlines() if "warning" not in line)
        return Outcome(seed, network.size, len(network.equipment), done.returncode, seconds, failures, worst, errors, refusal_of(network, folder))


class RandomNetworks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ProcessPoolExecutor(int(os.environ.get("PODTWIN_JOBS", "2"))) as pool:
            cls.outcomes = list(pool.map(tried, range(FIRST_SEED, LAST_SEED + 1)))
        cls.tell()

    @classmethod
    def tell(cls):
        for size in SIZES:
            some = [o for o in cls.outcomes if o.size == size]
            if not some:
                continue
            found = [o for o in some if o.status == 0]
            worst = collections.defaultdict(float)
            for outcome in found:
                for equation, (share, _) in outcome.worst.items():
                    worst[equation] = max(worst[equation], share)
            print(f"size {size:3}: {len(found)} of {len(some)} converge, {max(o.seconds for o in some):.2f} s at most; shares of tolerance " +
                  ", ".join(f"{equation} {share:.2g}" for equation, share in sorted(worst.items())))

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
        wrong = [f"seed {o.seed} size {o.size}: {o.refusal}" for o in self.outcomes if o.refusal]
        self.assertEqual(wrong, [], "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
