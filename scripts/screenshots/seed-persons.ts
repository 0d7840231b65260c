/** A person with a history, groups, cohorts and definitions, for the pages about persons. */
type Call = (method: string, path: string, body: object) => Promise<void>;
export type Send = (...batch: object[]) => Promise<void>;

const WALKER = 'walker3@example.org';

/** Sends events that merge persons, change properties and create groups. */
export async function sendPersons(send: Send, now: number): Promise<void> {
  const at = (minutesAgo: number): string => new Date(now - minutesAgo * 60_000).toISOString();
  const phone = (event: string, minutesAgo: number, properties: object = {}): object => ({
    event,
    distinct_id: 'phone-3f8e',
    timestamp: at(minutesAgo),
    properties: { $lib: 'posthog-ios', $os: 'iOS', ...properties },
  });
  await send(phone('product viewed', 2900), phone('added to cart', 1460, { $set: { device: 'phone' } }));
  await send({
    event: '$identify',
    distinct_id: WALKER,
    timestamp: at(1400),
    properties: { $anon_distinct_id: 'phone-3f8e', $set: { plan: 'team', shoe_size: 42, newsletter: true } },
  });
  await send(
    ...['team-a', 'team-b', 'team & sons'].map((key, index) => ({
      event: '$groupidentify',
      distinct_id: WALKER,
      timestamp: at(300 + index),
      properties: {
        $group_type: 'company',
        $group_key: key,
        $group_set: { name: key, seats: 5 * (index + 1), plan: index === 0 ? 'business' : 'team' },
      },
    })),
  );
}

/** Creates what users add once the events are stored. */
export async function describePersons(call: Call, read: (path: string) => Promise<unknown>): Promise<void> {
  const P = '/api/projects/1';
  const property = (key: string, value: unknown): object => ({ key, value, operator: 'exact', type: 'person' });
  const did = {
    type: 'behavioral',
    value: 'performed_event',
    event_type: 'events',
    time_value: 30,
    time_interval: 'day',
  };
  await call('POST', `${P}/cohorts/`, {
    name: 'Active teams',
    description: 'On the team plan, and placed an order in the last month',
    filters: {
      properties: {
        type: 'OR',
        values: [{ type: 'AND', values: [property('plan', ['team']), { ...did, key: 'order placed' }] }],
      },
    },
  });
  await call('POST', `${P}/cohorts/`, {
    name: 'Beta testers',
    is_static: true,
    _create_static_person_ids: [WALKER, 'walker6@example.org'],
  });
  const { results } = (await read(`${P}/event_definitions/`)) as { results: { id: string; name: string }[] };
  for (const { id, name } of results) {
    const about = DESCRIBED[name];
    if (about) await call('PATCH', `${P}/event_definitions/${id}/`, { ...about, owner: 1 });
  }
}

const DESCRIBED: Readonly<Record<string, object>> = {
  'order placed': { description: 'Payment succeeded', tags: ['checkout', 'revenue'], verified: true },
  'added to cart': {
    description: 'From a product page or from the cart',
    tags: ['checkout'],
    verified: true,
  },
  'signed up': { description: 'Account created; the email may be unconfirmed', tags: ['growth'] },
};
