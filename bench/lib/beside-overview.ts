/** How long capture and flags take while the overview of a site is computed again and again, beside otherwise. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserEvent } from './browser-events.ts';
import { measurePeriod, medians, type Period } from './periods.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import { untilProcessed } from './until-processed.ts';
import { fill, KEYS, measureWaits } from './waits.ts';

const OVERVIEW = '/api/projects/1/web_analytics/overview/?date_from=-7d&compare=previous_period&refresh=true';
/** The first ones find sessions in events, and give the properties that they read columns of their own. */
const WARM_UP = 5;

/** In turns, since a disk that others share is slow now and then: the median of what each period has. */
export async function measureBesideOverview({
  seconds,
  turns,
  events,
}: {
  seconds: number;
  turns: number;
  events: number;
}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-web-'));
  const env = { ...KEYS, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
  const server = await startProcess(['dist/main.js'], env);
  const periods = { quiet: [] as Period[], besideOverview: [] as Period[] };
  let overviews = 0;
  try {
    await fill(server, events, { event: browserEvent });
    await untilProcessed(server);
    for (let visit = 0; visit < WARM_UP; visit++) await askOverview(server);
    await measureWaits(server, 2);
    for (let turn = 0; turn < turns; turn++) {
      periods.quiet.push(await measurePeriod(server, seconds, dataDir));
      const asking = keepAsking(server);
      periods.besideOverview.push(await measurePeriod(server, seconds, dataDir));
      overviews += await asking.stop();
    }
    return {
      ...{ events, quiet: medians(periods.quiet), besideOverview: medians(periods.besideOverview) },
      ...{ overviews, periods },
    };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function askOverview({ url }: RunningProcess): Promise<void> {
  const headers = { authorization: `Bearer ${KEYS.INIT_PERSONAL_API_KEY}` };
  const response = await fetch(`${url}${OVERVIEW}`, { headers });
  const { totals } = (await response.json()) as { totals?: { views: { value: number } } };
  if (!totals?.views.value) throw new Error(`The overview was answered with ${response.status}, and without views.`);
}

/** One after the other. `stop` waits for the last one, and tells how many there were. */
function keepAsking(server: RunningProcess) {
  let [isStopped, count] = [false, 0];
  const asking = (async () => {
    for (; !isStopped; count++) await askOverview(server);
    return count;
  })();
  // Its failure is thrown by `stop`.
  asking.catch(() => undefined);
  return {
    stop(): Promise<number> {
      isStopped = true;
      return asking;
    },
  };
}
