#!/usr/bin/env python3
"""Draws a result of the main job as pod-day.svg: powers above, temperatures below.

    ./run
    /usr/bin/python3 docs/pictures/plot_day.py results/gb300-pod-day.h5 docs/pictures/pod-day.svg

Needs h5py (and numpy, which comes with it); the SVG is written by hand.
"""
import sys

import h5py
import numpy

WIDTH, LEFT, RIGHT = 900, 70, 200
PANELS = ((50, 210), (310, 210))  # top and height of each panel
TICKS_X = 3  # hours between ticks


def panel(out, top, height, low, high, step, unit, end, hours, curves):
    """One panel: grid, axis texts, and curves as (name, colour, values)."""
    right = WIDTH - RIGHT

    def x(h):
        return LEFT + (right - LEFT) * h / end

    def y(v):
        return top + height * (high - v) / (high - low)

    v = low
    while v <= high + 1e-9:
        out.append(f'<line x1="{LEFT}" x2="{right}" y1="{y(v):.1f}" y2="{y(v):.1f}" class="grid"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{v:g}</text>')
        v += step
    for h in numpy.arange(0, end + 1e-9, TICKS_X):
        out.append(f'<line x1="{x(h):.1f}" x2="{x(h):.1f}" y1="{top}" y2="{top + height}" class="grid"/>')
        out.append(f'<text x="{x(h):.1f}" y="{top + height + 18}" text-anchor="middle">{h:g}</text>')
    out.append(f'<text x="{LEFT - 8}" y="{top - 12}" text-anchor="end" class="unit">{unit}</text>')
    ends = sorted(((y(values[-1]), name, colour) for name, colour, values in curves), key=lambda end: end[0])
    spread = []
    for place, name, colour in ends:
        spread.append((max(place, spread[-1][0] + 17) if spread else place, name, colour))
    for place, name, colour in spread:
        out.append(f'<text x="{right + 10}" y="{place + 4:.1f}" style="fill:{colour}">{name}</text>')
    for _, colour, values in curves:
        points = ' '.join(f'{x(h):.1f},{y(v):.1f}' for h, v in zip(hours, values))
        out.append(f'<polyline points="{points}" stroke="{colour}"/>')


def bins(values, size, how):
    """`how` over successive runs of `size` values."""
    count = len(values) // size
    return how(values[:count * size].reshape(count, size), axis=1)


def main(result, picture):
    with h5py.File(result) as f:
        time = f['time'][:]
        it = f['facility/it_power'][:] / 1e6
        facility = f['facility/facility_power'][:] / 1e6
        dry_bulb = f['facility/t_dry_bulb'][:] - 273.15
        rack_time = f['rack/time'][:]
        hottest = f['rack/gpu_t_junction_max'][:].max(axis=1) - 273.15
        start = f.attrs['simulated_start']
        title = f.attrs['title']
    if len(time) != len(rack_time):
        raise SystemExit('facility and rack are recorded at different periods; this picture wants the default record')
    step = time[1] - time[0]
    size = max(1, round(120 / step))  # two minutes a point
    end = time[-1] / 3600
    hours = bins(time, size, numpy.mean) / 3600
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 580" font-family="sans-serif" font-size="13">',
        '<style>.grid{stroke:#d8d8d8;stroke-width:1}polyline{fill:none;stroke-width:1.4}'
        '.unit{font-weight:bold}text{fill:#333}</style>',
        f'<rect width="{WIDTH}" height="580" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="15" font-weight="bold">{title}</text>',
    ]
    power = [('facility power', '#b2182b', bins(facility, size, numpy.mean)),
             ('IT power', '#2166ac', bins(it, size, numpy.mean))]
    top = max(2.0, numpy.ceil(max(p[2].max() for p in power)))
    panel(out, *PANELS[0], 0, top, 2 if top > 6 else 1, 'MW', end, hours, power)
    warm = [('hottest junction', '#b2182b', bins(hottest, size, numpy.max)),
            ('outdoor dry bulb', '#1a7a3a', bins(dry_bulb, size, numpy.mean))]
    low = 10 * numpy.floor(min(t[2].min() for t in warm) / 10)
    high = 10 * numpy.ceil(max(t[2].max() for t in warm) / 10)
    panel(out, *PANELS[1], low, high, 10, '°C', end, hours, warm)
    out.append(f'<text x="{LEFT}" y="566">hours since {start}; each point is two minutes: '
               'the mean, for the junction the maximum</text>')
    out.append('</svg>')
    with open(picture, 'w', encoding='utf-8') as f:
        f.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2])
