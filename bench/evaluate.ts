/**
 * How fast flags are evaluated in process, compared with other evaluators on equivalent flags and with the bare SHA-1
 * that each rollout needs.
 *
 *   npm run bench:evaluate [-- --flags 20 --people 500 --rounds 21]
 *
 * The evaluators take turns, and the median CPU time is reported: compare the ratios, not the absolute numbers.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compareEvaluators, measureCounting, measureLinearity, measurePreparation } from './lib/evaluate-rates.ts';
import { SCENARIOS } from './lib/flag-scenarios.ts';
import { machine } from './lib/machine.ts';

const { values } = parseArgs({
  options: {
    flags: { type: 'string', default: '20' },
    people: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '21' },
  },
});
const options = { flags: Number(values.flags), people: Number(values.people), rounds: Number(values.rounds) };

const scenarios: Record<string, unknown> = {};
for (const scenario of SCENARIOS) scenarios[scenario] = await compareEvaluators(scenario, options);
const report = {
  machine: machine(),
  ...scenarios,
  nanosecondsPerFlag: await measureLinearity([20, 100, 1000], 20_000, options.rounds),
  preparing1000Flags: measurePreparation(1000, options.rounds),
  countingUsage: [20, 200].map((flags) => measureCounting(flags, 5000, options.rounds)),
};
console.log(JSON.stringify(report, null, 2));
mkdirSync('bench/results', { recursive: true });
writeFileSync('bench/results/evaluate.json', `${JSON.stringify(report, null, 2)}\n`);
