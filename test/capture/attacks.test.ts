/** Hostile bodies against a real process on a small heap: what others wait, and what it costs in memory. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sent, send } from '../support/send.ts';
import { measureImpact, startAttackedServer } from '../support/under-attack.ts';

let server: Awaited<ReturnType<typeof startAttackedServer>>;
beforeAll(async () => {
  server = await startAttackedServer();
});
afterAll(() => server.close());

const flood = (count: number, sent: Sent, path = '/e/') =>
  Promise.all(Array.from({ length: count }, () => send(server.url, path, sent)));

/** Tried again, because the machine that runs the tests may be busy with something else. */
const RETRIED = { retry: 2 };

describe('others do not notice', () => {
  it('bodies of a megabyte with an unknown key', RETRIED, async () => {
    const body = JSON.stringify({ api_key: 'phc_unknown', event: 'e', distinct_id: 'd', a: 'x'.repeat(1_000_000) });
    const impact = await measureImpact(server, () => flood(3, { body }));
    expect(impact.waitMs.p95).toBeLessThanOrEqual(100);
    expect(impact.rssGrowthMb).toBeLessThanOrEqual(100);
  });
});
