import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, configHelp, defaultConfig, type Environment, readConfig, settingsHelp } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'cairn-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(text: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  return path;
}

function problemsOf(env: Environment): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('defaults', () => {
  it('needs nothing to be set', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8000,
      dataDir: resolve('./data'),
      publicUrl: null,
      databaseUrl: null,
      databasePoolSize: 10,
      clickhouseUrl: null,
      clickhouseSqlUrl: null,
      clickhouseCluster: null,
      clickhouseOptions: {},
      logPartitions: 16,
      role: 'all',
      upstreamUrl: null,
      upstreamKey: null,
      relayFallthrough: 'ask',
      initProjectApiKey: null,
      initPersonalApiKey: null,
      initAdminEmail: null,
      initAdminPassword: null,
      logLevel: 'info',
      trustProxy: false,
      monitoringPublic: false,
      maxBodyBytes: 20 * 1024 * 1024,
      maxApiBodyBytes: 2 * 1024 * 1024,
      maxFlagsBodyBytes: 256 * 1024,
      maxUnpackingRatio: 100,
      maxBodyValues: 1_000_000,
      maxBatchEvents: 20_000,
      maxEventBytes: 1024 * 1024,
      maxEventKeys: 10_000,
      bodyMemoryMb: 40,
      requestTimeoutSeconds: 120,
      ingestLogMaxBytes: 2 * 1024 ** 3,
      maxEventNames: 10_000,
      maxPropertyNames: 50_000,
      apiRequestsPerMinute: 1200,
      eventsPerSecond: null,
      maxLiveStreams: 200,
      maxStreams: 20_000,
      maxStreamsPerNetwork: 200,
      eventsRetentionDays: null,
      auditDays: 365,
      eventsMemoryMb: 512,
      deduplicationMemoryMb: 128,
      queryTimeoutSeconds: 60,
      sqlTimeoutSeconds: 30,
      sqlMemoryMb: 512,
      sqlStaleSeconds: 60,
      sqlCopyMaxGb: 20,
      sqlPort: null,
      sqlTlsCert: null,
      sqlTlsKey: null,
      sessionDays: 14,
      eraseAfterSeconds: 10,
      webhookAllowPrivate: false,
      exportDir: null,
      exportAllowPrivate: false,
      geoipFile: null,
      secretKey: null,
      smtpUrl: null,
      smtpFrom: null,
      mailAtLeastOnce: false,
      oidcIssuer: null,
      oidcClientId: null,
      oidcClientSecret: null,
      oidcScopes: 'openid email profile',
      oidcName: 'single sign-on',
      oidcPrompt: null,
      oidcDomains: null,
      oidcAutoJoin: null,
      oidcGroupsClaim: 'groups',
      oidcRoleMap: {},
      oidcRequireGroup: false,
      oidcTrustMfa: false,
      oidcKeysMaxIdleDays: null,
      dnsServer: null,
      faults: false,
      clockAheadMs: 0,
    });
    expect(defaultConfig()).toEqual(readConfig({}));
  });

  it('takes an empty variable for an unset one, as compose files write it', () => {
    const empty = Object.fromEntries(settingsHelp().map(({ env }) => [env, '']));
    expect(readConfig(empty)).toEqual(defaultConfig());
  });
});

