/** Patterns and texts that are made to take long, against a real process: what others wait meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { sendJson } from '../support/send.ts';
import { addedWaitMs, measureImpact, startAttackedServer } from '../support/under-attack.ts';

let server: Awaited<ReturnType<typeof startAttackedServer>>;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startAttackedServer();
  client = clientFor(server);
  const batch = Array.from({ length: 3000 }, (_, i) => ({
    event: '$groupidentify',
    distinct_id: `person-${i}`,
    properties: {
      $set: { note: hardText(400, i) },
      $group_type: 'company',
      $group_key: `company-${i}`,
      $group_set: { note: hardText(400, i) },
    },
  }));
  await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch });
  while (!(await isLoaded())) await sleep(100);
}, 120_000);
afterAll(() => server.close());

const P = '/api/projects/1/';
const isLoaded = async () => (await client.get(`${P}persons/?limit=1&offset=2999`)).body.results?.length === 1;

/** Letters in an order that no state of an automaton has seen before. */
function hardText(length: number, seed: number): string {
  let text = '';
  for (let state = seed * 7919 + 1; text.length < length; ) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    text += (state >> 8) & 1 ? 'a' : 'b';
  }
  return text;
}

const HARD_PATTERNS = [
  '(a|b)*a(a|b){60}c$',
  '(a|b)*a(a|b){300}c$',
  '(a|b|ab|ba)*a(a|b){120}z',
  '(?=(a|b)*a(a|b){100}c)',
  `(${'(a|b)*'.repeat(100)})*c`,
  '(a{1,30}b{1,30}){1,30}c',
  `(${'ab'.repeat(120)}){900}`,
];
const properties = (...values: string[]) =>
  encodeURIComponent(JSON.stringify([{ key: 'note', type: 'person', operator: 'regex', value: values }]));
/** Tried again, because the machine that runs the tests may be busy with something else. */
const RETRIED = { retry: 2, timeout: 120_000 };

describe('others do not notice', () => {
  it.each(HARD_PATTERNS.map((one) => [one.slice(0, 30), one]))('persons with %s', RETRIED, async (_shown, pattern) => {
    const ask = () => client.get(`${P}persons/?properties=${properties(pattern)}`);
    const impact = await measureImpact(server, () => Promise.all([ask(), ask()]));
    expect(addedWaitMs(impact)).toBeLessThanOrEqual(100);
    expect(impact.rssGrowthMb).toBeLessThanOrEqual(100);
  });

  it('all of them at once, and more than are taken', RETRIED, async () => {
    const path = HARD_PATTERNS.slice(0, -1).flatMap((pattern) => [pattern, `${pattern}x`, `(${pattern})y`]);
    const impact = await measureImpact(server, async () => {
      await client.get(`${P}persons/?properties=${properties(...path)}`);
      const tooMany = await client.get(
        `${P}persons/?properties=${properties(...Array.from({ length: 51 }, (_, i) => `a${i}`))}`,
      );
      expect([tooMany.status, tooMany.body.attr]).toEqual([400, 'properties']);
    });
    expect(addedWaitMs(impact)).toBeLessThanOrEqual(100);
  });

  it('a filter of groups', RETRIED, async () => {
    const impact = await measureImpact(server, () =>
      client.get(`${P}groups/?group_type_index=0&properties=${properties(HARD_PATTERNS[0] ?? '')}`),
    );
    expect(addedWaitMs(impact)).toBeLessThanOrEqual(100);
  });

  it('flag requests with long texts for the patterns of flags', RETRIED, async () => {
    for (const [i, value] of ['^(?!.*@example\\.com)', '(a|b)*a(a|b){30}c$', '@example\\.com$'].entries()) {
      const filters = { groups: [{ properties: [{ key: 'email', type: 'person', operator: 'regex', value }] }] };
      await client.post(`${P}feature_flags/`, { body: { key: `pattern-${i}`, filters } });
    }
    const ask = (i: number) =>
      sendJson(server.url, '/decide/?v=3', {
        api_key: server.projectKey,
        distinct_id: 'stranger',
        person_properties: { email: hardText(900 + 2_000 * i, i) },
      });
    const impact = await measureImpact(server, () => Promise.all(Array.from({ length: 8 }, (_, i) => ask(i))));
    expect(addedWaitMs(impact)).toBeLessThanOrEqual(100);
  });
});
