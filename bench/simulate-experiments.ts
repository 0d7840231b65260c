/**
 * Tries out the statistics of experiments on random data with fixed seeds, and prints a table.
 *
 *   npm run simulate:experiments [-- --only power,split --scale 0.1]
 */
import { parseArgs } from 'node:util';
import { SIMULATIONS, type SimulationRow } from './simulations/experiments.ts';

const { values: flags } = parseArgs({
  options: { only: { type: 'string', default: '' }, scale: { type: 'string', default: '1' } },
});

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

function print({ simulation, row, runs, seed, share, from, to }: SimulationRow): boolean {
  const isKept = share >= from && share <= to;
  const promised = `${percent(from)} – ${percent(to)}`;
  console.log(
    `| ${simulation} | ${row} | ${runs} | ${seed} | ${percent(share)} | ${promised}${isKept ? '' : ' **missed**'} |`,
  );
  return isKept;
}

console.log('| Simulation | Data | Runs | Seed | Measured | Promised |\n|---|---|--:|--:|--:|--:|');
const kept = Object.entries(SIMULATIONS)
  .filter(([name]) => flags.only === '' || flags.only.split(',').includes(name))
  .flatMap(([, simulate]) => simulate(Number(flags.scale)).map(print));
if (kept.includes(false)) process.exitCode = 1;
