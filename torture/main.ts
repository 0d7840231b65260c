/** `npm run torture`: crash tests of a real server. Acknowledged events must be stored exactly once, and all counts add up. */
import { parseArgs } from 'node:util';
import type { TortureResult } from './run-torture.ts';
import { type Options, SCENARIOS } from './scenarios.ts';

const HELP = `npm run torture -- [options]

  --scenario NAME   ${Object.keys(SCENARIOS).join(', ')} or all (default: all)
  --rounds N        how often to kill the server (default: 100)
  --seed S          repeat the random choices of an earlier run (default: from the clock)
  --short           8 rounds only
  --keep            keep the data folders
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
    if (!scenario) throw new Error(`Unknown scenario "${name}".\n\n${HELP}`);
    const startedAt = Date.now();
    const result = await scenario(options);
    if (result) failed += show(result, Date.now() - startedAt);
  }
  console.log(failed === 0 ? 'Nothing was lost or stored twice.' : `${failed} violations (seed ${seed}).`);
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
