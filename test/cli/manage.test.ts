/** Keys, projects and users from the shell: by a running server, and on a folder without one. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cairn, cairnJson, makeScratch } from '../support/cairn.ts';
import { call } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

const scratch = makeScratch();
let server: TestServer;
let at: string[];
beforeAll(async () => {
  server = await startServer();
  at = ['--data-dir', server.dataDir];
});
afterAll(async () => {
  await server.close();
  scratch.remove();
});

const me = async (key: string) => (await call(server.url, 'GET', '/api/users/@me/', { key })).status;

describe('with a running server', () => {
  it('makes, lists and revokes keys, which work and stop working at once', async () => {
    const email = (await cairnJson(['users', 'list', ...at]))[0].email;
    const { id, key } = await cairnJson(['keys', 'create', '--user', email, '--label', 'deploys', ...at]);
    expect(key).toMatch(/^phx_[0-9A-Za-z]{43}$/);
    expect(await me(key)).toBe(200);
    const listed = await cairn(['keys', 'list', ...at]);
    expect(listed.stdout).toMatch(
      new RegExp(`${id}  ${email}  deploys +\\* +2026-01-15T12:00:00  2026-01-15T12:00:00`),
    );
    expect(listed.stdout).not.toContain(key);
    const gone = await cairn(['keys', 'revoke', id, ...at]);
    expect([gone.code, gone.stdout]).toEqual([0, `Revoked the key "deploys" of ${email}.\n`]);
    expect(await me(key)).toBe(401);
  });

  it('makes keys that can do less than their user', async () => {
    const email = (await cairnJson(['users', 'list', ...at]))[0].email;
    const create = (...more: string[]) => ['keys', 'create', '--user', email, ...more, ...at];
    const limits = ['--scope', 'feature_flag:read', '--scope', 'query:read', '--project', '1', '--days', '30'];
    const { id, key } = await cairnJson(create(...limits));
    const status = async (method: string, path: string) =>
      (await call(server.url, method, path, { key, ...(method === 'POST' ? { body: { key: 'new' } } : {}) })).status;
    expect(await status('GET', '/api/projects/1/feature_flags/')).toBe(200);
    expect(await status('POST', '/api/projects/1/feature_flags/')).toBe(403);
    expect(await status('GET', '/api/projects/1/persons/')).toBe(403);
    const { body } = await call(server.url, 'GET', '/api/personal_api_keys/@current/', { key });
    expect(body).toMatchObject({
      id,
      scopes: ['feature_flag:read', 'query:read'],
      scoped_teams: [1],
      expires_at: '2026-02-14T12:00:00Z',
    });
    const wrong = await cairn(create('--scope', 'flags'));
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('There is no scope "flags".')]);
    const nowhere = await cairn(create('--project', '999'));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('999')]);
  });

  it('says in the audit log what was exported', async () => {
    expect((await cairn(['export', 'persons', '--project', '1', ...at])).code).toBe(0);
    expect((await cairn(['export', 'events', '--project', '1', ...at])).code).toBe(0);
    const audit = '/api/organizations/@current/audit/?activity=exported';
    const { body } = await call(server.url, 'GET', audit, { key: server.personalKey });
    expect(body.results.slice(0, 2).map((one: { scope: string; via: string }) => [one.scope, one.via])).toEqual([
      ['Event', 'operator'],
      ['Person', 'operator'],
    ]);
  });

  it('makes projects whose key takes events, changes the key and deletes', async () => {
    const made = await cairnJson(['projects', 'create', 'Shop', '--timezone', 'Europe/Berlin', ...at]);
    expect(made).toMatchObject({ name: 'Shop', timezone: 'Europe/Berlin', key: expect.stringMatching(/^phc_/) });
    const send = async (key: string) => {
      const body = { api_key: key, event: 'bought', distinct_id: 'ada' };
      return (await call(server.url, 'POST', '/capture/', { key: null, body })).status;
    };
    expect(await send(made.key)).toBe(200);
    const { key } = await cairnJson(['projects', 'reset-key', String(made.id), ...at]);
    expect([await send(made.key), await send(key)]).toEqual([401, 200]);
    const asked = await cairn(['projects', 'delete', String(made.id), ...at]);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Add --yes to confirm.')]);
    expect((await cairn(['projects', 'delete', String(made.id), '--yes', ...at])).stdout).toBe(
      `Deleted project ${made.id} "Shop".\n`,
    );
    expect((await cairnJson(['projects', 'list', ...at])).map(({ id }: { id: number }) => id)).toEqual([1]);
  });

  it('makes users, resets passwords, and shuts people out', async () => {
    const signIn = async (password: string) => {
      const body = { email: 'grace@example.org', password };
      return (await call(server.url, 'POST', '/api/login/', { key: null, body })).status;
    };
    const made = await cairnJson(['users', 'create', 'Grace@example.org', '--level', 'admin', ...at]);
    expect(made.email).toBe('grace@example.org');
    expect(await signIn(made.password)).toBe(200);
    const { key } = await cairnJson(['keys', 'create', '--user', 'grace@example.org', ...at]);
    const changed = await cairnJson(['users', 'reset-password', 'grace@example.org', '--password-stdin', ...at], {
      input: 'nine lives\n',
    });
    expect(changed.password).toBeNull();
    expect([await signIn(made.password), await signIn('nine lives')]).toEqual([400, 200]);
    expect(await cairnJson(['users', 'revoke', 'grace@example.org', ...at])).toEqual({
      email: 'grace@example.org',
      is_active: false,
      revoked_keys: 1,
    });
    expect([await signIn('nine lives'), await me(key)]).toEqual([400, 401]);
    await cairn(['users', 'activate', 'grace@example.org', ...at]);
    expect([await signIn('nine lives'), await me(key)]).toEqual([200, 401]);
    expect((await cairn(['users', 'list', ...at])).stdout).toMatch(/grace@example\.org +grace +admin +active +0 /i);
  });

  it('removes the second factors of whoever lost theirs, and ends their sessions', async () => {
    const linus = await addMember(server, 'linus@example.org');
    const as = { key: null, headers: { cookie: linus.cookie } };
    const at2fa = '/api/users/@me/two_factor_';
    const { secret } = (await call(server.url, 'GET', `${at2fa}start_setup/`, as)).body;
    const token = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.parse(START) });
    expect((await call(server.url, 'POST', `${at2fa}validate/`, { ...as, body: { token } })).status).toBe(200);
    const signIn = () =>
      call(server.url, 'POST', '/api/login/', { key: null, body: { email: linus.email, password: linus.password } });
    expect((await signIn()).body).toMatchObject({ code: '2fa_required' });
    const { code, stdout, stderr } = await cairn(['users', '2fa-off', 'Linus@example.org', ...at]);
    expect(stderr).toBe('');
    expect([code, stdout]).toEqual([0, 'Removed all second factors of linus@example.org and ended their sessions.\n']);
    expect((await call(server.url, 'GET', '/api/users/@me/', as)).status).toBe(401);
    expect((await signIn()).status).toBe(200);
    const unknown = await cairn(['users', '2fa-off', 'nobody@example.org', ...at]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('nobody@example.org')]);
  });

  it('invites people, and adds no account by its address', async () => {
    const { link } = await cairnJson(['users', 'invite', 'Joan@example.org', '--level', 'admin', ...at]);
    const [, id, token] = /\/invite\/([^#]+)#token=(\w{43})$/.exec(link) ?? [];
    const body = { token, password: 'enigma no more' };
    expect((await call(server.url, 'POST', `/api/signup/${id}/`, { key: null, body })).status).toBe(200);
    const early = await cairn(['users', 'break-glass', 'grace@example.org', ...at]);
    expect(early.stderr).toMatch(/grace@example\.org needs to be an owner, and a second factor .* first\./);
    const again = await cairn(['users', 'create', 'joan@example.org', ...at]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('joan@example.org has an account already. Invite them');
    expect(await cairnJson(['users', 'set-email', 'joan@example.org', 'clarke@example.org', ...at])).toEqual({
      email: 'clarke@example.org',
    });
    const taken = await cairn(['users', 'set-email', 'clarke@example.org', 'grace@example.org', ...at]);
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('already an account')]);
  });

  it('refuses passwords that anybody would guess', async () => {
    const { code, stderr } = await cairn(['users', 'reset-password', 'grace@example.org', '--password-stdin', ...at], {
      input: 'password123\n',
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('too common')]);
  });

  it('takes commands only from the owner of the folder', () => {
    expect(statSync(join(server.dataDir, 'control')).mode & 0o777).toBe(0o700);
  });
});

describe('on a folder without a server', () => {
  it('refuses one without data, and makes none of it', async () => {
    const folder = scratch.path('empty');
    const { code, stdout, stderr } = await cairn(['keys', 'list', '--data-dir', folder]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`There is no Cairn data in ${folder}. Set --data-dir or DATA_DIR`);
    expect(existsSync(folder)).toBe(false);
  });

  it('begins an installation where something is made, and shows its keys', async () => {
    const folder = scratch.path('fresh');
    const env = { DATA_DIR: folder };
    const { code, stdout, stderr } = await cairn(['users', 'create', 'ada@example.org', '--level', 'owner'], { env });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Created ada@example.org \(owner\)\.\nPassword/)]);
    expect(stderr).toMatch(/Project key +phc_.*\n +Personal key +phx_/);
    const [, ada] = await cairnJson(['users', 'list'], { env });
    expect(ada).toMatchObject({ email: 'ada@example.org', has_password: true, memberships: [{ level: 'owner' }] });
  });
});

describe('a wrong command line', () => {
  it.each([
    [['frobnicate'], 'There is no command "frobnicate".'],
    [['keys'], 'Choose one of: list, create, revoke.'],
    [['keys', 'list', '--colour'], "Unknown option '--colour'"],
    [['keys', 'revoke'], 'ID is missing.'],
    [['users', 'create', 'ada'], '"ada" is not an email address.'],
    [
      ['users', 'create', 'ada@example.org', '--level', 'king'],
      '--level must be one of member, admin, owner, not "king".',
    ],
    [['export', 'events', '--from', 'yesterday'], '--from must be a time such as 2026-01-31'],
    [['export', 'events', '--format', 'parquet'], 'Parquet needs --out FILE'],
    [['flags', 'eval', 'beta'], '--user is missing.'],
  ])('%j ends with 2 and says: %s', async (args, words) => {
    const { code, stdout, stderr } = await cairn(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  it('asks for help by name, and every command has some', async () => {
    const { code, stdout } = await cairn([]);
    const names = [...stdout.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name = '']) => name);
    expect([code, names]).toEqual([
      0,
      [
        'keys',
        'projects',
        'users',
        'backup',
        'restore',
        'recover',
        'export',
        'import',
        'move',
        'flags',
        'annotate',
        'sql',
        'geoip',
        'doctor',
        'demo',
      ],
    ]);
    for (const name of ['backup', 'flags']) {
      expect((await cairn(['help', name])).stdout).toContain(`cairn ${name}`);
      expect((await cairn([name, '--help'])).stdout).toContain(`cairn ${name}`);
    }
  });

  it('says which setting is wrong', async () => {
    const { code, stderr } = await cairn(['users', 'list'], { env: { PORT: 'http' } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('PORT was given "http"; allowed: a whole number')]);
  });
});
