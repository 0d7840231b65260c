/** Patterns with look-around through the whole server: flags, cohorts and lists give the same answer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { sendJson } from '../support/send.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const people = { ada: 'ada@x.com', bob: 'bob@y.com' };
  await capture(
    server,
    server.projectKey,
    Object.entries(people).map(([id, email]) => ({ event: 'seen', distinct_id: id, properties: { $set: { email } } })),
  );
});
afterAll(() => server.close());

const P = '/api/projects/1/';
const outside = (value: string) => ({ key: 'email', type: 'person', operator: 'regex', value });
const decide = async (distinct_id: string) =>
  (await sendJson(server.url, '/decide/?v=3', { api_key: server.projectKey, distinct_id })).json.featureFlags;
const found = async (path: string, value: string) => {
  const properties = encodeURIComponent(JSON.stringify([outside(value)]));
  const { status, body } = await client.get(`${P}${path}?properties=${properties}`);
  return status === 200 ? body.results.length : [status, body.detail.includes(JSON.stringify(value))];
};

it('in flags, in their cohorts, and in the list of persons', async () => {
  const pattern = '^(?!.*@x\\.com$)';
  const filters = { properties: { type: 'AND', values: [outside(pattern)] } };
  const cohort = (await client.post(`${P}cohorts/`, { body: { name: 'Outside', filters } })).body.id;
  const conditions = { direct: outside(pattern), cohort: { key: 'id', type: 'cohort', value: cohort }, ...MIDDLE };
  for (const [key, property] of Object.entries(conditions)) {
    const made = await client.post(`${P}feature_flags/`, {
      body: { key, filters: { groups: [{ properties: [property] }] } },
    });
    expect([key, made.status]).toEqual([key, 201]);
  }
  expect(await decide('ada')).toEqual({ direct: false, cohort: false, middle: true });
  expect(await decide('bob')).toEqual({ direct: true, cohort: true, middle: false });
  expect(await found('persons/', pattern)).toBe(1);
});

it.skipIf(isWithoutEvents)('in the list of events', async () => {
  expect(await found('events/', '^(?!.*@x\\.com$)')).toBe(1);
});

/** Only the matcher of flags knows this form. */
const MIDDLE = { middle: outside('@(?!y)\\w') };

it('other forms are refused where a store would have to answer them, and the error names the pattern', async () => {
  expect([await found('persons/', '@(?!y)'), await found('events/', '@(?!y)')]).toEqual([
    [400, true],
    [400, true],
  ]);
});
