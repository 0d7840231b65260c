/** Three weeks of realistic visits, and insights on a dashboard, for the pages with charts. */

export interface SeededInsights {
  trend: number;
  dashboard: number;
}

export type Call = <T>(method: string, path: string, body: object) => Promise<T>;

const DAYS = 21;
const VISITORS = 90;
const DAY_MS = 86_400_000;
const BROWSERS = ['Firefox', 'Chrome', 'Safari'];

/** A pseudo-random number between 0 and 1, derived from two numbers. */
const chance = (a: number, b: number): number => {
  const mixed = Math.sin(a * 127.1 + b * 311.7) * 43_758.5453;
  return mixed - Math.floor(mixed);
};

/** The steps of a visit, and the share of visitors who reach each. */
const STEPS: readonly [event: string, page: string, share: number][] = [
  ['$pageview', '/', 1],
  ['$pageview', '/boots', 0.8],
  ['product viewed', '/boots/ridge-walker', 0.75],
  ['added to cart', '/cart', 0.55],
  ['order placed', '/checkout', 0.6],
];

/** Visitors come on their first day, and less often afterwards. */
function visitsOf(visitor: number, now: number): object[] {
  const first = Math.floor(chance(visitor, 1) ** 0.7 * DAYS);
  const days = Array.from({ length: DAYS - first }, (_, index) => first + index);
  return days.flatMap((day) => {
    const age = day - first;
    if (age > 0 && chance(visitor, day + 50) > 0.55 / (1 + age * 0.28)) return [];
    return visitOn(visitor, now - (DAYS - day) * DAY_MS + chance(visitor, day) * DAY_MS * 0.6);
  });
}

function visitOn(visitor: number, at: number): object[] {
  const events: object[] = [];
  for (const [index, [event, page, share]] of STEPS.entries()) {
    if (chance(visitor * 31 + index, at % 9973) > share) break;
    events.push({
      event,
      distinct_id: `guest-${visitor}`,
      timestamp: new Date(at + index * (40_000 + chance(visitor, index) * 200_000)).toISOString(),
      properties: {
        $current_url: `https://shop.example.org${page}`,
        $browser: BROWSERS[Math.floor(chance(visitor, 3) ** 1.6 * 3)],
        price: 40 + Math.floor(chance(visitor, index) * 90),
      },
    });
  }
  return events;
}

export const pastVisits = (now: number): object[] =>
  Array.from({ length: VISITORS }, (_, visitor) => visitsOf(visitor, now)).flat();

const series = (...ids: string[]): object[] => ids.map((id, order) => ({ id, order }));

const INSIGHTS: readonly { name: string; description?: string; favorited?: boolean; filters: object }[] = [
  {
    name: 'Visits by browser',
    description: 'Which browsers to support first',
    favorited: true,
    filters: {
      insight: 'TRENDS',
      date_from: '-14d',
      interval: 'day',
      display: 'ActionsLineGraph',
      events: series('$pageview'),
      breakdown: '$browser',
      breakdown_type: 'event',
    },
  },
  {
    name: 'Purchase funnel',
    favorited: true,
    filters: {
      insight: 'FUNNELS',
      date_from: '-30d',
      events: series('$pageview', 'product viewed', 'added to cart', 'order placed'),
    },
  },
  {
    name: 'Visitor retention',
    filters: {
      insight: 'RETENTION',
      period: 'Day',
      total_intervals: 8,
      target_entity: { id: '$pageview', type: 'events' },
      returning_entity: { id: '$pageview', type: 'events' },
    },
  },
  {
    name: 'New and returning',
    filters: { insight: 'LIFECYCLE', date_from: '-14d', interval: 'day', events: series('$pageview') },
  },
  {
    name: 'Orders',
    filters: { insight: 'TRENDS', date_from: '-30d', display: 'BoldNumber', events: series('order placed') },
  },
  {
    name: 'User paths in the shop',
    filters: { insight: 'PATHS', date_from: '-14d', include_event_types: ['$pageview'], step_limit: 4 },
  },
];

export async function seedInsights(call: Call): Promise<SeededInsights> {
  const ids: number[] = [];
  for (const insight of INSIGHTS) {
    ids.push((await call<{ id: number }>('POST', '/api/projects/1/insights/', { saved: true, ...insight })).id);
  }
  const tiles = [0, 1, 2, 3].map((place, order) => ({ insight: ids[place], order }));
  const body = { name: 'Shop overview', description: 'Key metrics of the shop', pinned: true };
  const { id } = await call<{ id: number }>('POST', '/api/projects/1/dashboards/', body);
  await call('PATCH', `/api/projects/1/dashboards/${id}/`, { tiles });
  return { trend: ids[0] ?? 0, dashboard: id };
}
