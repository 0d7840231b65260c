/** Fills a server with the events of a shop, the same each time except for their timestamps. */
import { setTimeout as sleep } from 'node:timers/promises';
import { seedFlags } from './seed-flags.ts';
import { type Call, pastVisits, type SeededInsights, seedInsights } from './seed-insights.ts';
import { describePersons, sendPersons } from './seed-persons.ts';

export const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
export const KEYS = { project: 'phc_shown_in_pictures', personal: 'phx_used_for_pictures' };

export interface Seeded {
  projectId: number;
  /** The event to open. */
  eventId: string;
  insights: SeededInsights;
  /** The flag to open. */
  flagId: number;
  /** A second project, with the demo data. */
  demo: { projectId: number; dashboardId: number; experimentIds: readonly number[] };
}

const NAMES = ['$pageview', '$pageview', '$pageview', 'product viewed', 'added to cart', 'signed up', 'order placed'];
const PAGES = ['/', '/pricing', '/boots', '/boots/ridge-walker', '/cart', '/checkout'];
const PLANS = ['free', 'team', 'business'];

/** Views by Node itself would be taken for a bot's. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const uuidOf = (number: number): string => `01930000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

export async function seed(url: string): Promise<Seeded> {
  const call = async <T>(method: string, path: string, body: object): Promise<T> => {
    const headers = {
      authorization: `Bearer ${KEYS.personal}`,
      'content-type': 'application/json',
      'user-agent': BROWSER,
    };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const read = async (path: string): Promise<unknown> =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${KEYS.personal}` } })).json();
  const send = (...batch: object[]): Promise<void> => call('POST', '/batch/', { api_key: KEYS.project, batch });
  await call('PATCH', '/api/projects/1/', { name: 'Demo shop', timezone: 'Europe/Berlin' });
  const now = Date.now();
  const events = Array.from({ length: 240 }, (_, index) => eventOf(index, now));
  await send(...events);
  await send(...events.slice(0, 3));
  // A few that are dropped or cause a warning, each for another reason.
  await send({ event: 'nobody', properties: {} }, { event: '$performance_event', distinct_id: 'visitor-1' });
  await send({ event: '$create_alias', distinct_id: 'visitor-3', properties: { alias: 'null' } });
  await send(...pastVisits(now));
  await sendPersons(send, now);
  await untilStored(url);
  await describePersons(call, read);
  const flagId = await seedFlags(call);
  for (let visitor = 0; visitor < 60; visitor++) {
    await call('POST', '/flags/?v=2&ver=1.434.18', { api_key: KEYS.project, distinct_id: `visitor-${visitor}` });
  }
  const insights = await seedInsights(call);
  const demo = await seedDemo(url, call, read);
  return { projectId: 1, eventId: uuidOf(3), flagId, insights, demo };
}

async function seedDemo(url: string, call: Call, read: (path: string) => Promise<unknown>): Promise<Seeded['demo']> {
  const { id } = await call<{ id: number }>('POST', '/api/projects/', { name: 'Demo' });
  const path = `/api/projects/${id}/demo_data/`;
  await call('POST', path, {});
  while (((await read(path)) as { state: string }).state !== 'done') await sleep(200);
  await untilStored(url);
  // Rows of sessions follow the events, and the usage of flags is written every ten seconds.
  await sleep(11_000);
  const idsOf = async (list: string): Promise<number[]> =>
    ((await read(`/api/projects/${id}/${list}/`)) as { results: { id: number }[] }).results.map((one) => one.id);
  const [dashboardId = 0] = await idsOf('dashboards');
  return { projectId: id, dashboardId, experimentIds: await idsOf('experiments') };
}

async function untilStored(url: string): Promise<void> {
  for (;;) {
    const { ingest } = (await (await fetch(`${url}/_status`)).json()) as { ingest: { pending: number } };
    if (ingest.pending === 0) return;
    await sleep(50);
  }
}

function eventOf(index: number, now: number): object {
  const visitor = (index * 7) % 23;
  const isKnown = visitor % 3 === 0;
  return {
    uuid: uuidOf(index),
    event: NAMES[(index * 5) % NAMES.length],
    distinct_id: isKnown ? `walker${visitor}@example.org` : `visitor-${visitor}`,
    timestamp: new Date(now - index * 41_000 - 2000).toISOString(),
    properties: {
      $current_url: `https://shop.example.org${PAGES[(index * 11) % PAGES.length]}`,
      $lib: 'web',
      $browser: ['Firefox', 'Chrome', 'Safari'][index % 3],
      $os: ['Linux', 'macOS', 'Windows', 'Android'][index % 4],
      price: 40 + ((index * 13) % 90),
      ...(isKnown ? { $set: { email: `walker${visitor}@example.org`, plan: PLANS[visitor % PLANS.length] } } : {}),
    },
  };
}
