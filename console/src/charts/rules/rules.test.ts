import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChartSeries } from '../chart-data.ts';
import { assignColours, OTHER, PALETTE_SIZE, preferredColours } from './colours.ts';
import { placeLabels } from './end-labels.ts';
import { foldSeries } from './fold.ts';
import { barPlace, chartLayout, type LayoutInput } from './layout.ts';
import { soloHidden, toggleHidden } from './legend.ts';
import { areaPath, barPath, linePath } from './paths.ts';
import { pointAt } from './point-at.ts';
import { shownTicks, valueTicks } from './scale.ts';
import { shorten, splitName, tailLength } from './shorten.ts';
import { changeOf, summarize } from './summary.ts';
import { placeTooltip, tooltipContent } from './tooltip.ts';
import { firstUnfinished, localTime } from './unfinished.ts';

const series = (name: string, values: ChartSeries['values'], more: Partial<ChartSeries> = {}): ChartSeries => ({
  name,
  colour: 0,
  values,
  ...more,
});

describe('the value axis', () => {
  it.each([
    [0, 158, true, [0, 50, 100, 150, 200]],
    [0, 0, true, [0, 1]],
    [0, 1, true, [0, 1]],
    [0, 3, true, [0, 1, 2, 3]],
    [0, 0.3, false, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]],
    [0, 2_500_000, true, [0, 500_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000]],
    [-197, 215, true, [-200, -100, 0, 100, 200, 300]],
    [12, 90, true, [0, 20, 40, 60, 80, 100]],
  ])('from %d to %d (whole numbers: %s) has the ticks %j', (low, high, isInteger, ticks) => {
    expect(valueTicks(low, high, { count: 5, isInteger })).toEqual(ticks);
  });

  it('encloses all values, in even steps, without too many labels', () => {
    const values = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    void fc.assert(
      fc.property(values, values, fc.integer({ min: 2, max: 8 }), (a, b, count) => {
        const ticks = valueTicks(Math.min(a, b), Math.max(a, b), { count, isInteger: true });
        expect(ticks[0]).toBeLessThanOrEqual(Math.min(0, a, b));
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(0, a, b));
        expect(ticks).toContain(0);
        expect(ticks.length).toBeLessThanOrEqual(count * 1.4 + 3);
      }),
    );
  });
});

describe('the axis of time', () => {
  it.each([
    [8, 800, [0, 1, 2, 3, 4, 5, 6, 7]],
    [8, 320, [1, 3, 5, 7]],
    [30, 320, [5, 13, 21, 29]],
    [1, 320, [0]],
    [0, 320, []],
    [3, 0, [2]],
  ])('labels %i ticks on %i pixels, the last one always', (count, width, ticks) => {
    expect(shownTicks(count, width, 76)).toEqual(ticks);
  });
});

describe('the layout', () => {
  const input: LayoutInput = {
    kind: 'line',
    width: 800,
    height: 320,
    count: 8,
    extent: [0, 158],
    isInteger: true,
    format: String,
    labelLength: 0,
    hasAnnotations: false,
  };

  it('keeps everything inside, and finds the tick of every x', () => {
    for (const kind of ['line', 'bar'] as const) {
      for (const count of [1, 2, 8, 200]) {
        const layout = chartLayout({ ...input, kind, count });
        for (let tick = 0; tick < count; tick++) {
          expect(layout.x(tick)).toBeGreaterThanOrEqual(layout.left);
          expect(layout.x(tick)).toBeLessThanOrEqual(layout.right);
          expect(layout.tickAt(layout.x(tick))).toBe(tick);
        }
        expect([layout.tickAt(-100), layout.tickAt(9999)]).toEqual([0, count - 1]);
        const bar = barPlace(layout, 0, 'whole');
        expect(bar.left + bar.width / 2).toBeCloseTo(layout.x(0));
      }
    }
  });

  it('reserves a row for annotations', () => {
    expect(chartLayout(input).bottom - chartLayout({ ...input, hasAnnotations: true }).bottom).toBe(18);
  });

  it('does not waste the height when a round number is far away', () => {
    const { y, top, bottom, axis } = chartLayout({ ...input, kind: 'bar', extent: [-197, 205] });
    expect(y(205) - top).toBeLessThan((bottom - top) * 0.25);
    expect(y(0)).toBeCloseTo(axis);
  });
});

