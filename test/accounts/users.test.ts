import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeEach(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterEach(() => server.close());

describe('yourself', () => {
  it('is shown whole', async () => {
    const { status, body } = await client.get('/api/users/@me/');
    expect(status).toBe(200);
    const team = (await client.get('/api/projects/')).body.results[0];
    const organization = (await client.get('/api/organizations/@current/')).body;
    const { id, name, slug, membership_level } = organization;
    expect(body).toEqual({
      id: 1,
      date_joined: '2026-01-15T12:00:00Z',
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      distinct_id: expect.any(String),
      first_name: 'Owner',
      email: 'owner@cairn.invalid',
      email_opt_in: false,
      notification_settings: {},
      anonymize_data: false,
      toolbar_mode: null,
      has_password: false,
      is_staff: false,
      is_impersonated: false,
      team,
      organization,
      organizations: [{ id, name, slug, membership_level }],
      events_column_config: { active: 'DEFAULT' },
    });
    expect((await client.get(`/api/users/${body.uuid}/`)).body).toEqual(body);
  });

  it('changes name and address', async () => {
    const { body } = await client.patch('/api/users/@me/', { body: { first_name: ' Ada ', email: 'ADA@example.org' } });
    expect([body.first_name, body.email]).toEqual(['Ada', 'ada@example.org']);
    await addMember(server, 'grace@example.org');
    const taken = await client.patch('/api/users/@me/', { body: { email: 'Grace@example.org' } });
    expect([taken.status, taken.body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'unique',
        detail: 'There is already an account with this email address.',
        attr: 'email',
      },
    ]);
    expect((await client.get('/api/users/@me/')).body.email).toBe('ada@example.org');
  });

  it('changes the password only against the old one', async () => {
    const change = (body: object) => client.patch('/api/users/@me/', { body });
    expect((await change({ password: 'short' })).body).toMatchObject({ code: 'password_too_short', attr: 'password' });
    expect((await change({ password: 'first password' })).body.has_password).toBe(true);
    expect((await change({ password: 'second password' })).body).toMatchObject({
      code: 'required',
      attr: 'current_password',
    });
    expect((await change({ password: 'second password', current_password: 'wrong' })).body).toMatchObject({
      code: 'incorrect_password',
      attr: 'current_password',
    });
    expect((await change({ password: 'second password', current_password: 'first password' })).status).toBe(200);
    const signIn = (password: string) =>
      client.post('/api/login/', { key: null, body: { email: 'owner@cairn.invalid', password } });
    expect((await signIn('first password')).status).toBe(400);
    expect((await signIn('second password')).status).toBe(200);
  });

  it('ends the other sessions when the password changes', async () => {
    const ada = await addMember(server, 'ada@example.org');
    const me = (cookie: string) => client.get('/api/users/@me/', { key: null, headers: { cookie } });
    expect((await me(ada.cookie)).status).toBe(200);
    const body = { password: 'a new password', current_password: ada.password };
    expect((await client.patch('/api/users/@me/', { key: ada.personalKey, body })).status).toBe(200);
    expect((await me(ada.cookie)).status).toBe(401);
  });

  it('keeps the session that the password was changed in', async () => {
    const ada = await addMember(server, 'ada@example.org');
    const own = { key: null, headers: { cookie: ada.cookie } };
    const body = { password: 'a new password', current_password: ada.password };
    expect((await client.patch('/api/users/@me/', { ...own, body })).status).toBe(200);
    expect((await client.get('/api/users/@me/', own)).status).toBe(200);
  });
});

describe('personal keys', () => {
  const keys = '/api/personal_api_keys/';

  it('are shown once, listed newest first without their value, and removed', async () => {
    server.setNow('2026-01-15T12:30:00Z');
    const made = await client.post(keys, { body: { label: 'CI', scopes: ['*'] } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      label: 'CI',
      mask_value: `phx_...${made.body.value.slice(-4)}`,
      created_at: '2026-01-15T12:30:00Z',
      last_used_at: null,
      last_used_ip: null,
      last_rolled_at: null,
      user_id: 1,
      scopes: ['*'],
      scoped_teams: [],
      scoped_organizations: [],
      expires_at: null,
      value: expect.stringMatching(/^phx_[0-9A-Za-z]{43}$/),
    });
    const { value, ...shown } = made.body;
    const list = (await client.get(keys)).body;
    expect(list.map((key: { label: string }) => key.label)).toEqual(['CI', 'First start']);
    expect(list[0]).toEqual(shown);
    expect((await client.get(`${keys}${shown.id}/`)).body).toEqual(shown);
    expect((await client.get('/api/users/@me/', { key: value })).status).toBe(200);
    expect((await client.delete(`${keys}${shown.id}/`)).status).toBe(204);
    expect((await client.get('/api/users/@me/', { key: value })).status).toBe(401);
  });

  it('remember their last use, to the minute, and from where', async () => {
    const { id, value } = (await client.post(keys, { body: { label: 'CI', scopes: ['*'] } })).body;
    const shown = async () => (await client.get(`${keys}${id}/`)).body;
    const useAt = async (now: string): Promise<void> => {
      server.setNow(now);
      await client.get('/api/users/@me/', { key: value });
    };
    await useAt('2026-01-15T13:00:00Z');
    await expect.poll(shown).toMatchObject({ last_used_at: '2026-01-15T13:00:00Z', last_used_ip: '127.0.0.0/24' });
    await useAt('2026-01-15T13:00:59Z');
    await useAt('2026-01-15T13:01:00Z');
    await expect.poll(shown).toMatchObject({ last_used_at: '2026-01-15T13:01:00Z' });
  });

  it("belong to one user: another's look as if they did not exist", async () => {
    const ada = await addMember(server, 'ada@example.org', 8);
    const [own] = (await client.get(keys, { key: ada.personalKey })).body;
    expect((await client.get(`${keys}${own.id}/`)).status).toBe(404);
    expect((await client.delete(`${keys}${own.id}/`)).status).toBe(404);
    expect((await client.get(keys, { key: ada.personalKey })).body).toHaveLength(1);
  });
});
