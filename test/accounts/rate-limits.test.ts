/** The limits of sign-in routes that other tests of accounts do not reach: each is counted before anything is looked up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { addMember, cookieOf, type TestMember } from '../support/people.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

const OWNER = { email: 'ada@example.org', password: 'correct horse' };
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let mail: MailServer;
let server: TestServer;
let client: ReturnType<typeof clientFor>;
let grace: TestMember;

beforeAll(async () => {
  mail = await startMailServer();
  server = await startServer({
    config: {
      ...mail.config,
      publicUrl: 'https://cairn.example.org',
      initAdminEmail: OWNER.email,
      initAdminPassword: OWNER.password,
    },
  });
  client = clientFor(server);
  grace = await addMember(server, 'grace@example.org');
});
afterAll(async () => {
  await server.close();
  await mail.close();
});

let now = Date.parse(START);
const wait = (ms: number): void => {
  now += ms;
  server.setNow(new Date(now).toISOString());
};

interface Answer {
  status: number;
  body: unknown;
  headers: Headers;
}

/** One after the other, as a guesser would with the answer of the last. */
async function statusesOf(count: number, request: (n: number) => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await request(n)).status);
  return statuses;
}

describe('in a minute, five attempts are taken', () => {
  const public_ = (path: string, body: unknown) => client.post(path, { key: null, body });

  it.each<[string, (n: number) => Promise<Answer>, number]>([
    ['to sign in with a password', (n) => public_('/api/login/', { ...OWNER, password: `wrong ${n}` }), 400],
    [
      'to sign in with a passkey',
      (n) => public_('/api/webauthn/login/complete', { credential: { id: `passkey-${n}` } }),
      400,
    ],
    [
      'to choose a password by a link',
      (n) => public_(`/api/reset/${grace.uuid}/`, { token: `guess ${n}`, password: 'chosen by a stranger' }),
      400,
    ],
    [
      'to change a password with the current one',
      (n) =>
        client.patch('/api/users/@me/', {
          body: { password: 'chosen by a stranger', current_password: `guess ${n}` },
        }),
      400,
    ],
  ])('%s', async (_name, request, refused) => {
    wait(2 * MINUTE_MS);
    const statuses = await statusesOf(7, request);
    expect(statuses).toEqual([...Array(5).fill(refused), 429, 429]);
    wait(30_000);
    const { status, headers } = await request(8);
    expect([status, headers.get('retry-after')]).toEqual([429, '30']);
    wait(MINUTE_MS);
    expect((await request(9)).status).toBe(refused);
  });

  it('to sign in with the right password, too, and other accounts are not held up', async () => {
    wait(2 * MINUTE_MS);
    await statusesOf(5, () => public_('/api/login/', { ...OWNER, password: 'wrong' }));
    expect((await public_('/api/login/', OWNER)).status).toBe(429);
    expect((await public_('/api/login/', { email: grace.email, password: grace.password })).status).toBe(200);
  });
});

describe('in a day', () => {
  it('an organization sends a hundred invitations, one by one or together', async () => {
    wait(DAY_MS);
    const invites = '/api/organizations/@current/invites/';
    const bulk = (from: number) =>
      client.post(`${invites}bulk/`, {
        body: Array.from({ length: 20 }, (_, n) => ({ target_email: `guest${from + n}@example.org` })),
      });
    for (const from of [0, 20, 40, 60]) expect((await bulk(from)).status).toBe(201);
    for (let n = 80; n < 100; n++) {
      const { status } = await client.post(invites, { body: { target_email: `guest${n}@example.org` } });
      expect(status).toBe(201);
    }
    const refused = await client.post(invites, { body: { target_email: 'guest100@example.org' } });
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, DAY_MS / 1000]);
    const listed = await client.get(`${invites}?limit=1000`);
    expect(listed.body.results.map((one: { target_email: string }) => one.target_email)).not.toContain(
      'guest100@example.org',
    );
    expect(listed.body.count).toBe(100);
    wait(DAY_MS);
    expect((await client.post(invites, { body: { target_email: 'guest100@example.org' } })).status).toBe(201);
  });
});

describe('a session that is throttled', () => {
  it('still reads, and signs out', async () => {
    wait(2 * MINUTE_MS);
    const { headers } = await client.post('/api/login/', { key: null, body: OWNER });
    const as = { key: null, headers: { cookie: cookieOf(headers) } };
    const guess = (n: number) =>
      client.patch('/api/users/@me/', { ...as, body: { password: 'another one', current_password: `guess ${n}` } });
    expect((await statusesOf(6, guess)).at(-1)).toBe(429);
    expect((await client.get('/api/users/@me/', as)).status).toBe(200);
    expect((await client.post('/api/logout/', as)).status).toBe(204);
  });
});