describe('paths', () => {
  const place = { x: (tick: number) => tick * 10, y: (value: number) => 100 - value };

  it('are interrupted by gaps, and show a lone value as a dot', () => {
    expect(linePath({ values: [1, 2, null, 4], from: 0, to: 4, ...place })).toBe('M0,99L10,98M30,96h0.01');
    expect(linePath({ values: [1, 2, 3], from: 1, to: 3, ...place })).toBe('M10,98L20,97');
    expect(areaPath({ values: [1, 2, null, 4], from: 0, to: 4, ...place })).toBe('M0,99L10,98L10,100L0,100Z');
  });

  it('of bars grow from the axis', () => {
    const bar = { left: 5, width: 10, axis: 100 };
    expect(barPath({ from: 0, to: 20 }, bar)).toBe('M5,100h10V80h-10Z');
    expect(barPath({ from: 20, to: 40 }, bar)).toBe('M5,79h10V60h-10Z');
    expect(barPath({ from: 20, to: 22 }, bar)).toBe('M5,80h10V78h-10Z');
    expect(barPath({ from: 0, to: -20 }, bar)).toBe('M5,100h10V120h-10Z');
  });
});

describe('the point under the pointer', () => {
  const layout = chartLayout({
    kind: 'line',
    width: 800,
    height: 320,
    count: 3,
    extent: [0, 100],
    isInteger: true,
    format: String,
    labelLength: 0,
    hasAnnotations: false,
  });
  const shown = [
    { ...series('a', [10, 20, null]), index: 0 },
    { ...series('b', [90, 80, null], { previous: { values: [50, 50, 50], titles: [] } }), index: 2 },
  ];

  it('is always at a tick, on the nearest line', () => {
    expect(pointAt(layout, 'line', shown, layout.x(1) + 30, layout.y(21))).toEqual({
      series: 0,
      tick: 1,
      isPrevious: false,
    });
    expect(pointAt(layout, 'line', shown, layout.x(1), layout.y(52))).toMatchObject({ series: 2, isPrevious: true });
    expect(pointAt(layout, 'line', [{ ...series('a', [null]), index: 0 }], 5, 5)).toBeNull();
  });
});

describe('labels at the ends of lines', () => {
  it('stay at their lines where they can, and are moved apart where they cannot', () => {
    expect(placeLabels([100, 20, 60], 15, 0, 200)).toEqual([100, 20, 60]);
    expect(placeLabels([50, 50, 52], 15, 0, 200)).toEqual([50, 65, 80]);
    expect(placeLabels([199, 200], 15, 0, 200)).toEqual([185, 200]);
  });

  it('never overlap, and never leave the chart', () => {
    const wanted = fc.array(fc.integer({ min: 0, max: 250 }), { maxLength: 5 });
    void fc.assert(
      fc.property(wanted, (given) => {
        const placed = placeLabels(given, 15, 0, 250).sort((a, b) => a - b);
        for (const [index, at] of placed.entries()) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(250);
          if (index > 0) expect(at - (placed[index - 1] ?? 0)).toBeGreaterThanOrEqual(15);
        }
      }),
    );
  });
});

describe('colours', () => {
  it('belong to a value, whatever else is shown and in whatever order', () => {
    const known = new Map<string, number>();
    const remember = (values: string[]): void => {
      for (const [index, colour] of assignColours(values, known).entries()) {
        if (typeof colour === 'number') known.set(values[index] ?? '', colour);
      }
    };
    remember(['Chrome', 'Firefox', 'Safari', 'Edge']);
    const all = assignColours(['Chrome', 'Firefox', 'Safari', 'Edge'], known);
    expect(assignColours(['Edge', 'Safari'], known)).toEqual([all[3], all[2]]);
    expect(assignColours(['Opera', 'Safari', 'Chrome'], known).slice(1)).toEqual([all[2], all[0]]);
  });

  it('are never used twice in a chart: what is beyond the palette is grey, like Other', () => {
    void fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 30 }), fc.uniqueArray(fc.string()), (values, before) => {
        const known = new Map(before.map((value, index) => [value, index % PALETTE_SIZE]));
        const colours = assignColours([...values, OTHER], known);
        const used = colours.filter((colour) => typeof colour === 'number');
        expect(new Set(used).size).toBe(used.length);
        expect(used.length).toBe(Math.min(PALETTE_SIZE, values.filter((value) => value !== OTHER).length));
        expect(colours.at(-1)).toBe('other');
      }),
    );
  });

  it('are tried one after the other, all of them', () => {
    void fc.assert(
      fc.property(fc.string(), (value) => {
        expect(preferredColours(value).sort((a, b) => a - b)).toEqual([...Array(PALETTE_SIZE).keys()]);
      }),
    );
  });
});