describe('values that are taken', () => {
  const PASSWORDED = { INIT_ADMIN_EMAIL: 'ada@example.org', INIT_ADMIN_PASSWORD: 'eight888' };
  it.each([
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['DATA_DIR', 'some/where', { dataDir: resolve('some/where') }],
    ['PUBLIC_URL', 'https://cairn.example.org/', { publicUrl: 'https://cairn.example.org' }],
    ['ROLE', 'all', { role: 'all' }],
    ['INIT_PROJECT_API_KEY', 'phc_0123456789', { initProjectApiKey: 'phc_0123456789' }],
    ['INIT_PERSONAL_API_KEY', 'phx_0123456789', { initPersonalApiKey: 'phx_0123456789' }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['TRUST_PROXY', 'true', { trustProxy: true }],
    ['TRUST_PROXY', 'false', { trustProxy: false }],
    ['TRUST_PROXY', '2', { trustProxy: 2 }],
    ['TRUST_PROXY', '10.0.0.0/8, ::1', { trustProxy: '10.0.0.0/8, ::1' }],
    ['MAX_BODY_BYTES', '1024', { maxBodyBytes: 1024 }],
    ['INGEST_LOG_MAX_BYTES', '1048576', { ingestLogMaxBytes: 1_048_576 }],
    ['EVENTS_RETENTION_DAYS', '90', { eventsRetentionDays: 90 }],
    ['EVENTS_MEMORY_MB', '64', { eventsMemoryMb: 64 }],
    ['SESSION_DAYS', '365', { sessionDays: 365 }],
  ])('%s=%s', (env, given, expected) => {
    expect(readConfig({ [env]: given })).toEqual({ ...defaultConfig(), ...expected });
  });

  it('keeps the e-mail of the first user in lower case, and the password as it is', () => {
    expect(readConfig({ ...PASSWORDED, INIT_ADMIN_EMAIL: 'Ada@Example.ORG' })).toMatchObject({
      initAdminEmail: 'ada@example.org',
      initAdminPassword: 'eight888',
    });
  });
});

describe('many machines', () => {
  const BOTH = { DATABASE_URL: 'postgres://db/cairn', CLICKHOUSE_URL: 'http://ch:8123/cairn' };

  it('takes both addresses, a cluster and a role', () => {
    const given = { ...BOTH, CLICKHOUSE_CLUSTER: 'main', ROLE: 'worker', LOG_PARTITIONS: '64' };
    expect(readConfig(given)).toEqual({
      ...defaultConfig(),
      databaseUrl: 'postgres://db/cairn',
      clickhouseUrl: 'http://ch:8123/cairn',
      clickhouseCluster: 'main',
      role: 'worker',
      logPartitions: 64,
    });
  });

  const TOGETHER =
    'DATABASE_URL and CLICKHOUSE_URL go together: set both for a cluster, neither to store data in DATA_DIR.';
  it.each([
    [{ DATABASE_URL: BOTH.DATABASE_URL }, [TOGETHER]],
    [{ CLICKHOUSE_URL: BOTH.CLICKHOUSE_URL, ROLE: 'web' }, [TOGETHER]],
    [{ ROLE: 'web' }, ['ROLE web needs DATABASE_URL and CLICKHOUSE_URL; without them, ROLE must be all.']],
    [{ CLICKHOUSE_CLUSTER: 'main' }, ['CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL.']],
  ])('%j does not start, and says what to do', (given, problems) => {
    expect(problemsOf(given)).toEqual(problems);
  });
});

describe('values that stop the start', () => {
  const KEY = (prefix: string) => `${prefix} followed by letters and digits, 10 to 64 characters in all`;
  const PROXIES = 'true, false, a number of hops, or a list of addresses';
  it.each([
    ['PORT', '65536', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['PORT', '80a', 'a whole number from 0 to 65535'],
    ['PORT', '8e3', 'a whole number from 0 to 65535'],
    ['PUBLIC_URL', 'cairn.example.org', 'a URL that starts with http:// or https://'],
    ['PUBLIC_URL', 'ftp://cairn.example.org', 'a URL that starts with http:// or https://'],
    ['ROLE', 'shipper', 'one of all, web, worker, relay'],
    ['LOG_PARTITIONS', '12', 'a power of two from 1 to 1024'],
    ['LOG_PARTITIONS', '2048', 'a whole number from 1 to 1024'],
    ['INIT_ADMIN_EMAIL', 'ada', 'an email address such as ada@example.org'],
    ['INIT_ADMIN_EMAIL', 'ada@localhost', 'an email address such as ada@example.org'],
    ['LOG_LEVEL', 'loud', 'one of fatal, error, warn, info, debug, trace, silent'],
    ['TRUST_PROXY', 'yes', PROXIES],
    ['TRUST_PROXY', 'abc', PROXIES],
    ['TRUST_PROXY', '10.0.0.0/99', PROXIES],
    ['MAX_BODY_BYTES', '1023', 'a whole number from 1024 to 1073741824'],
    ['INGEST_LOG_MAX_BYTES', '1', 'a whole number from 1048576 to 9007199254740991'],
    ['EVENTS_RETENTION_DAYS', '0', 'a whole number from 1 to 36500'],
    ['EVENTS_MEMORY_MB', '63', 'a whole number from 64 to 1048576'],
    ['SESSION_DAYS', '366', 'a whole number from 1 to 365'],
  ])('%s=%s is named with what was given and what is allowed', (env, given, allowed) => {
    expect(problemsOf({ [env]: given })).toEqual([`${env} was given ${JSON.stringify(given)}; allowed: ${allowed}.`]);
  });

  it.each([
    ['DATABASE_URL', 'mysql://cairn:hunter22@db/cairn', 'a URL that starts with postgres:// or postgresql://'],
    ['CLICKHOUSE_URL', 'clickhouse://hunter22@ch:8123', 'a URL that starts with http:// or https://'],
    ['INIT_PROJECT_API_KEY', 'hunter22', KEY('phc_')],
    ['INIT_PROJECT_API_KEY', 'phc_has a space', KEY('phc_')],
    ['INIT_PERSONAL_API_KEY', 'phc_hunter22hunter22', KEY('phx_')],
    ['INIT_ADMIN_PASSWORD', 'hunter2', 'at least 8 characters'],
  ])('%s is named, and its value is not shown', (env, given, allowed) => {
    expect(problemsOf({ [env]: given })).toEqual([`${env} was given a value (not shown); allowed: ${allowed}.`]);
    expect(problemsOf({ [`${env}_FILE`]: fileWith(given) })).toEqual(problemsOf({ [env]: given }));
  });

  it('tells everything that is wrong at once', () => {
    expect(problemsOf({ PORT: 'x', LOG_LEVEL: 'y' })).toHaveLength(2);
  });

  it('wants an e-mail and a password together', () => {
    const half = ['INIT_ADMIN_EMAIL and INIT_ADMIN_PASSWORD go together: set both or neither.'];
    expect(problemsOf({ INIT_ADMIN_EMAIL: 'ada@example.org' })).toEqual(half);
    expect(problemsOf({ INIT_ADMIN_PASSWORD: 'eight888' })).toEqual(half);
  });
});

describe('secrets in files', () => {
  it('reads the file without the line break at its end', () => {
    const config = readConfig({ INIT_PERSONAL_API_KEY_FILE: fileWith('phx_0123456789\n') });
    expect(config.initPersonalApiKey).toBe('phx_0123456789');
  });

  it('prefers the variable itself', () => {
    const env = { INIT_PROJECT_API_KEY: 'phc_0123456789', INIT_PROJECT_API_KEY_FILE: '/does/not/exist' };
    expect(readConfig(env).initProjectApiKey).toBe('phc_0123456789');
  });

  it('says which variable names a file that cannot be read', () => {
    const [problem] = problemsOf({ INIT_PROJECT_API_KEY_FILE: '/does/not/exist' });
    expect(problem).toMatch(/^INIT_PROJECT_API_KEY_FILE names a file that cannot be read: ENOENT/);
  });

  it('is only for secrets', () => {
    expect(readConfig({ PORT_FILE: fileWith('1') }).port).toBe(8000);
  });
});

describe('help', () => {
  it('lists every setting with its default', () => {
    const help = configHelp();
    // All but those for tests of Cairn itself.
    expect(settingsHelp()).toHaveLength(Object.keys(defaultConfig()).length - 4);
    for (const { env, defaultText, help: line } of settingsHelp()) {
      expect(help).toContain(`  ${env.padEnd(24)}${line}\n`);
      expect(help).toContain(`Default: ${defaultText ?? 'unset'}`);
    }
  });

  it.each([
    [{ SMTP_URL: 'smtp://mail' }, 'SMTP_URL and SMTP_FROM go together'],
    [{ SMTP_FROM: 'cairn@example.org' }, 'SMTP_URL and SMTP_FROM go together'],
    [{ SMTP_URL: 'smtp://mail', SMTP_FROM: 'cairn@example.org' }, 'SMTP_URL needs PUBLIC_URL'],
    [{ SMTP_URL: 'smtp://mail', SMTP_FROM: 'Cairn', PUBLIC_URL: 'https://c.example.org' }, 'SMTP_FROM'],
  ])('refuses mail settings that cannot work: %o', (env, problem) => {
    expect(() => readConfig(env)).toThrow(problem);
  });

  it('names the file variant of each secret, and of nothing else', () => {
    const withFile = settingsHelp().filter(({ env, help }) => help.includes(`${env}_FILE`));
    expect(withFile.map(({ env }) => env)).toEqual([
      'DATABASE_URL',
      'CLICKHOUSE_URL',
      'CLICKHOUSE_SQL_URL',
      'UPSTREAM_KEY',
      'INIT_PROJECT_API_KEY',
      'INIT_PERSONAL_API_KEY',
      'INIT_ADMIN_PASSWORD',
      'SQL_TLS_CERT',
      'SQL_TLS_KEY',
      'SECRET_KEY',
      'SMTP_URL',
      'OIDC_CLIENT_SECRET',
    ]);
  });
});

describe('a relay', () => {
  it('needs a server and a key, and nothing of a cluster', () => {
    const upstream = { UPSTREAM_URL: 'https://cairn.example.org/', UPSTREAM_KEY: 'phs_0123456789' };
    expect(readConfig({ ROLE: 'relay', ...upstream })).toMatchObject({
      role: 'relay',
      upstreamUrl: 'https://cairn.example.org',
      relayFallthrough: 'ask',
    });
    expect(() => readConfig({ ROLE: 'relay', UPSTREAM_KEY: upstream.UPSTREAM_KEY })).toThrow('UPSTREAM_URL');
    expect(() => readConfig({ ...upstream, UPSTREAM_KEY: 'phc_0123456789' })).toThrow('phs_');
  });
});

describe('single sign-on', () => {
  const set = {
    OIDC_ISSUER: 'https://login.example.org/realms/a',
    OIDC_CLIENT_ID: 'cairn',
    PUBLIC_URL: 'https://c.org',
  };

  it('reads domains and groups', () => {
    const env = {
      ...set,
      OIDC_DOMAINS: 'Example.org, example.com',
      OIDC_ROLE_MAP: '{"admins": {"level": "admin"}, "growth": {"roles": ["Growth"], "organization": "x"}}',
      OIDC_REQUIRE_GROUP: 'true',
    };
    expect(readConfig(env)).toMatchObject({
      oidcIssuer: 'https://login.example.org/realms/a',
      oidcDomains: ['example.org', 'example.com'],
      oidcRoleMap: { admins: { level: 'admin' }, growth: { roles: ['Growth'], organization: 'x' } },
    });
  });

  it.each([
    [{ ...set, PUBLIC_URL: '' }, /OIDC_ISSUER needs PUBLIC_URL/],
    [{ ...set, OIDC_CLIENT_ID: '' }, /OIDC_ISSUER needs OIDC_CLIENT_ID/],
    [{ OIDC_CLIENT_ID: 'cairn' }, /OIDC_CLIENT_ID needs OIDC_ISSUER/],
    [{ ...set, OIDC_REQUIRE_GROUP: 'true' }, /OIDC_REQUIRE_GROUP needs OIDC_ROLE_MAP/],
    [{ ...set, OIDC_ISSUER: 'http://login.example.org' }, /OIDC_ISSUER was given .* https:/],
    [{ ...set, OIDC_ISSUER: 'http://127.0.0.1.example.org' }, /OIDC_ISSUER was given .* https:/],
    [{ ...set, OIDC_ISSUER: 'login.example.org' }, /OIDC_ISSUER was given .* https:/],
    [{ ...set, OIDC_ISSUER: 'https://login.example.org/?a=1' }, /OIDC_ISSUER was given .* https:/],
    [{ ...set, OIDC_SCOPES: 'email' }, /OIDC_SCOPES was given .* openid/],
    [{ ...set, OIDC_DOMAINS: 'a@example.org' }, /OIDC_DOMAINS was given/],
    [{ ...set, OIDC_DOMAINS: 'example.org,' }, /OIDC_DOMAINS was given/],
    [{ ...set, OIDC_ROLE_MAP: 'no' }, /OIDC_ROLE_MAP was given/],
    [{ ...set, OIDC_ROLE_MAP: '[]' }, /OIDC_ROLE_MAP was given/],
    [{ ...set, OIDC_ROLE_MAP: '{"a": {"level": "owner"}}' }, /nobody becomes owner by a group/],
    [{ ...set, OIDC_ROLE_MAP: '{"a": {"role": "x"}}' }, /OIDC_ROLE_MAP was given/],
    [{ ...set, OIDC_ROLE_MAP: '{"a": {"roles": "x"}}' }, /OIDC_ROLE_MAP was given/],
  ])('refuses %j', (env, problem) => expect(problemsOf(env)).toEqual([expect.stringMatching(problem)]));

  it.each(['http://127.0.0.1:4000', 'http://localhost:4000', 'http://[::1]:4000'])('takes %s, on this machine', (url) =>
    expect(readConfig({ ...set, OIDC_ISSUER: url }).oidcIssuer).toBe(url),
  );
});
