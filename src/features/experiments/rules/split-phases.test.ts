import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json.ts';
import { expectedCounts, measuredVariants, splitPhases } from './split-phases.ts';

const filters = (...shares: [string, number][]) => ({
  multivariate: { variants: shares.map(([key, rollout_percentage]) => ({ key, rollout_percentage })) },
});
const half = filters(['control', 50], ['test', 50]);
const tenth = filters(['control', 90], ['test', 10]);
const RANGE = { from: 100, until: 200 };

describe('phases of a split', () => {
  it.each([
    ['one version', [[50, half]], [100]],
    [
      'changed before the start',
      [
        [50, half],
        [60, tenth],
      ],
      [100],
    ],
    [
      'changed by the launch',
      [
        [50, half],
        [100, tenth],
      ],
      [100],
    ],
    [
      'changed while it runs',
      [
        [50, half],
        [150, tenth],
      ],
      [100, 150],
    ],
    [
      'changed and changed back',
      [
        [50, half],
        [150, tenth],
        [160, half],
      ],
      [100, 150, 160],
    ],
    [
      'something else changed',
      [
        [50, half],
        [150, { ...half, groups: [] }],
      ],
      [100],
    ],
    [
      'changed after the end',
      [
        [50, half],
        [200, tenth],
      ],
      [100],
    ],
    [
      'without variants for a while',
      [
        [50, half],
        [150, {}],
        [160, half],
      ],
      [100],
    ],
    ['made later', [[150, half]], [100]],
  ] as const)('of a flag: %s', (_, versions, starts) => {
    const given = versions.map(([updatedAt, own]) => ({ updatedAt, filters: own as JsonObject }));
    expect(splitPhases(given, RANGE).map(({ from }) => from)).toEqual(starts);
  });

  it('keep variants that were removed', () => {
    const three = filters(['control', 34], ['test', 33], ['old', 33]);
    const given = [
      { updatedAt: 50, filters: three },
      { updatedAt: 150, filters: half },
    ];
    const phases = splitPhases(given, RANGE);
    expect(measuredVariants(phases[1]?.variants ?? [], phases)).toEqual([
      { key: 'control', weight: 50, isRemoved: false },
      { key: 'test', weight: 50, isRemoved: false },
      { key: 'old', weight: 0, isRemoved: true },
    ]);
  });

  it('say how many of each there should be', () => {
    const variants = [{ key: 'control' }, { key: 'test' }, { key: 'never' }];
    const weights = (control: number, test: number) => [
      { key: 'control', weight: control },
      { key: 'test', weight: test },
      { key: 'never', weight: 0 },
    ];
    expect(
      expectedCounts(variants, [
        { variants: weights(50, 50), counts: { control: 60, test: 40 } },
        { variants: weights(90, 10), counts: { control: 80, test: 20 } },
      ]),
    ).toEqual([140, 60, null]);
  });
});