describe('many series', () => {
  const many = Array.from({ length: 20 }, (_, index) => series(`v${index}`, [1, index === 19 ? null : 2]));

  it('are added up beyond the palette where adding means something', () => {
    const folded = foldSeries(many, true);
    expect(folded).toHaveLength(PALETTE_SIZE + 1);
    expect(folded.at(-1)).toEqual({ name: 'Other (8 values)', colour: 'other', values: [8, 14] });
    expect(foldSeries(many, false)).toEqual(many.slice(0, PALETTE_SIZE));
    expect(foldSeries(many.slice(0, 13), true)).toHaveLength(13);
  });
});

describe('long names', () => {
  const prefix = 'https://shop.example.org/a/very/long/prefix/of/the/catalogue/item-';

  it('keep the end that tells them apart', () => {
    expect(shorten('plain', 18)).toBe('plain');
    expect(shorten(`${prefix}12`, 18)).toBe('https:…gue/item-12');
    const names = Array.from({ length: 40 }, (_, index) => prefix + index);
    expect(new Set(names.map((name) => shorten(name, 18))).size).toBe(40);
    expect(splitName(`${prefix}12`)).toEqual([`${prefix}12`.slice(0, -12), 'gue/item-12'.padStart(12, 'o')]);
  });

  it('keep more of the end if they also end alike', () => {
    const names = ['a', 'b'].map((page) => `${prefix}${page}/details`);
    const tail = tailLength(names);
    expect(tail).toBe(20);
    expect(new Set(names.map((name) => splitName(name, tail)[1])).size).toBe(2);
  });

  it('stay whole where they are short, or written from right to left', () => {
    expect(splitName('Chrome')).toEqual(['', 'Chrome']);
    expect(splitName('مرحبا بالعالم مرحبا بالعالم')).toEqual(['', 'مرحبا بالعالم مرحبا بالعالم']);
    expect(shorten('🥾🥾🥾🥾', 3)).toBe('…🥾🥾');
  });
});

describe('an unfinished period', () => {
  it.each([
    ['day', ['2026-11-14', '2026-11-15', '2026-11-16'], 2],
    ['day', ['2026-11-14', '2026-11-15'], null],
    ['hour', ['2026-11-16 09:00:00', '2026-11-16 10:00:00'], 1],
    ['hour', ['2026-11-16 08:00:00', '2026-11-16 09:00:00'], null],
    ['week', ['2026-11-01', '2026-11-08'], null],
    ['week', ['2026-11-08', '2026-11-15'], 1],
    ['month', ['2026-10-01', '2026-11-01'], 1],
    ['month', ['2025-12-01', '2026-10-01'], null],
    ['day', ['2026-11-16', '2026-11-17'], 0],
    ['day', [], null],
  ] as const)('by %s, of %j, is at index %s', (unit, starts, expected) => {
    expect(firstUnfinished(starts, unit, '2026-11-16 10:12')).toBe(expected);
  });

  it('is none for numbers of days', () => {
    expect(firstUnfinished([1, 2, 3], 'day', '2026-11-16 10:12')).toBeNull();
  });

  it('is told in the time zone of the project', () => {
    expect(localTime('2026-11-15T23:30:00Z', 'Europe/Berlin')).toBe('2026-11-16 00:30');
    expect(localTime('2026-11-15T23:30:00Z', 'America/New_York')).toBe('2026-11-15 18:30');
    // The end of a month, and of daylight saving time.
    expect(firstUnfinished(['2026-10-25'], 'day', localTime('2026-10-25T22:59:00Z', 'Europe/Berlin'))).toBe(0);
    expect(firstUnfinished(['2026-10-25'], 'day', localTime('2026-10-25T23:00:00Z', 'Europe/Berlin'))).toBeNull();
  });
});

