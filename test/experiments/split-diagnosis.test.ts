/** Experiments whose split is not as planned: results say where most of the gap is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/experiments/';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

/** A person: the variant, properties of the exposure, and whether a page was viewed before or after it. */
interface Exposed {
  variant: 'control' | 'test';
  properties?: Record<string, unknown>;
  view?: 'before' | 'after';
}

const times = (count: number, one: Exposed): Exposed[] => Array.from({ length: count }, () => one);

async function launch(key: string): Promise<Answer['body']> {
  server.setNow('2026-01-15T12:00:00Z');
  const { body } = await client.post(all, {
    body: { name: key, feature_flag_key: key, metrics: [], start_date: '2026-01-15T12:00:00Z' },
  });
  return body;
}

async function resultsFor(key: string, id: number, people: readonly Exposed[]): Promise<Answer['body']> {
  server.setNow('2026-01-15T14:00:00Z');
  const events = people.flatMap(({ variant, properties, view }, at): SentEvent[] => {
    const who = `${key}-${at}`;
    const called = { $feature_flag: key, $feature_flag_response: variant, ...properties };
    const viewed = { event: '$pageview', distinct_id: who };
    return [
      { event: '$feature_flag_called', distinct_id: who, timestamp: '2026-01-15T13:00:00Z', properties: called },
      ...(view === 'before' ? [{ ...viewed, timestamp: '2026-01-15T12:59:59Z' }] : []),
      ...(view === 'after' ? [{ ...viewed, timestamp: '2026-01-15T13:00:00Z' }] : []),
    ];
  });
  await capture(server, server.projectKey, events);
  return (await client.get(`${all}${id}/results/`)).body;
}

describe.skipIf(isWithoutEvents)('the diagnosis of a split', () => {
  it('names the browser', async () => {
    const { id } = await launch('by-browser');
    const { exposures, warnings } = await resultsFor('by-browser', id, [
      ...times(80, { variant: 'control', properties: { $browser: 'Firefox' } }),
      ...times(80, { variant: 'test', properties: { $browser: 'Firefox' } }),
      ...times(70, { variant: 'control', properties: { $browser: 'Safari' } }),
      ...times(10, { variant: 'test', properties: { $browser: 'Safari' } }),
    ]);
    expect(exposures.srm).toMatchObject({
      status: 'mismatch',
      diagnosis: [
        {
          property: '$browser',
          value: 'Safari',
          observed: { control: 70, test: 10 },
          expected: { control: 40, test: 40 },
          explains_all: true,
        },
      ],
    });
    expect(warnings).toEqual([]);
  });

  it('names persons without a page view after the exposure, as where a variant redirects', async () => {
    const { id } = await launch('redirects');
    const { exposures } = await resultsFor('redirects', id, [
      ...times(80, { variant: 'control', view: 'after' }),
      ...times(70, { variant: 'test', view: 'after' }),
      // What was viewed before the exposure does not count.
      ...times(4, { variant: 'test', view: 'before' }),
      ...times(70, { variant: 'test' }),
    ]);
    expect(exposures.srm.diagnosis).toMatchObject([
      { property: 'has_page_view', value: 'false', observed: { test: 74 }, explains_all: true },
    ]);
  });

  it('says when release conditions were changed meanwhile', async () => {
    const { id, feature_flag: flag } = await launch('released');
    const path = `/api/projects/1/feature_flags/${flag.id}/`;
    const { filters } = (await client.get(path)).body;
    server.setNow('2026-01-15T12:20:00Z');
    const groups = [{ properties: [], rollout_percentage: 40 }];
    expect((await client.patch(path, { body: { filters: { ...filters, groups } } })).status).toBe(200);
    const { exposures, warnings } = await resultsFor('released', id, [
      ...times(90, { variant: 'control' }),
      ...times(30, { variant: 'test' }),
    ]);
    expect(exposures.srm).toMatchObject({ status: 'mismatch', diagnosis: [] });
    expect(warnings).toEqual([
      {
        code: 'release_changed',
        sentence:
          "The flag's release conditions were changed while it ran: 2026-01-15T12:20Z. Compare the split before and after.",
      },
    ]);
  });
});
