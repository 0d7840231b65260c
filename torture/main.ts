/** Torments a real server and holds it to its promises: what was acknowledged is stored, once, and accounted for. */
import { parseArgs } from 'node:util';
import { type Options, SCENARIOS } from './scenarios.ts';
import type { TortureResult } from './storm.ts';

const HELP = `npm run torture -- [options]

  --scenario NAME   ${Object.keys(SCENARIOS).join(', ')} or all (default: all)
  --rounds N        how often the server is killed (default: 100)
  --seed S          repeats the choices of an earlier run (default: from the clock)
  --short           8 rounds, for a quick look
  --keep            leaves the data folders
`;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'all' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const names = values.scenario === 'all' ? Object.keys(SCENARIOS) : [values.scenario];
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const options: Options = { seed, rounds: Number(values.rounds ?? (values.short ? 8 : 100)), keep: values.keep };
  console.log(`seed ${seed}, ${options.rounds} rounds, scenarios: ${names.join(', ')}`);
  let failed = 0;
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (!scenario) throw new Error(`There is no scenario "${name}".\n\n${HELP}`);
    const began = Date.now();
    const reckoning = await scenario(options);
    if (reckoning) failed += show(reckoning, Date.now() - began);
  }
  console.log(failed === 0 ? 'Nothing was lost, nothing is there twice.' : `${failed} violations (seed ${seed}).`);
  return failed === 0 ? 0 : 1;
}

function show({ scenario, violations, ...numbers }: TortureResult, ms: number): number {
  console.log(`[${scenario}] ${(ms / 1000).toFixed(1)} s ${JSON.stringify(numbers)}`);
  for (const violation of violations) console.log(`[${scenario}] VIOLATION: ${violation}`);
  return violations.length;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
