/** How long capture and flags take while statements of users keep the machine busy, beside how long they take otherwise. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { measurePeriod, medians, type Period } from './periods.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import { untilProcessed } from './until-processed.ts';
import { fill, KEYS, measureWaits } from './waits.ts';

/** As heavy as they come: one that never ends, one that needs all memory, two that read everything, and a large answer. */
const HEAVY = [
  'select max(md5(concat(a.uuid, b.uuid))) from events a, events b, events c',
  'select a.uuid, list(b.uuid) from events a join events b on a.event = b.event group by 1',
  'select properties.$current_url as url, count(), uniq(person_id) from events group by url order by 2 desc',
  'select event, md5(properties) as m, row_number() over (partition by event order by properties) as n from events order by m limit 100',
  'select uuid, event, timestamp, properties, person_id, distinct_id from events limit 50000',
];

/** In turns, since a disk that others share is slow now and then: the median of what each period has. */
export async function measureBesideSql({ seconds, turns, events }: { seconds: number; turns: number; events: number }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-sql-'));
  const env = { ...KEYS, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', SQL_TIMEOUT_SECONDS: '5' };
  const server = await startProcess(['dist/main.js'], env);
  const periods = { quiet: [] as Period[], besideHeavySql: [] as Period[] };
  const statements: Record<string, number> = {};
  try {
    await fill(server, events);
    // The first statement makes a copy of all of them.
    await untilProcessed(server);
    await askersOf(server, ['select count() from events']).stop();
    await measureWaits(server, 2);
    for (let turn = 0; turn < turns; turn++) {
      periods.quiet.push(await measurePeriod(server, seconds, dataDir));
      // Two of a project run at a time; the others wait.
      const askers = askersOf(server, HEAVY);
      periods.besideHeavySql.push(await measurePeriod(server, seconds, dataDir));
      for (const [status, count] of Object.entries(await askers.stop())) {
        statements[status] = (statements[status] ?? 0) + count;
      }
    }
    return { quiet: medians(periods.quiet), besideHeavySql: medians(periods.besideHeavySql), statements, periods };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** `stop` waits for those that are running, and tells how many there were by their status. */
function askersOf({ url }: RunningProcess, statements: readonly string[]) {
  const program = ['scripts/run.js', 'bench/lib/ask-sql.ts'];
  const asking = spawn(process.execPath, [...program, url, KEYS.INIT_PERSONAL_API_KEY, ...statements], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    async stop(): Promise<Record<string, number>> {
      asking.stdin.end();
      return JSON.parse(await text(asking.stdout)) as Record<string, number>;
    },
  };
}
