/**
 * What a statement of a user costs, checked and run in a process of its own, beside the same SQL written by hand for the
 * same file. Both in turns, with as many threads; from asking to having the rows.
 *
 *   npm run bench:sql [-- --events 1000000 --rounds 27 --turns 5 --seconds 10]
 *
 * And what others wait for meanwhile: /e/ and /decide/, quiet and beside the heaviest statements (`waits`), in turns.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { NO_PLACEHOLDERS } from '../src/features/sql/rules/prepare-text.ts';
import { SqlRunner } from '../src/features/sql/sql-runner.ts';
import type { ProjectCopier } from '../src/stores/events/project-copy.ts';
import { measureBesideSql } from './lib/beside-sql.ts';
import { machine } from './lib/machine.ts';
import { PROJECT } from './lib/product-traffic.ts';
import { median } from './lib/race.ts';
import { openShopStore } from './lib/shop-store.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '27' },
    turns: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
  },
});
const EVENTS = Number(flags.events);
const ROUNDS = Number(flags.rounds);
const ROWS = { byDefault: 100, max: 50_000 };
/** Of a process that runs statements. */
const LOW_PRIORITY = 10;

const MERGED = `(select coalesce(o.to_id, e.person_id) as person, e.timestamp
  from event_rows e left join person_overrides o on o.from_id = e.person_id)`;

interface Pair {
  name: string;
  asked: string;
  byHand: string;
}

const PAIRS: readonly Pair[] = [
  {
    name: 'count by event',
    asked: 'select event, count() as n from events group by event order by n desc',
    byHand: 'select event, count(*) as n from event_rows group by event order by n desc limit 101',
  },
  {
    name: 'count by a property with a column',
    asked: 'select properties.$browser as browser, count() as n from events group by browser order by n desc',
    byHand: 'select "$browser" as browser, count(*) as n from event_rows group by browser order by n desc limit 101',
  },
  {
    name: 'count by a property in JSON',
    asked: 'select properties.currency as currency, count() as n from events group by currency order by n desc',
    byHand: `select json_extract_string(properties, '/currency') as currency, count(*) as n from event_rows
      group by currency order by n desc limit 101`,
  },
  {
    name: 'unique persons by day',
    asked: `select toStartOfDay(timestamp) as day, uniq(person_id) as persons from events group by day order by day`,
    byHand: `select date_trunc('day', timestamp) as day, count(distinct person) as persons from ${MERGED}
      group by day order by day limit 101`,
  },
  {
    name: 'count by a property of persons',
    asked: 'select person.properties.country as country, count() as n from events group by country order by n desc',
    byHand: `select json_extract_string(p.properties, '/country') as country, count(*) as n from ${MERGED} e
      left join person_rows p on p.person_id = e.person group by country order by n desc limit 101`,
  },
  {
    name: '50,000 rows',
    asked: 'select uuid, event, timestamp, distinct_id from events limit 50000',
    byHand: 'select uuid, event, timestamp, distinct_id from event_rows limit 50001',
  },
];

async function openByHand(path: string): Promise<{ connection: DuckDBConnection; close(): void }> {
  const options = { access_mode: 'READ_ONLY', memory_limit: '512MB', threads: '2' };
  const instance = await DuckDBInstance.create(path, options);
  const connection = await instance.connect();
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function measure(folder: string) {
  const store = (await openShopStore(join(folder, 'shop.duckdb'), EVENTS)) as Awaited<
    ReturnType<typeof openShopStore>
  > &
    ProjectCopier;
  const path = join(folder, 'copy.duckdb');
  const nothing = async function* () {};
  const source = { distinctIds: nothing, groups: nothing, cohorts: async () => [], members: nothing };
  const copyMs = await msOf(() =>
    store.copyProject({
      projectId: PROJECT,
      target: path,
      source,
      base: null,
      isAddition: false,
      maxBytes: Number.MAX_SAFE_INTEGER,
    }),
  );
  await store.close();
  const runner = new SqlRunner({ programs: new URL('../', import.meta.url), timeoutSeconds: 60, memoryMb: 512 });
  const statement = {
    path,
    placeholders: NO_PLACEHOLDERS,
    rows: ROWS,
    checkOnly: false,
    isPostgres: false,
    maxBytes: 50_000_000,
  };
  const never = new AbortController().signal;
  const byHand = await openByHand(path);
  const results: Record<string, { askedMs: number; byHandMs: number; ratio: number }> = {};
  for (const { name, asked, byHand: sql } of PAIRS) {
    const times = { asked: [] as number[], byHand: [] as number[] };
    for (let round = -2; round < ROUNDS; round++) {
      const askedMs = await msOf(() => runner.run({ ...statement, sql: asked }, never));
      const byHandMs = await msOf(async () => (await byHand.connection.run(sql)).getRowsJson());
      // The first ones open the file and warm up.
      if (round < 0) continue;
      times.asked.push(askedMs);
      times.byHand.push(byHandMs);
    }
    const [askedMs, byHandMs] = [median(times.asked), median(times.byHand)];
    results[name] = { askedMs: rounded(askedMs), byHandMs: rounded(byHandMs), ratio: rounded(askedMs / byHandMs, 2) };
  }
  byHand.close();
  runner.close();
  return { copyMs: Math.round(copyMs), results };
}

const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits));

const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
try {
  const waits = await measureBesideSql({
    seconds: Number(flags.seconds),
    turns: Number(flags.turns),
    events: Math.min(EVENTS, 200_000),
  });
  // As the process that runs statements has it: otherwise a busy machine slows only one of the two.
  setPriority(LOW_PRIORITY);
  const report = { machine: machine(), events: EVENTS, ...(await measure(folder)), waits };
  console.log(JSON.stringify(report, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/sql.json', `${JSON.stringify(report, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
