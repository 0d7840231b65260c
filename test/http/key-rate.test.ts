import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { scopedKey } from '../support/scoped-keys.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

beforeAll(async () => {
  const config = { apiRequestsPerMinute: 5, initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
  server = await startServer({ now: '2026-01-15T12:00:00Z', config });
});
afterAll(() => server.close());

const flags = '/api/projects/1/feature_flags/';
const get = (key: string) => fetch(`${server.url}${flags}`, { headers: { authorization: `Bearer ${key}` } });

describe('requests of a personal key', () => {
  it('are counted by the minute, with what is left in the headers', async () => {
    const [one, other] = [
      await scopedKey(server, ['feature_flag:read']),
      await scopedKey(server, ['feature_flag:read']),
    ];
    for (let left = 4; left >= 0; left--) {
      const { status, headers } = await get(one);
      expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([
        200,
        `"key";r=${left};t=60`,
        '"key";q=5;w=60',
      ]);
    }
    server.setNow('2026-01-15T12:00:20Z');
    const refused = await get(one);
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('ratelimit')]).toEqual([
      429,
      '40',
      '"key";r=0;t=40',
    ]);
    expect((await get(other)).status).toBe(200);
    server.setNow('2026-01-15T12:01:00Z');
    expect((await get(one)).status).toBe(200);
  });

  it('do not count against sessions, capture and flags', async () => {
    const { cookie } = await signIn();
    for (let n = 0; n < 8; n++) {
      const { status } = await fetch(`${server.url}${flags}`, { headers: { cookie } });
      expect(status).toBe(200);
      const body = { api_key: server.projectKey, distinct_id: 'ada' };
      expect((await call(server.url, 'POST', '/flags/?v=2', { body })).status).toBe(200);
      expect((await call(server.url, 'POST', '/capture/', { body: { ...body, event: 'seen' } })).status).toBe(200);
    }
  });

  it('that are refused for another reason count, too', async () => {
    const key = await scopedKey(server, ['cohort:read']);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await get(key)).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  });
});

async function signIn(): Promise<{ cookie: string }> {
  const answer = await fetch(`${server.url}/api/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  });
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
}
