#!/usr/bin/env python3
"""Makes the shipped workload tables from the raw traces. Standard library only; same input, same bytes.

usage: derive.py RAW_FOLDER [OUTPUT_FOLDER]

RAW_FOLDER holds azure_llm_2023_conv.csv and servegen_m-small_week1.csv; README.md beside this script says where
they come from, what the tables hold and how they were made.
"""
import csv
import sys
from decimal import Decimal
from pathlib import Path

HOUR = 3600  # s, period that the trace is made to fill
WINDOW = 10  # s, of the derived token table
SERVEGEN_WINDOW = 600  # s, of the ServeGen rate series
DAYS = 7


def seconds_of_day(stamp):
    """Exact: the stamps carry 100 ns."""
    hour, minute, second = stamp.split(" ")[1].split(":")
    return int(hour) * 3600 + int(minute) * 60 + Decimal(second)


def azure(raw, out):
    with open(raw / "azure_llm_2023_conv.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    start = seconds_of_day(rows[0]["TIMESTAMP"])
    arrivals = [seconds_of_day(row["TIMESTAMP"]) - start for row in rows]
    if any(b < a for a, b in zip(arrivals, arrivals[1:])):
        raise SystemExit("azure trace: arrivals go back in time")
    # n requests have n - 1 gaps between them; the mean gap closes the circle from the last to the first.
    span = arrivals[-1] * len(rows) / (len(rows) - 1)
    table = [[0, 0, 0] for _ in range(HOUR // WINDOW)]
    for arrival, row in zip(arrivals, rows):
        entry = table[int(arrival * HOUR / span) // WINDOW]
        entry[0] += 1
        entry[1] += int(row["ContextTokens"])
        entry[2] += int(row["GeneratedTokens"])
    with open(out / "azure-2023-conversation-10s.csv", "w", newline="\n", encoding="utf-8") as file:
        file.write("time [s],requests [1],context_tokens [token],generated_tokens [token]\n")
        for index, entry in enumerate(table):
            file.write(f"{index * WINDOW},{entry[0]},{entry[1]},{entry[2]}\n")
    totals = [sum(entry[k] for entry in table) for k in range(3)]
    print(f"azure: span {arrivals[-1]} s, period before stretching {span:.4f} s, stretch {HOUR / span:.6f}, "
          f"{totals[0]} requests, {totals[1]} context tokens, {totals[2]} generated tokens")


def servegen(raw, out):
    rates = [Decimal(0)] * (DAYS * 24 * 3600 // SERVEGEN_WINDOW)  # requests/s of all clients, per window
    with open(raw / "servegen_m-small_week1.csv", newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            rates[int(row[1]) // SERVEGEN_WINDOW] += Decimal(row[2])
    per_hour = 3600 // SERVEGEN_WINDOW
    hourly = [Decimal(0)] * 24
    for index, rate in enumerate(rates):
        hourly[index // per_hour % 24] += rate / (DAYS * per_hour)
    mean = sum(hourly) / 24
    with open(out / "servegen-m-small-hourly.csv", "w", newline="\n", encoding="utf-8") as file:
        file.write("hour [1],factor [1]\n")
        for hour, rate in enumerate(hourly):
            file.write(f"{hour},{rate / mean:.6f}\n")
    print(f"servegen: mean {mean:.2f} requests/s, factors {min(hourly) / mean:.3f} to {max(hourly) / mean:.3f}")


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    raw = Path(sys.argv[1])
    out = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).resolve().parent
    azure(raw, out)
    servegen(raw, out)


main()
