/** How long capture and flags take while statements of users keep the machine busy, beside how long they take otherwise. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserEvent } from './browser-events.ts';
import { type LoadResult, runLoad, type Template } from './load.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import { serverEvent } from './server-events.ts';
import { makeTemplates } from './templates.ts';

const KEYS = { INIT_PROJECT_API_KEY: 'phc_bench_project_key', INIT_PERSONAL_API_KEY: 'phx_bench_personal_key' };
const KEY = KEYS.INIT_PROJECT_API_KEY;
const PERSONS = 5000;

/** As heavy as they come: one that never ends, one that needs all memory, and two that read everything. */
const HEAVY = [
  'select max(md5(concat(a.uuid, b.uuid))) from events a, events b, events c',
  'select a.uuid, list(b.uuid) from events a join events b on a.event = b.event group by 1',
  'select properties.$current_url as url, count(), uniq(person_id) from events group by url order by 2 desc',
  'select event, md5(properties) as m, row_number() over (partition by event order by properties) as n from events order by m limit 100',
];

interface Waits {
  captureP50: number;
  captureP99: number;
  decideP50: number;
  decideP99: number;
  failures: number;
}

export async function measureBesideSql(seconds: number, events: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-sql-'));
  const env = { ...KEYS, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', SQL_TIMEOUT_SECONDS: '5' };
  const server = await startProcess(['dist/main.js'], env);
  try {
    await fill(server, events);
    await ask(server, 'select count() from events');
    await waits(server, 2);
    const quiet = await waits(server, seconds);
    const stop = new AbortController();
    // Two of a project run at a time; the others wait.
    const askers = HEAVY.map((sql) => keepAsking(server, sql, stop.signal));
    const busy = await waits(server, seconds);
    stop.abort();
    const statements = (await Promise.all(askers)).reduce((sum, count) => sum + count, 0);
    return { quiet, besideHeavySql: busy, statements };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const fill = (server: RunningProcess, events: number): Promise<LoadResult> =>
  runLoad({
    url: server.url,
    path: '/batch/',
    connections: 4,
    templates: makeTemplates({ key: KEY, event: serverEvent, eventsPerBody: 200, persons: PERSONS, seed: 1 }),
    maxRequests: Math.ceil(events / 200),
  });

/** A steady rate below what the machine can take: what is measured is waiting. */
async function waits({ url }: RunningProcess, seconds: number): Promise<Waits> {
  const common = { url, connections: 4, maxMs: seconds * 1000 };
  const captured = makeTemplates({ key: KEY, event: browserEvent, eventsPerBody: 1, persons: PERSONS, seed: 2 });
  const [capture, decide] = await Promise.all([
    runLoad({ ...common, path: '/e/', templates: captured, perSecond: 100 }),
    runLoad({ ...common, path: '/decide/?v=3', templates: [DECIDE], perSecond: 100 }),
  ]);
  const rounded = (ms: number): number => Number(ms.toFixed(1));
  return {
    captureP50: rounded(capture.p50),
    captureP99: rounded(capture.p99),
    decideP50: rounded(decide.p50),
    decideP99: rounded(decide.p99),
    failures: capture.failures + decide.failures,
  };
}

const DECIDE: Template = {
  bytes: Buffer.from(JSON.stringify({ api_key: KEY, distinct_id: 'somebody' })),
  events: 0,
  refresh: () => undefined,
};

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
