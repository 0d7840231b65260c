import { describe, expect, it } from 'vitest';
import { countsByPhase, diagnoseSplit, plannedSplit } from './diagnose-split.ts';

const HALVES = [
  { key: 'control', weight: 50 },
  { key: 'test', weight: 50 },
];
const TENTH = [
  { key: 'control', weight: 90 },
  { key: 'test', weight: 10 },
];
const FIRST = Date.parse('2026-01-01T00:00:00Z');
const SECOND = Date.parse('2026-01-03T10:00:00Z');
const PHASES = [
  { from: FIRST, variants: TENTH },
  { from: SECOND, variants: HALVES },
];
const counted = (property: string, value: string, control: number, test: number) => [
  { property, value, variant: 'control', count: control },
  { property, value, variant: 'test', count: test },
];

describe('the diagnosis of a split', () => {
  it('names the value that explains the gap', () => {
    const counts = [
      ...counted('$browser', 'Safari', 1000, 700),
      ...counted('$browser', 'Firefox', 1010, 990),
      ...counted('$os', 'Linux', 2010, 1690),
    ];
    expect(diagnoseSplit(counts, () => HALVES)).toMatchObject([
      {
        property: '$browser',
        value: 'Safari',
        observed: { control: 1000, test: 700 },
        expected: { control: 850, test: 850 },
        explainsAll: true,
      },
    ]);
  });

  it('tests values of a few people, but none with fewer than five expected', () => {
    const counts = [
      ...counted('$browser', 'Safari', 40, 5),
      ...counted('$browser', 'Opera', 9, 0),
      ...counted('$browser', 'Firefox', 1000, 1000),
    ];
    const found = diagnoseSplit(counts, () => HALVES);
    expect(found.map(({ value, expected }) => [value, expected])).toEqual([['Safari', { control: 22.5, test: 22.5 }]]);
  });

  it('takes the days of a phase by the percentages of that phase', () => {
    const days = [
      ...counted('day', '2026-01-01', 900, 100),
      ...counted('day', '2026-01-02', 900, 100),
      // The percentages changed on this day.
      ...counted('day', '2026-01-03', 600, 400),
      ...counted('day', '2026-01-04', 500, 500),
      ...counted('day', '2026-01-05', 500, 300),
    ];
    const phases = [
      { control: 2100, test: 300 },
      { control: 1300, test: 1000 },
    ];
    const found = diagnoseSplit(days, plannedSplit(HALVES, PHASES, { phases }));
    expect(found.map(({ property, value, explainsAll }) => [property, value, explainsAll])).toEqual([
      ['day', '2026-01-05', true],
    ]);
    expect(found[0]?.expected).toEqual({ control: 400, test: 400 });
  });

  it('names the phase', () => {
    const phases = [
      { control: 900, test: 100 },
      { control: 1200, test: 800 },
    ];
    const found = diagnoseSplit(countsByPhase(phases), plannedSplit(HALVES, PHASES, { phases }));
    expect(found).toMatchObject([
      { property: 'phase', value: '2', expected: { control: 1000, test: 1000 }, explainsAll: true },
    ]);
  });

  it('takes other properties by what all phases together should have', () => {
    // 1,000 in each phase: 900 + 500 of control, 100 + 500 of test.
    const phases = [
      { control: 900, test: 100 },
      { control: 500, test: 500 },
    ];
    const planned = plannedSplit(HALVES, PHASES, { phases });
    const fine = [...counted('$os', 'Linux', 700, 300), ...counted('$os', 'iOS', 700, 300)];
    expect(diagnoseSplit(fine, planned)).toEqual([]);
    const broken = [...counted('$os', 'Linux', 700, 300), ...counted('$os', 'iOS', 500, 500)];
    expect(diagnoseSplit(broken, planned)).toMatchObject([{ value: 'iOS', expected: { control: 700, test: 300 } }]);
  });

  it('is silent where one phase says nothing, and about values that everyone has', () => {
    const phases = [{ control: 1000, test: 800 }];
    const counts = [...countsByPhase(phases), ...counted('$lib', 'web', 1000, 800)];
    expect(diagnoseSplit(counts, plannedSplit(HALVES, PHASES.slice(0, 1), { phases }))).toEqual([]);
  });
});
