/** How long capture and flags take while statements of users keep the machine busy, beside how long they take otherwise. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningProcess, startProcess } from './processes.ts';
import { fill, KEYS, measureWaits } from './waits.ts';

/** As heavy as they come: one that never ends, one that needs all memory, two that read everything, and a large answer. */
const HEAVY = [
  'select max(md5(concat(a.uuid, b.uuid))) from events a, events b, events c',
  'select a.uuid, list(b.uuid) from events a join events b on a.event = b.event group by 1',
  'select properties.$current_url as url, count(), uniq(person_id) from events group by url order by 2 desc',
  'select event, md5(properties) as m, row_number() over (partition by event order by properties) as n from events order by m limit 100',
  'select uuid, event, timestamp, properties, person_id, distinct_id from events limit 50000',
];

export async function measureBesideSql(seconds: number, events: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-sql-'));
  const env = { ...KEYS, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', SQL_TIMEOUT_SECONDS: '5' };
  const server = await startProcess(['dist/main.js'], env);
  try {
    await fill(server, events);
    await ask(server, 'select count() from events');
    await measureWaits(server, 2);
    const quiet = await measureWaits(server, seconds);
    const stop = new AbortController();
    // Two of a project run at a time; the others wait.
    const askers = HEAVY.map((sql) => keepAsking(server, sql, stop.signal));
    const busy = await measureWaits(server, seconds);
    stop.abort();
    const statements = (await Promise.all(askers)).reduce((sum, count) => sum + count, 0);
    return { quiet, besideHeavySql: busy, statements };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function ask({ url }: RunningProcess, sql: string): Promise<number> {
  const response = await fetch(`${url}/api/projects/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYS.INIT_PERSONAL_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: { kind: 'HogQLQuery', query: sql }, refresh: 'force_blocking' }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Returns how many it asked. */
async function keepAsking(server: RunningProcess, sql: string, stopped: AbortSignal): Promise<number> {
  let asked = 0;
  while (!stopped.aborted) {
    await ask(server, sql);
    asked++;
  }
  return asked;
}
