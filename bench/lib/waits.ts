/** How long capture and flags take at a steady rate below what the machine can take: what is measured is waiting. */
import { browserEvent } from './browser-events.ts';
import { type LoadResult, runLoad, type Template } from './load.ts';
import type { RunningProcess } from './processes.ts';
import { serverEvent } from './server-events.ts';
import { makeTemplates } from './templates.ts';

export const KEYS = { INIT_PROJECT_API_KEY: 'phc_bench_project_key', INIT_PERSONAL_API_KEY: 'phx_bench_personal_key' };
const KEY = KEYS.INIT_PROJECT_API_KEY;
const PERSONS = 5000;

interface Waits {
  captureP50: number;
  captureP99: number;
  decideP50: number;
  decideP99: number;
  failures: number;
}

export const fill = (
  server: RunningProcess,
  events: number,
  { key = KEY, event = serverEvent }: { key?: string; event?: typeof browserEvent } = {},
): Promise<LoadResult> =>
  runLoad({
    url: server.url,
    path: '/batch/',
    connections: 4,
    templates: makeTemplates({ key, event, eventsPerBody: 200, persons: PERSONS, seed: 1 }),
    maxRequests: Math.ceil(events / 200),
  });

export async function measureWaits({ url }: RunningProcess, seconds: number): Promise<Waits> {
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
