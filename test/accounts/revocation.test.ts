/** Revoked means revoked: what is open ends too, within a heartbeat of the stream. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { addMember, cookieOf, type TestMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A heartbeat is 15 s; the rest is for a busy machine. */
const WITHIN_MS = 25_000;

let server: TestServer;
let owner: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  owner = clientFor(server);
});
afterAll(() => server.close());

/** `ended` resolves to whether the stream ended in time. */
async function watch(headers: Record<string, string>): Promise<{ ended: Promise<boolean> }> {
  const abort = new AbortController();
  const response = await fetch(`${server.url}/api/projects/1/events/live/`, { headers, signal: abort.signal });
  expect(response.status).toBe(200);
  const read = async (): Promise<boolean> => {
    for await (const _ of response.body ?? []);
    return true;
  };
  const timer = setTimeout(() => abort.abort(), WITHIN_MS);
  const ended = read()
    .catch(() => false)
    .finally(() => clearTimeout(timer));
  return { ended };
}

const byKey = ({ personalKey }: TestMember) => ({ authorization: `Bearer ${personalKey}` });

describe('a live stream', () => {
  it('ends with the key, the session, the password, the membership and the account, and with nothing else', {
    timeout: 120_000,
  }, async () => {
    let i = 0;
    const person = (): Promise<TestMember> => addMember(server, `person-${i++}@example.org`);
    const [keyless, gone, signedOut, changed, inactive, staying] = [
      await person(),
      await person(),
      await person(),
      await person(),
      await person(),
      await person(),
    ];
    const { email, password } = changed;
    const second = cookieOf((await owner.post('/api/login/', { key: null, body: { email, password } })).headers);
    const streams = await Promise.all([
      watch(byKey(keyless)),
      watch(byKey(gone)),
      watch({ cookie: signedOut.cookie }),
      watch({ cookie: second }),
      watch(byKey(inactive)),
      watch({ cookie: changed.cookie }),
      watch(byKey(staying)),
    ]);

    const [key] = (await owner.get('/api/personal_api_keys/', { key: keyless.personalKey })).body;
    await owner.delete(`/api/personal_api_keys/${key.id}/`, { key: keyless.personalKey });
    await owner.delete(`/api/organizations/@current/members/${gone.uuid}/`);
    await owner.post('/api/logout/', { key: null, headers: { cookie: signedOut.cookie } });
    await owner.patch('/api/users/@me/', {
      key: null,
      headers: { cookie: changed.cookie },
      body: { password: 'another one entirely', current_password: password },
    });
    const user = await server.metadata.users.getByUuid(inactive.uuid);
    await server.metadata.users.update(user?.id ?? 0, { isActive: false });

    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual([true, true, true, true, true, false, false]);
  });
});
