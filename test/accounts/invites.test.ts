/** Accounts belong to people: nobody joins an organization without the link and the account's own password. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, clientFor } from '../support/client.ts';
import { addMember, cookieOf, invite, type TestMember } from '../support/people.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let foreign: TestProject;
let strangers: { url: string; personalKey: string };
let admin: TestMember;
const invites = '/api/organizations/@current/invites/';
const PASSWORD = 'chosen by myself';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  foreign = await server.createProject({ foreign: true });
  strangers = { url: server.url, personalKey: foreign.personalKey };
  admin = await addMember(server, 'admin@example.org', 8);
});
afterAll(() => server.close());

const accept = (path: string, body: object, cookie?: string): Promise<Answer> =>
  client.post(path, { key: null, body, ...(cookie === undefined ? {} : { headers: { cookie } }) });
const signIn = (email: string, password: string) =>
  client.post('/api/login/', { key: null, body: { email, password } });
const organizationsOf = async (cookie: string): Promise<string[]> =>
  (await client.get('/api/users/@me/', { key: null, headers: { cookie } })).body.organizations.map(
    ({ name }: { name: string }) => name,
  );
/** Lets the limits of sign-ins pass. */
let minutes = 0;
const later = (): void => server.setNow(new Date(Date.parse(START) + ++minutes * 61_000).toISOString());

