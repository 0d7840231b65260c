/** The simulations of `npm run simulate:experiments` with a fraction of the runs, and bounds that allow for it. */
import { describe, expect, it } from 'vitest';
import { SIMULATIONS, type SimulationRow } from '../../bench/simulations/experiments.ts';

const SCALE = Number(process.env['SIMULATION_SCALE'] ?? 0.01);

/** Three standard errors of a share that is measured in so many runs. */
const slack = (share: number, runs: number): number => 3 * Math.sqrt(Math.max(share * (1 - share), 1 / runs) / runs);

const isKept = ({ share, from, to, runs }: SimulationRow): boolean =>
  share >= from - slack(from, runs) && share <= to + slack(to, runs);

describe('the statistics of experiments keep what they promise', () => {
  it.each(Object.entries(SIMULATIONS))('%s', (_, simulate) => {
    const rows = simulate(SCALE);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !isKept(row))).toEqual([]);
  });
});
