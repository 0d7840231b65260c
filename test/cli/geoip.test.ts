/** The countries of stored events, filled in later. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cairn, cairnJson, makeScratch } from '../support/cairn.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const scratch = makeScratch();
const dataDir = scratch.path('data');
const at = ['--data-dir', dataDir];
let server: TestServer;

const view = (who: string, properties: object) => ({
  event: '$pageview',
  distinct_id: who,
  timestamp: '2026-01-13T10:00:00Z',
  properties: { $session_id: `${who}-1`, $current_url: 'https://example.com/', $lib: 'test', ...properties },
});

/** Visitors by country, from the rows that are kept for sessions. */
async function countries(): Promise<unknown> {
  const body = { by: 'country', date_from: '2026-01-13', date_to: '2026-01-13' };
  const { body: table } = await clientFor(server).post('/api/projects/1/web_analytics/breakdown/', { body });
  return table.rows.map(([value, { visitors }]: [string, { visitors: number }]) => [value, visitors]);
}

const lookUp = async (geoip: boolean): Promise<void> => {
  const { status } = await clientFor(server).patch('/api/projects/1/', { body: { web_analytics: { geoip } } });
  expect(status).toBe(200);
};

beforeAll(async () => {
  server = await startServer({ dataDir });
  await lookUp(false);
  await capture(server, server.projectKey, [
    view('ann', { $ip: '193.0.6.139' }),
    view('bob', { $ip: '193.0.6.139' }),
    view('cat', { $ip: '192.168.1.1' }),
    view('dan', { $ip: '193.0.6.139', $geoip_country_code: 'SE' }),
    view('eve', { $ip: '193.0.6.139', $geoip_disable: true }),
  ]);
});
afterAll(async () => {
  await server.close();
  scratch.remove();
});

describe('cairn geoip fill', () => {
  it('says that a project looks nothing up', async () => {
    const { code, stdout } = await cairn(['geoip', 'fill', ...at]);
    expect([code, stdout.trim()]).toEqual([3, 'This project does not look places up (web_analytics.geoip is false).']);
  });

  it('fills in the country of events that have an address and no country, once', async () => {
    expect(await countries()).toEqual([
      ['(none)', 4],
      ['SE', 1],
    ]);
    await lookUp(true);
    expect(await cairnJson(['geoip', 'fill', '--project', '1', ...at])).toEqual({ events: 2, is_on: true });
    expect(await countries()).toEqual([
      ['(none)', 2],
      ['NL', 2],
      ['SE', 1],
    ]);
    const again = await cairn(['geoip', 'fill', ...at]);
    expect([again.code, again.stdout.trim()]).toEqual([0, '0 events have a place now.']);
  });

  it('works on the folder of a server that is stopped', async () => {
    await lookUp(false);
    await capture(server, server.projectKey, [view('fay', { $ip: '193.0.6.139' })]);
    await lookUp(true);
    await server.close();
    expect(await cairnJson(['geoip', 'fill', ...at])).toEqual({ events: 1, is_on: true });
    server = await startServer({ dataDir });
    expect(await countries()).toEqual([
      ['NL', 3],
      ['(none)', 2],
      ['SE', 1],
    ]);
  });
});