describe('an invitation', () => {
  it('gives a link whose token is in the fragment, and shows it only once', async () => {
    const made = await client.post(invites, { body: { target_email: 'New@Example.org', first_name: 'Ada', level: 8 } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      target_email: 'new@example.org',
      first_name: 'Ada',
      level: 8,
      is_expired: false,
      emailing_attempt_made: false,
      created_by: { email: 'owner@cairn.invalid' },
    });
    const { id, link } = made.body;
    expect(link).toMatch(new RegExp(`^${server.url}/invite/${id}#token=[0-9A-Za-z]{43}$`));
    const listed = (await client.get(invites)).body.results;
    expect(listed.map((one: { id: string }) => one.id)).toContain(id);
    expect(JSON.stringify(listed)).not.toContain(link.split('#token=')[1]);
    expect((await client.delete(`${invites}${id}/`)).status).toBe(204);
    expect((await client.delete(`${invites}${id}/`)).status).toBe(404);
  });

  it('says the same of an address with an account elsewhere and of one without', async () => {
    const joined = await invite(strangers, { target_email: 'known@example.org' });
    expect((await accept(joined.path, { token: joined.token, password: PASSWORD })).status).toBe(200);
    const [known, unknown] = await Promise.all(
      ['known@example.org', 'unknown@example.org'].map((target_email) =>
        client.post(invites, { body: { target_email } }),
      ),
    );
    const shape = ({ body: { id: _, link: __, ...rest }, status }: Answer) => [status, rest];
    const expected = JSON.stringify(shape(known as Answer)).replaceAll('known@', 'unknown@');
    expect(JSON.stringify(shape(unknown as Answer))).toBe(expected);
  });

  it('lets a new person choose their own password', async () => {
    const made = await invite(server, { target_email: 'grace@example.org', first_name: 'Grace' });
    const preview = await client.get(made.path, { key: null, headers: { 'x-invite-token': made.token } });
    expect([preview.status, preview.body]).toEqual([
      200,
      {
        id: made.id,
        target_email: 'g***@example.org',
        first_name: 'Grace',
        organization_name: 'My organization',
        is_signed_in: false,
      },
    ]);
    const without = await accept(made.path, { token: made.token });
    expect([without.status, without.body.attr, without.body.code]).toEqual([400, 'password', 'required']);
    const weak = await accept(made.path, { token: made.token, password: 'grace@example.org' });
    expect([weak.status, weak.body.code]).toEqual([400, 'password_too_similar']);
    const joined = await accept(made.path, { token: made.token, password: PASSWORD });
    expect([joined.status, joined.body.user.email]).toEqual([200, 'grace@example.org']);
    expect(await organizationsOf(cookieOf(joined.headers))).toEqual(['My organization']);
    expect((await signIn('grace@example.org', PASSWORD)).status).toBe(200);
  });

  it('works once, also when it is opened twice at the same time', async () => {
    later();
    const made = await invite(server, { target_email: 'twice@example.org' });
    const body = { token: made.token, password: PASSWORD };
    const answers = await Promise.all([accept(made.path, body), accept(made.path, body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const again = await accept(made.path, body);
    expect([again.status, again.body.code]).toEqual([400, 'invalid_token']);
  });

  it('looks the same when it is used, withdrawn, expired, replaced or invented', async () => {
    later();
    const withdrawn = await invite(server, { target_email: 'withdrawn@example.org' });
    await client.delete(`${invites}${withdrawn.id}/`);
    const replaced = await invite(server, { target_email: 'replaced@example.org' });
    const newer = await invite(server, { target_email: 'replaced@example.org' });
    const invented = { path: `/api/signup/${newer.id}/`, token: 'invented' };
    const unknown = { path: '/api/signup/nothing/', token: 'x' };
    const answers = [];
    for (const { path, token } of [withdrawn, replaced, invented, unknown]) {
      answers.push(await accept(path, { token, password: PASSWORD }));
      answers.push(await client.get(path, { key: null, headers: { 'x-invite-token': token } }));
    }
    answers.push(await client.get(newer.path, { key: null }));
    const was = server;
    was.setNow(new Date(Date.parse(START) + 4 * 86_400_000).toISOString());
    answers.push(await accept(newer.path, { token: newer.token, password: PASSWORD }));
    later();
    for (const { status, body } of answers) expect([status, body]).toEqual([400, answers[0]?.body]);
    expect(answers[0]?.body).toMatchObject({ code: 'invalid_token', attr: 'token' });
  });

  it('never grants more than the inviting admin has, and ends with their own access', async () => {
    later();
    const asAdmin = { url: server.url, personalKey: admin.personalKey };
    const tooHigh = await client.post(invites, {
      key: admin.personalKey,
      body: { target_email: 'x@example.org', level: 15 },
    });
    expect(tooHigh.status).toBe(403);
    const mine = await invite(asAdmin, { target_email: 'back-door@example.org', level: 8 });
    await client.delete(`/api/organizations/@current/members/${admin.uuid}/`);
    const late = await accept(mine.path, { token: mine.token, password: PASSWORD });
    expect([late.status, late.body.code]).toEqual([400, 'invalid_token']);
  });

  it('is for admins only', async () => {
    later();
    const member = await addMember(server, 'plain@example.org');
    const asMember = { key: member.personalKey };
    expect((await client.get(invites, asMember)).status).toBe(403);
    expect((await client.post(invites, { ...asMember, body: { target_email: 'x@example.org' } })).status).toBe(403);
    const other = await invite(strangers, { target_email: 'theirs@example.org' });
    expect((await client.delete(`${invites}${other.id}/`)).status).toBe(404);
  });
});

describe('an address that somebody else registered', () => {
  it('does not let them into an organization that invites the real person', async () => {
    later();
    // The attacker invites the victim's address to their own organization, and uses the link themselves.
    const trap = await invite(strangers, { target_email: 'victim@corp.example' });
    const squatted = await accept(trap.path, { token: trap.token, password: 'known to the attacker' });
    const cookie = cookieOf(squatted.headers);
    expect(await organizationsOf(cookie)).toEqual(['Strangers']);

    const real = await invite(server, { target_email: 'victim@corp.example' });
    expect(await organizationsOf(cookie)).toEqual(['Strangers']);
    const guess = await accept(real.path, { token: trap.token }, cookie);
    expect([guess.status, guess.body.code]).toEqual([400, 'invalid_token']);
    // And the victim, who has the link, cannot be signed in to the attacker's account unknowingly.
    const victim = await accept(real.path, { token: real.token, password: 'the victim’s own' });
    expect([victim.status, victim.body.code]).toEqual([400, 'invalid_credentials']);
    expect(await organizationsOf(cookie)).toEqual(['Strangers']);
  });
});

describe('an account that exists', () => {
  it('joins with its own session, or its own password', async () => {
    later();
    const first = await invite(strangers, { target_email: 'both@example.org' });
    const account = await accept(first.path, { token: first.token, password: PASSWORD });
    const cookie = cookieOf(account.headers);
    const second = await invite(server, { target_email: 'both@example.org' });
    const preview = await client.get(second.path, { key: null, headers: { cookie, 'x-invite-token': second.token } });
    expect(preview.body.is_signed_in).toBe(true);
    const elsewhere = await accept(second.path, { token: second.token }, admin.cookie);
    expect([elsewhere.status, elsewhere.body.attr]).toEqual([400, 'password']);
    const joined = await accept(second.path, { token: second.token }, cookie);
    expect([joined.status, joined.body.user.email]).toEqual([200, 'both@example.org']);
    expect((await organizationsOf(cookie)).sort()).toEqual(['My organization', 'Strangers']);
    expect((await signIn('both@example.org', PASSWORD)).status).toBe(200);
  });

  it('is not open to guesses through an invitation', async () => {
    later();
    const made = await invite(server, { target_email: 'known@example.org' });
    const attempts = [];
    for (let i = 0; i < 6; i++)
      attempts.push(await accept(made.path, { token: made.token, password: `guess number ${i}` }));
    expect(attempts.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 429]);
  });

  it('is not touched by another organization: members cannot be added by address', async () => {
    const { status } = await client.post('/api/organizations/@current/members/', {
      body: { email: 'known@example.org', password: 'known to the admin' },
    });
    expect(status).toBe(405);
  });

  it('cannot find out by changing its address whether others exist', async () => {
    later();
    const plain = clientFor({ url: server.url, personalKey: foreign.personalKey });
    const [known, unknown] = await Promise.all(
      ['known@example.org', 'nobody-at-all@example.org'].map((email) =>
        plain.patch('/api/users/@me/', { body: { email } }),
      ),
    );
    expect([known?.status, known?.body]).toEqual([400, unknown?.body]);
    expect(known?.body).toMatchObject({ code: 'operator_required', attr: 'email' });
  });
});
