#!/usr/bin/env python3
"""Makes the shipped design day from a typical-year EPW file. Standard library only; same input, same bytes.

usage: derive.py RAW_FOLDER [OUTPUT_FOLDER]

RAW_FOLDER holds the EPW named below; README.md beside this script says how the day is chosen.
"""
import sys
from pathlib import Path

EPW = "USA_IL_Chicago-OHare.Intl.AP.725300_TMY3.epw"
HEADER_LINES = 8
EXCEEDANCE = 0.004  # of the hours of the year
MISSING = {"dry_bulb": 99.9, "relative_humidity": 999.0, "pressure": 999999.0}  # EPW's codes
COLUMN = {"dry_bulb": 6, "relative_humidity": 8, "pressure": 9}


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    out = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).resolve().parent
    lines = (Path(sys.argv[1]) / EPW).read_text(encoding="utf-8").splitlines()
    zone = round(float(lines[0].split(",")[8]))  # h, local standard time minus UTC
    rows = [line.split(",") for line in lines[HEADER_LINES:]]
    if len(rows) != 8760:
        raise SystemExit(f"{EPW}: {len(rows)} hours, expected 8760")

    # Row i is the end of hour i + 1 of the year in local standard time. A UTC day has 25 points, 00:00 to 24:00.
    temperature = [float(row[COLUMN["dry_bulb"]]) for row in rows]
    design = sorted(temperature, reverse=True)[int(EXCEEDANCE * len(rows))]  # exceeded in at most 0.4 % of the hours
    candidates = []
    for day in range(1, 365):
        first = day * 24 + zone - 1  # row whose end is 00:00 UTC of that day
        span = range(first, first + 25)
        if len({rows[i][0] for i in span}) != 1:
            continue  # the typical year joins months of different years; only hours that followed each other count
        values = [temperature[i] for i in span]
        candidates.append((abs(max(values) - design), -sum(values), first))
    _, _, first = min(candidates)  # nearest maximum; among equals the warmest mean

    with open(out / "summer-day.csv", "w", newline="\n", encoding="utf-8") as file:
        file.write("time [s],dry_bulb [degC],relative_humidity [%],pressure [Pa]\n")
        for hour in range(25):
            row = rows[first + hour]
            for name, code in MISSING.items():
                if float(row[COLUMN[name]]) >= code:
                    raise SystemExit(f"{EPW}: {name} missing in the chosen day")
            file.write(f"{hour * 3600},{row[COLUMN['dry_bulb']]},{row[COLUMN['relative_humidity']]},"
                       f"{row[COLUMN['pressure']]}\n")
    begin, end = rows[first], rows[first + 24]
    print(f"0.4 % dry bulb {design} degC; hours ending {'-'.join(begin[:3])} {begin[3]}:00 to "
          f"{'-'.join(end[:3])} {end[3]}:00 local standard time (UTC{zone:+d}); days with that maximum: "
          + ", ".join("-".join(rows[c[2] + 24][:3]) for c in candidates if c[0] == 0))


main()
