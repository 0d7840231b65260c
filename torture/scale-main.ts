/** `npm run torture:scale`: crash tests of a cluster, with the same guarantees as one machine. */
import { parseArgs } from 'node:util';
import { findClickHouse } from '../test/support/clickhouse.ts';
import { runScaleTorture } from './scale.ts';

const HELP = `npm run torture:scale -- [options]

  --rounds N   number of failures (default: 40)
  --away S     seconds for which ClickHouse is unreachable (default: 60)
  --seed S     repeat the random choices of an earlier run (default: from the clock)
  --short      6 failures, ClickHouse away for 10 seconds, and few events

CLICKHOUSE_URL is the ClickHouse server; test/support/clickhouse.ts says how it is found otherwise.
`;

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    away: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const server = await findClickHouse();
  if (server === null) {
    console.log('Skipped: no ClickHouse found.');
    return 0;
  }
  const { url, ...clickhouseOptions } = server;
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  const { violations, ...numbers } = await runScaleTorture({
    seed,
    rounds: Number(values.rounds ?? (values.short ? 6 : 40)),
    awayMs: Number(values.away ?? (values.short ? 10 : 60)) * 1000,
    // An emulated engine takes a second per statement, and much longer for a large insert.
    paceMs: values.short ? 250 : 20,
    maxEvents: values.short ? 10 : 200,
    clickhouseUrl: url,
    clickhouseOptions: JSON.stringify(clickhouseOptions),
  });
  console.log(JSON.stringify(numbers));
  for (const violation of violations) console.log(`VIOLATION: ${violation}`);
  console.log(
    violations.length === 0 ? 'Nothing was lost or stored twice.' : `${violations.length} violations (seed ${seed}).`,
  );
  return violations.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