describe('sums', () => {
  it('leave an unfinished period out of averages and changes', () => {
    expect(summarize({ values: [10, 20, 30, 3] }, 3)).toEqual({ total: 63, average: 20, change: 0.5 });
    expect(summarize({ values: [10, 20, 30] }, null)).toEqual({ total: 60, average: 20, change: 0.5 });
    expect(summarize({ values: [4] }, 0)).toEqual({ total: 4, average: null, change: null });
  });

  it('compare finished periods with the same part of the previous ones', () => {
    const previous = { values: [5, 5, 40], titles: [] };
    expect(summarize({ values: [10, 20, 1], previous }, 2)).toMatchObject({ total: 31, change: 2 });
  });

  it.each([
    [110, 100, 0.1],
    [0, 100, -1],
    [5, 0, null],
    [null, 5, null],
    [-50, -100, 0.5],
  ])('say that %s after %s is a change of %s', (value, before, change) => {
    expect(changeOf(value, before)).toBe(change);
  });
});

describe('the tooltip', () => {
  const both = [
    series('low', [1], { previous: { values: [2], titles: ['Fri, Nov 6, 2026'] } }),
    series('none', [null]),
    series('high', [9], { previous: { values: [6], titles: ['Fri, Nov 6, 2026'] } }),
  ];

  it('lists the highest first, with the previous date and the change', () => {
    const { rows, more, previousTitle } = tooltipContent(both, () => false, { tick: 0, hovered: 0 });
    expect(rows.map(({ name, value, previous, change }) => [name, value, previous, change])).toEqual([
      ['high', 9, 6, 0.5],
      ['low', 1, 2, -0.5],
    ]);
    expect([more, previousTitle]).toEqual([0, 'Fri, Nov 6, 2026']);
    expect(tooltipContent(both, (index) => index === 2, { tick: 0, hovered: 0 }).rows).toHaveLength(1);
  });

  it('always has the series under the pointer', () => {
    const many = Array.from({ length: 25 }, (_, index) => series(`s${index}`, [100 - index]));
    const { rows, more } = tooltipContent(many, () => false, { tick: 0, hovered: 24 });
    expect([rows.length, rows.at(-1)?.name, more]).toEqual([10, 's24', 15]);
  });

  it('is beside its point, or above or below it in a narrow chart, but never on it', () => {
    expect(placeTooltip({ x: 600, y: 200, width: 800, height: 320 })).toEqual({
      left: null,
      right: 214,
      top: null,
      bottom: 106,
    });
    const size = fc.integer({ min: 200, max: 1500 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    void fc.assert(
      fc.property(size, size, share, share, (width, height, a, b) => {
        const [x, y] = [width * a, height * b];
        const { left, right, top, bottom } = placeTooltip({ x, y, width, height });
        // The edges of the tooltip that are given, in the chart's coordinates.
        const isBeside = (left !== null && left > x + 1) || (right !== null && width - right < x - 1);
        const isApart = (top !== null && top > y + 1) || (bottom !== null && height - bottom < y - 1);
        expect(isBeside || isApart).toBe(true);
      }),
    );
  });
});

describe('the legend', () => {
  it('hides and shows, but never hides everything', () => {
    expect([...toggleHidden(new Set(), 1, 3)]).toEqual([1]);
    expect([...toggleHidden(new Set([1]), 1, 3)]).toEqual([]);
    expect([...toggleHidden(new Set([0, 1]), 2, 3)]).toEqual([0, 1]);
  });

  it('shows one alone, and all again', () => {
    expect([...soloHidden(new Set(), 1, 3)]).toEqual([0, 2]);
    expect([...soloHidden(new Set([0, 2]), 1, 3)]).toEqual([]);
    expect([...soloHidden(new Set([1]), 1, 3)]).toEqual([0, 2]);
  });
});
