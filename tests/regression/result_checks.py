"""What every result of a run that came to its end must hold, whatever was simulated.

`complaints(path)` reads a file as anyone may, with h5py, and returns {name of the check: what is wrong}; empty when all
hold. The names are

  complete   the root says that the run came to its end
  rows       every class has one row a period, from the start of the run to its end, as many in every dataset
  numbers    no value of any dataset is NaN or infinite
  terms      /balance is the sum of its own terms, and these are the running energies that /facility records
  ledger     energy in, less out, less stored, is below LEDGER_LIMIT of the throughput
"""
import h5py
import numpy

LEDGER_LIMIT = 1e-6  # of throughput; the issue's own bound
TERMS_LIMIT = 1e-9   # of throughput; the same numbers, summed in another order
ROUND_OFF = 1e-3     # J; stored heat is the difference of sums of up to 1e12 J; for plants in which nothing happens
LOGS = ("events", "alarms", "summary", "balance", "provenance", "restart")


def datasets(file):
    found = {}
    file.visititems(lambda name, item: found.__setitem__(name, item) if isinstance(item, h5py.Dataset) else None)
    return found


def texts(dataset):
    return [value.decode() if isinstance(value, bytes) else value for value in dataset[()]]


def of(file, group, signal, identity):
    """All values of one instance over the run."""
    return file[group][signal][:, texts(file[group]["id"]).index(identity)].astype(float)


def balance(file):
    return {name: float(item[()]) for name, item in file["balance"].items()}


def throughput(terms):
    return max(abs(terms[name]) for name in ("energy_in", "energy_to_ambient", "energy_to_boundaries"))


def energy_left_over(terms):
    """Energy [J] that came in and neither went out nor was stored, from the four terms of /balance."""
    return terms["energy_in"] - terms["energy_to_ambient"] - terms["energy_to_boundaries"] - terms["energy_stored"]


def ledger_error(file):
    """Energy left over, over throughput."""
    found = balance(file)
    return energy_left_over(found) / throughput(found)


def rows(file):
    start, end = float(file["time"][0]), float(file["time"][-1])
    for name, group in file.items():
        if not isinstance(group, h5py.Group) or name in LOGS:
            continue
        period = float(group.attrs["period"])
        times = file["time" if name == "facility" else f"{name}/time"][()]
        # A run that does not begin at a whole period still has its first moment.
        wanted = numpy.union1d([start], numpy.arange(numpy.ceil(start / period), numpy.floor(end / period) + 1) * period)
        if times.shape != wanted.shape or numpy.max(numpy.abs(times - wanted)) > 1e-6:
            yield f"/{name} has {times.size} rows for {wanted.size} periods of {period:g} s from {start:g} to {end:g} s"
        for signal, item in group.items():
            if item.ndim > 0 and item.dims[0].keys() == ["time"] and item.shape[0] != times.size:
                yield f"/{name}/{signal} has {item.shape[0]} rows of {times.size}"


def numbers(file):
    for name, item in datasets(file).items():
        if item.dtype.kind != "f":
            continue
        # In stretches: a day of GPUs at once would be hundreds of megabytes as booleans and copies.
        step = max(1, 10_000_000 // max(1, item.size // max(1, item.shape[0] if item.ndim else 1)))
        parts = [item[()]] if item.ndim == 0 else (item[k:k + step] for k in range(0, item.shape[0], step))
        if not all(bool(numpy.all(numpy.isfinite(part))) for part in parts):
            yield f"/{name} has a value that is no number"


def terms(file):
    found = balance(file)
    through, error = throughput(found), energy_left_over(found)
    tolerance = TERMS_LIMIT * through + ROUND_OFF
    if abs(error - found["energy_error"]) > tolerance:
        yield f"energy_error is {found['energy_error']:g} J, its terms give {error:g} J"
    if abs(found["energy_error_relative"] * through - found["energy_error"]) > tolerance:
        yield f"energy_error_relative is {found['energy_error_relative']:g}"
    for name, running in (("energy_in", "energy_sources"), ("energy_to_ambient", "energy_to_ambient"),
                          ("energy_to_boundaries", "energy_to_boundaries")):
        recorded = file["facility"][running][[0, -1]]
        if abs(float(recorded[1] - recorded[0]) - found[name]) > tolerance:
            yield f"balance/{name} is {found[name]:g} J, facility/{running} went from {recorded[0]:g} to {recorded[1]:g} J"


def ledger(file):
    found = balance(file)
    if not abs(energy_left_over(found)) < LEDGER_LIMIT * throughput(found) + ROUND_OFF:
        yield f"the energy ledger is off by {ledger_error(file):.3g} of throughput, the limit is {LEDGER_LIMIT:g}"


def complete(file):
    if int(file.attrs["complete"]) != 1:
        yield "the root's `complete` is not 1"


CHECKS = {"complete": complete, "rows": rows, "numbers": numbers, "terms": terms, "ledger": ledger}


def complaints(path):
    with h5py.File(path) as file:
        found = {name: list(check(file)) for name, check in CHECKS.items()}
    return {name: "; ".join(wrong) for name, wrong in found.items() if wrong}
