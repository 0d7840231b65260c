/** The only reader of the environment. An invalid value stops the start with the variable, its value and what is allowed. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';

type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  publicUrl: string | null;
  databaseUrl: string | null;
  databasePoolSize: number;
  clickhouseUrl: string | null;
  clickhouseSqlUrl: string | null;
  clickhouseCluster: string | null;
  /** Options of the connection besides the URL. */
  clickhouseOptions: Readonly<Record<string, unknown>>;
  logPartitions: number;
  role: 'all' | 'web' | 'worker' | 'relay';
  upstreamUrl: string | null;
  upstreamKey: string | null;
  relayFallthrough: 'ask' | 'default';
  initProjectApiKey: string | null;
  initPersonalApiKey: string | null;
  initAdminEmail: string | null;
  initAdminPassword: string | null;
  logLevel: LogLevel;
  trustProxy: boolean | number | string;
  monitoringPublic: boolean;
  maxBodyBytes: number;
  maxApiBodyBytes: number;
  maxFlagsBodyBytes: number;
  maxUnpackingRatio: number;
  maxBodyValues: number;
  maxBatchEvents: number;
  maxEventBytes: number;
  maxEventKeys: number;
  bodyMemoryMb: number;
  requestTimeoutSeconds: number;
  ingestLogMaxBytes: number;
  maxEventNames: number;
  maxPropertyNames: number;
  eventsPerSecond: number | null;
  apiRequestsPerMinute: number | null;
  maxLiveStreams: number;
  maxStreams: number;
  maxStreamsPerNetwork: number;
  eventsRetentionDays: number | null;
  auditDays: number;
  eventsMemoryMb: number;
  deduplicationMemoryMb: number;
  queryTimeoutSeconds: number;
  sqlTimeoutSeconds: number;
  sqlMemoryMb: number;
  sqlStaleSeconds: number;
  sqlCopyMaxGb: number;
  sqlPort: number | null;
  sqlTlsCert: string | null;
  sqlTlsKey: string | null;
  sessionDays: number;
  eraseAfterSeconds: number;
  webhookAllowPrivate: boolean;
  exportDir: string | null;
  exportAllowPrivate: boolean;
  geoipFile: string | null;
  secretKey: string | null;
  smtpUrl: string | null;
  smtpFrom: string | null;
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcClientSecret: string | null;
  oidcScopes: string;
  oidcName: string;
  oidcPrompt: string | null;
  oidcDomains: readonly string[] | null;
  oidcAutoJoin: string | null;
  oidcGroupsClaim: string;
  oidcRoleMap: OidcRoleMap;
  oidcRequireGroup: boolean;
  oidcTrustMfa: boolean;
  oidcKeysMaxIdleDays: number | null;
  /** Of the resolver that is asked for DNS records; null: that of the machine. */
  dnsServer: string | null;
  mailAtLeastOnce: boolean;
  faults: boolean;
  clockAheadMs: number;
}

/** By name of a group at the provider. */
type OidcRoleMap = Readonly<
  Record<string, { level?: 'member' | 'admin'; roles?: readonly string[]; organization?: string }>
>;

/** Throws an `InvalidValue` that says what is allowed. */
type Parse<T> = (text: string) => T;

interface Setting<T> {
  env: string;
  /** Null: unset. */
  defaultText: string | null;
  help: string;
  parse: Parse<T>;
  /** For tests of Cairn itself; not in the help. */
  internal?: boolean;
  /** Never shown, and can be read from a file named by `<ENV>_FILE`. */
  secret?: boolean;
}

class InvalidValue extends Error {}

const invalidValue = (allowed: string): never => {
  throw new InvalidValue(allowed);
};

const text: Parse<string> = (value) => value;

const integer =
  (min: number, max: number): Parse<number> =>
  (value) => {
    const number = Number(value);
    return /^\d+$/.test(value) && number >= min && number <= max
      ? number
      : invalidValue(`a whole number from ${min} to ${max}`);
  };

const choice =
  <T extends string>(...allowed: readonly T[]): Parse<T> =>
  (value) =>
    allowed.find((one) => one === value) ?? invalidValue(`one of ${allowed.join(', ')}`);

const urlWith = (...protocols: string[]): Parse<string> => {
  const allowed = `a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return (value) => {
    const url = URL.canParse(value) ? new URL(value) : invalidValue(allowed);
    return protocols.includes(url.protocol) ? value.replace(/\/+$/, '') : invalidValue(allowed);
  };
};

const apiKey =
  (prefix: string): Parse<string> =>
  (value) =>
    /^[A-Za-z0-9_-]{10,64}$/.test(value) && value.startsWith(prefix)
      ? value
      : invalidValue(`${prefix} followed by letters and digits, 10 to 64 characters in all`);

const email: Parse<string> = (value) =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)
    ? value.toLowerCase()
    : invalidValue('an email address such as ada@example.org');

/** `cairn@example.org` or `Cairn <cairn@example.org>`. */
const sender: Parse<string> = (value) => {
  const address = /<([^<>]*)>$/.exec(value)?.[1] ?? value;
  return /^[^\s@]+@[^\s@]+$/.test(address) ? value : invalidValue('Cairn <cairn@example.org>, or an address alone');
};

const password: Parse<string> = (value) => (value.length >= 8 ? value : invalidValue('at least 8 characters'));

const trustedProxies: Parse<boolean | number | string> = (value) => {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d+$/.test(value)) return Number(value);
  const allKnown = value.split(',').every((one) => isNetwork(one.trim()));
  return allKnown ? value : invalidValue('true, false, a number of hops, or a list of addresses');
};

const flag: Parse<boolean> = (value) => choice('true', 'false')(value) === 'true';

/** Tokens and secrets travel to it, so it must be encrypted, unless it is on this machine. */
const issuer: Parse<string> = (value) => {
  const allowed = 'the https:// address of an OpenID Connect provider (http:// on this machine only)';
  const url = URL.canParse(value) ? new URL(value) : invalidValue(allowed);
  const isLocal = url.protocol === 'http:' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return (url.protocol === 'https:' || isLocal) && url.search === '' && url.hash === '' ? value : invalidValue(allowed);
};

const oidcScopes: Parse<string> = (value) =>
  value.split(/\s+/).includes('openid') ? value : invalidValue('names separated by spaces, among them openid');

const domains: Parse<readonly string[]> = (value) =>
  value.split(',').map((one) => {
    const domain = one.trim().toLowerCase();
    return /^[^\s@/:]+\.[^\s@/:.]+$/.test(domain)
      ? domain
      : invalidValue('domains of addresses, separated by commas, such as example.org,example.com');
  });

const roleMap: Parse<OidcRoleMap> = (value) => {
  const allowed =
    'JSON such as {"cairn-admins": {"level": "admin"}, "growth": {"roles": ["Growth"], "organization": "ID"}}; a level is member or admin, since nobody becomes owner by a group';
  const parsed = parseJson(value);
  return isPlainObject(parsed) && Object.values(parsed).every(isGroupGrant)
    ? (parsed as OidcRoleMap)
    : invalidValue(allowed);
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isGroupGrant(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { level, roles, organization, ...unknown } = value;
  const isTextList = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === 'string');
  return (
    Object.keys(unknown).length === 0 &&
    (level === undefined || level === 'member' || level === 'admin') &&
    (roles === undefined || isTextList(roles)) &&
    (organization === undefined || typeof organization === 'string')
  );
}

/** `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const fits = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  return family !== 0 && fits && rest.length === 0;
}

const SETTINGS: { [K in keyof Config]: Setting<Config[K]> } = {
  host: {
    env: 'HOST',
    defaultText: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 for every interface.',
    parse: text,
  },
  port: {
    env: 'PORT',
    defaultText: '8000',
    help: 'Port to listen on; 0 picks a free one.',
    parse: integer(0, 65535),
  },
  dataDir: { env: 'DATA_DIR', defaultText: './data', help: 'Folder for all data.', parse: (v) => resolve(v) },
  publicUrl: {
    env: 'PUBLIC_URL',
    defaultText: null,
    help: 'Base URL for links and snippets; without it, the address of the request.',
    parse: urlWith('http:', 'https:'),
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    defaultText: null,
    help: 'PostgreSQL 15 or later, for a cluster. Set together with CLICKHOUSE_URL; data is then stored there instead of DATA_DIR.',
    parse: urlWith('postgres:', 'postgresql:'),
    secret: true,
  },
  databasePoolSize: {
    env: 'DATABASE_POOL_SIZE',
    defaultText: '10',
    help: 'Maximum number of PostgreSQL connections per thread; a node has two threads.',
    parse: integer(2, 500),
  },
  clickhouseUrl: {
    env: 'CLICKHOUSE_URL',
    defaultText: null,
    help: 'ClickHouse 24 or later, for a cluster: http://user:password@host:8123/database.',
    parse: urlWith('http:', 'https:'),
    secret: true,
  },
  clickhouseSqlUrl: {
    env: 'CLICKHOUSE_SQL_URL',
    defaultText: null,
    help: 'The same database for the user that runs SQL of users, which may read one project at a time: see the SQL guide. Without it, SQL is off in a cluster.',
    parse: urlWith('http:', 'https:'),
    secret: true,
  },
  clickhouseCluster: {
    env: 'CLICKHOUSE_CLUSTER',
    defaultText: null,
    help: 'Name of the ClickHouse cluster, if events are replicated and distributed.',
    parse: text,
  },
  clickhouseOptions: {
    env: 'CAIRN_CLICKHOUSE_OPTIONS',
    defaultText: '{}',
    help: 'JSON; options for a stand-in for ClickHouse in tests.',
    internal: true,
    parse: (value) => JSON.parse(value) as Record<string, unknown>,
  },
  logPartitions: {
    env: 'LOG_PARTITIONS',
    defaultText: '16',
    help: 'Partitions of the ingest log in a cluster: a power of two. Fixed at the first start.',
    parse: (value) => {
      const number = integer(1, 1024)(value);
      return Number.isInteger(Math.log2(number)) ? number : invalidValue('a power of two from 1 to 1024');
    },
  },
  role: {
    env: 'ROLE',
    defaultText: 'all',
    help: 'What a node of a cluster does: web (requests), worker (processing) or all. relay: holds the flags of another server and answers for it.',
    parse: choice('all', 'web', 'worker', 'relay'),
  },
  upstreamUrl: {
    env: 'UPSTREAM_URL',
    defaultText: null,
    help: 'Of a relay: the address of the server, or of another relay, whose flags it holds.',
    parse: urlWith('http:', 'https:'),
  },
  upstreamKey: {
    env: 'UPSTREAM_KEY',
    defaultText: null,
    help: 'Of a relay: a secret key (phs_…) of the project there.',
    parse: apiKey('phs_'),
    secret: true,
  },
  relayFallthrough: {
    env: 'RELAY_FALLTHROUGH',
    defaultText: 'ask',
    help: 'What a relay does where a flag depends on stored data that the request does not have: ask the server, or default (evaluate as for an unknown person).',
    parse: choice('ask', 'default'),
  },
  initProjectApiKey: {
    env: 'INIT_PROJECT_API_KEY',
    defaultText: null,
    help: 'API key of project 1, set at the first start; otherwise generated and printed once.',
    parse: apiKey('phc_'),
    secret: true,
  },
  initPersonalApiKey: {
    env: 'INIT_PERSONAL_API_KEY',
    defaultText: null,
    help: 'Personal API key of the first user, set at the first start; otherwise generated and printed once.',
    parse: apiKey('phx_'),
    secret: true,
  },
  initAdminEmail: {
    env: 'INIT_ADMIN_EMAIL',
    defaultText: null,
    help: 'Email of the first user. Without it and INIT_ADMIN_PASSWORD, a one-time setup link is printed.',
    parse: email,
  },
  initAdminPassword: {
    env: 'INIT_ADMIN_PASSWORD',
    defaultText: null,
    help: 'Password of the first user, at least 8 characters.',
    parse: password,
    secret: true,
  },
  logLevel: {
    env: 'LOG_LEVEL',
    defaultText: 'info',
    help: 'Log level: fatal, error, warn, info, debug, trace or silent.',
    parse: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  trustProxy: {
    env: 'TRUST_PROXY',
    defaultText: 'false',
    help: 'Proxies whose X-Forwarded-* headers are trusted: false, true, a number of hops, or a list of addresses.',
    parse: trustedProxies,
  },
  monitoringPublic: {
    env: 'MONITORING_PUBLIC',
    defaultText: 'false',
    help: 'Set to true to serve /metrics and /_status to everybody; otherwise to personal keys, sessions and this machine.',
    parse: (value) => choice('true', 'false')(value) === 'true',
  },
  maxBodyBytes: {
    env: 'MAX_BODY_BYTES',
    defaultText: '20971520',
    help: 'Maximum size of a request body as sent, in bytes: of events and uploads. Unpacked it may be 2.5 times as large.',
    parse: integer(1024, 1_073_741_824),
  },
  maxApiBodyBytes: {
    env: 'MAX_API_BODY_BYTES',
    defaultText: '2097152',
    help: 'Maximum size of a request body of the private API, in bytes, uploads excepted.',
    parse: integer(16_384, 1_073_741_824),
  },
  maxFlagsBodyBytes: {
    env: 'MAX_FLAGS_BODY_BYTES',
    defaultText: '262144',
    help: 'Maximum size of a request body that asks for flags, in bytes.',
    parse: integer(1024, 1_073_741_824),
  },
  maxUnpackingRatio: {
    env: 'MAX_UNPACKING_RATIO',
    defaultText: '100',
    help: 'How many times its size a body may unpack to; a megabyte is always allowed.',
    parse: integer(10, 2000),
  },
  maxBodyValues: {
    env: 'MAX_BODY_VALUES',
    defaultText: '1000000',
    help: 'Maximum number of values in all events of a request: items of lists and members of objects.',
    parse: integer(10_000, 1_000_000_000),
  },
  maxBatchEvents: {
    env: 'MAX_BATCH_EVENTS',
    defaultText: '20000',
    help: 'Maximum number of events in a request; beyond it, 413 tells SDKs to send fewer at once.',
    parse: integer(100, 10_000_000),
  },
  maxEventBytes: {
    env: 'MAX_EVENT_BYTES',
    defaultText: '1048576',
    help: 'Maximum size of an event, in bytes; a larger one is dropped with a warning.',
    parse: integer(16_384, 1_073_741_824),
  },
  maxEventKeys: {
    env: 'MAX_EVENT_KEYS',
    defaultText: '10000',
    help: 'Maximum number of keys in an event, at all levels; one with more is dropped with a warning.',
    parse: integer(100, 10_000_000),
  },
  bodyMemoryMb: {
    env: 'BODY_MEMORY_MB',
    defaultText: '40',
    help: 'Memory for request bodies that arrive or are being processed, in MB; beyond it, 503 tells clients to retry.',
    parse: integer(8, 1_048_576),
  },
  requestTimeoutSeconds: {
    env: 'REQUEST_TIMEOUT_SECONDS',
    defaultText: '120',
    help: 'Seconds in which a request must have arrived; beyond it, 408.',
    parse: integer(1, 3600),
  },
  ingestLogMaxBytes: {
    env: 'INGEST_LOG_MAX_BYTES',
    defaultText: '2147483648',
    help: 'Maximum size of accepted but unprocessed events, in bytes; beyond it, capture answers 503.',
    parse: integer(1_048_576, Number.MAX_SAFE_INTEGER),
  },
  maxEventNames: {
    env: 'MAX_EVENT_NAMES',
    defaultText: '10000',
    help: 'Event names of a project that get a definition; events with further names are stored without one.',
    parse: integer(1, 10_000_000),
  },
  maxPropertyNames: {
    env: 'MAX_PROPERTY_NAMES',
    defaultText: '50000',
    help: 'Property names of a project that get a definition, of events, persons and groups together.',
    parse: integer(1, 10_000_000),
  },
  eventsPerSecond: {
    env: 'EVENTS_PER_SECOND',
    defaultText: null,
    help: 'Events that a project may send per second, on average over a minute; beyond it, capture answers 429. Unset means no limit.',
    parse: integer(1, 1_000_000_000),
  },
  apiRequestsPerMinute: {
    env: 'API_REQUESTS_PER_MINUTE',
    defaultText: '1200',
    help: 'Requests to the private API that a personal key may make in a minute; beyond it, the answer is 429 with Retry-After. 0 means no limit. Capture and flags are not counted.',
    parse: (value) => integer(0, 1_000_000)(value) || null,
  },
  maxLiveStreams: {
    env: 'MAX_LIVE_STREAMS',
    defaultText: '200',
    help: 'Live event streams that may be open at once; an organization may have a quarter of them.',
    parse: integer(4, 100_000),
  },
  maxStreams: {
    env: 'MAX_STREAMS',
    defaultText: '20000',
    help: 'Streams of flag changes that may be open at once; beyond it, 503 tells clients when to come back.',
    parse: integer(1, 1_000_000),
  },
  maxStreamsPerNetwork: {
    env: 'MAX_STREAMS_PER_NETWORK',
    defaultText: '200',
    help: 'Streams of flag changes with one key from one network; beyond it, the answer is 429.',
    parse: integer(1, 1_000_000),
  },
  eventsRetentionDays: {
    env: 'EVENTS_RETENTION_DAYS',
    defaultText: null,
    help: 'Days to keep events; a project can set its own. Unset keeps them forever.',
    parse: integer(1, 36_500),
  },
  auditDays: {
    env: 'AUDIT_DAYS',
    defaultText: '365',
    help: 'Days to keep entries of the audit log.',
    parse: integer(1, 36_500),
  },
  eventsMemoryMb: {
    env: 'EVENTS_MEMORY_MB',
    defaultText: '512',
    help: 'Memory limit of the event store, in MB.',
    parse: integer(64, 1_048_576),
  },
  deduplicationMemoryMb: {
    env: 'DEDUPLICATION_MEMORY_MB',
    defaultText: '128',
    help: 'Memory for recognizing events that are sent again, in MB. More than 1.5 bytes per stored event is not used.',
    parse: integer(1, 1_048_576),
  },
  queryTimeoutSeconds: {
    env: 'QUERY_TIMEOUT_SECONDS',
    defaultText: '60',
    help: 'Insight queries that take longer are cancelled.',
    parse: integer(1, 3600),
  },
  sqlTimeoutSeconds: {
    env: 'SQL_TIMEOUT_SECONDS',
    defaultText: '30',
    help: 'SQL statements of users that take longer are stopped.',
    parse: integer(1, 3600),
  },
  sqlMemoryMb: {
    env: 'SQL_MEMORY_MB',
    defaultText: '512',
    help: 'Memory that one SQL statement may use, in MB. Up to four run at a time, in processes of their own.',
    parse: integer(64, 1_048_576),
  },
  sqlStaleSeconds: {
    env: 'SQL_STALE_SECONDS',
    defaultText: '60',
    help: 'SQL statements read a copy of the project; it is renewed when it is older. The copy of a small project is renewed sooner.',
    parse: integer(0, 86_400),
  },
  sqlCopyMaxGb: {
    env: 'SQL_COPY_MAX_GB',
    defaultText: '20',
    help: 'Disk space for the copy of one project that SQL statements read, in GB. Of a larger project, SQL reads the newest months that fit.',
    parse: integer(1, 100_000),
  },
  sqlPort: {
    env: 'SQL_PORT',
    defaultText: null,
    help: 'Port for clients of PostgreSQL (psql, Metabase, Grafana), which read projects with a personal key as password. Off by default; 0 picks a free one.',
    parse: integer(0, 65535),
  },
  sqlTlsCert: {
    env: 'SQL_TLS_CERT',
    defaultText: null,
    help: 'Certificate of the port for PostgreSQL clients, as PEM. Without it, only clients on this machine can connect.',
    parse: text,
    secret: true,
  },
  sqlTlsKey: {
    env: 'SQL_TLS_KEY',
    defaultText: null,
    help: 'Private key of that certificate, as PEM.',
    parse: text,
    secret: true,
  },
  sessionDays: {
    env: 'SESSION_DAYS',
    defaultText: '14',
    help: 'Days until a console session expires.',
    parse: integer(1, 365),
  },
  eraseAfterSeconds: {
    env: 'ERASE_AFTER_SECONDS',
    defaultText: '10',
    help: 'Delay in seconds before files are rewritten after a person and their events were deleted; later deletions in that time are included.',
    parse: integer(0, 86_400),
  },
  webhookAllowPrivate: {
    env: 'WEBHOOK_ALLOW_PRIVATE',
    defaultText: 'false',
    help: 'Set to true to allow webhooks to addresses in private networks.',
    parse: (value) => choice('true', 'false')(value) === 'true',
  },
  exportDir: {
    env: 'EXPORT_DIR',
    defaultText: null,
    help: 'Folder below which exports may put files, one folder for each project; it must exist. Without it, exports go to S3 only.',
    parse: (value) => resolve(value),
  },
  exportAllowPrivate: {
    env: 'EXPORT_ALLOW_PRIVATE',
    defaultText: 'false',
    help: 'Set to true to allow exports to S3-compatible stores in private networks.',
    parse: (value) => choice('true', 'false')(value) === 'true',
  },
  geoipFile: {
    env: 'GEOIP_FILE',
    defaultText: null,
    help: "A file in MaxMind's format (.mmdb) for regions and cities of visitors; without it, countries only.",
    parse: (v) => resolve(v),
  },
  secretKey: {
    env: 'SECRET_KEY',
    defaultText: null,
    help: 'Encrypts the secrets of authenticator apps: at least 32 random characters. On one machine a file in DATA_DIR takes its place; the nodes of a cluster need the same.',
    parse: (value) => (value.length >= 32 ? value : invalidValue('at least 32 characters')),
    secret: true,
  },
  smtpUrl: {
    env: 'SMTP_URL',
    defaultText: null,
    help: 'Mail server for invitations, password resets and alerts: smtps://user:password@host:465. Needs SMTP_FROM and PUBLIC_URL.',
    parse: urlWith('smtp:', 'smtps:'),
    secret: true,
  },
  smtpFrom: {
    env: 'SMTP_FROM',
    defaultText: null,
    help: 'Sender of mail: an address, or a name with an address in angle brackets.',
    parse: sender,
  },
  mailAtLeastOnce: {
    env: 'MAIL_AT_LEAST_ONCE',
    defaultText: 'false',
    help: 'Set to true to send a mail of an alert again if the server stopped while it was being sent: two rather than none.',
    parse: (value) => choice('true', 'false')(value) === 'true',
  },
  oidcIssuer: {
    env: 'OIDC_ISSUER',
    defaultText: null,
    help: 'OpenID Connect provider with which people sign in, such as https://login.example.org. Needs OIDC_CLIENT_ID and PUBLIC_URL.',
    parse: issuer,
  },
  oidcClientId: {
    env: 'OIDC_CLIENT_ID',
    defaultText: null,
    help: 'The id of Cairn at the provider.',
    parse: text,
  },
  oidcClientSecret: {
    env: 'OIDC_CLIENT_SECRET',
    defaultText: null,
    help: 'Its secret; without one, Cairn is a public client.',
    parse: text,
    secret: true,
  },
  oidcScopes: {
    env: 'OIDC_SCOPES',
    defaultText: 'openid email profile',
    help: 'What the provider is asked for, separated by spaces.',
    parse: oidcScopes,
  },
  oidcName: {
    env: 'OIDC_NAME',
    defaultText: 'single sign-on',
    help: 'Name of the provider on the button of the sign-in page, after "Sign in with".',
    parse: text,
  },
  oidcPrompt: {
    env: 'OIDC_PROMPT',
    defaultText: null,
    help: 'What the provider asks each time: login, consent, select_account. Unset lets the provider decide.',
    parse: choice('none', 'login', 'consent', 'select_account'),
  },
  oidcDomains: {
    env: 'OIDC_DOMAINS',
    defaultText: null,
    help: 'Domains of addresses, separated by commas, whose people may come in without an invitation. They count as proved for the organization of OIDC_AUTO_JOIN, or for the only one.',
    parse: domains,
  },
  oidcAutoJoin: {
    env: 'OIDC_AUTO_JOIN',
    defaultText: null,
    help: 'Id of the organization that people of OIDC_DOMAINS join when they first sign in. Unset: they join by groups and invitations.',
    parse: text,
  },
  oidcGroupsClaim: {
    env: 'OIDC_GROUPS_CLAIM',
    defaultText: 'groups',
    help: 'Where the provider names groups; dots reach inwards, as in realm_access.roles.',
    parse: text,
  },
  oidcRoleMap: {
    env: 'OIDC_ROLE_MAP',
    defaultText: '{}',
    help: 'JSON: which group gives which level and roles in which organization.',
    parse: roleMap,
  },
  oidcRequireGroup: {
    env: 'OIDC_REQUIRE_GROUP',
    defaultText: 'false',
    help: 'Set to true to refuse people without a group of OIDC_ROLE_MAP.',
    parse: flag,
  },
  oidcTrustMfa: {
    env: 'OIDC_TRUST_MFA',
    defaultText: 'false',
    help: 'Set to true if the provider always asks for a second factor; otherwise it counts when the provider says so (amr has mfa).',
    parse: flag,
  },
  oidcKeysMaxIdleDays: {
    env: 'OIDC_KEYS_MAX_IDLE_DAYS',
    defaultText: null,
    help: 'Days after which personal API keys stop if their owner, whose domain enforces single sign-on, has not signed in. Unset: never.',
    parse: integer(1, 3650),
  },
  dnsServer: {
    env: 'CAIRN_DNS_SERVER',
    defaultText: null,
    help: 'Address and port of a resolver, for tests.',
    internal: true,
    parse: text,
  },
  faults: {
    env: 'CAIRN_FAULTS',
    defaultText: 'false',
    help: 'Set to true to let SIGUSR2 crash the worker thread, for tests.',
    internal: true,
    parse: (value) => choice('true', 'false')(value) === 'true',
  },
  clockAheadMs: {
    env: 'CAIRN_CLOCK_AHEAD_MS',
    defaultText: '0',
    help: 'By how much the clock is ahead of the system clock, for tests.',
    internal: true,
    parse: (value) => (/^-?\d{1,12}$/.test(value) ? Number(value) : invalidValue('a number of milliseconds')),
  },
};

/** One line for each setting that has to be corrected. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The defaults; tests start from them. */
export const defaultConfig = (): Config => readConfig({});

export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const read = <T>(setting: Setting<T>): T | null => {
    try {
      const given = settingText(setting, env);
      return given === null ? null : setting.parse(given);
    } catch (error) {
      problems.push(describeProblem(setting, env, error));
      return null;
    }
  };
  const entries = Object.entries(SETTINGS).map(([name, setting]) => [name, read(setting as Setting<unknown>)]);
  const config = Object.fromEntries(entries) as Config;
  if (problems.length === 0) problems.push(...findConflicts(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The variable, else the file that `<ENV>_FILE` names, else the default. Empty means unset. */
function settingText(setting: Setting<unknown>, env: Environment): string | null {
  const direct = env[setting.env];
  if (direct !== undefined && direct !== '') return direct;
  const file = setting.secret ? env[`${setting.env}_FILE`] : undefined;
  if (file !== undefined && file !== '') return readFileSync(file, 'utf8').trim();
  return setting.defaultText;
}

function describeProblem(setting: Setting<unknown>, env: Environment, error: unknown): string {
  if (!(error instanceof InvalidValue)) {
    return `${setting.env}_FILE names a file that cannot be read: ${(error as Error).message}`;
  }
  const shown = setting.secret ? 'a value (not shown)' : JSON.stringify(env[setting.env]);
  return `${setting.env} was given ${shown}; allowed: ${error.message}.`;
}

function findConflicts(config: Config): string[] {
  const problems: string[] = [];
  const isHalf = (one: string | null, other: string | null): boolean => (one === null) !== (other === null);
  if (isHalf(config.initAdminEmail, config.initAdminPassword)) {
    problems.push('INIT_ADMIN_EMAIL and INIT_ADMIN_PASSWORD go together: set both or neither.');
  }
  if (isHalf(config.databaseUrl, config.clickhouseUrl)) {
    problems.push(
      'DATABASE_URL and CLICKHOUSE_URL go together: set both for a cluster, neither to store data in DATA_DIR.',
    );
  } else if (config.role === 'relay') {
    if (config.upstreamUrl === null || config.upstreamKey === null) {
      problems.push(
        'ROLE relay needs UPSTREAM_URL and UPSTREAM_KEY: the server whose flags it holds, and a secret key of the project.',
      );
    }
  } else if (config.databaseUrl === null && config.role !== 'all') {
    problems.push(`ROLE ${config.role} needs DATABASE_URL and CLICKHOUSE_URL; without them, ROLE must be all.`);
  }
  if (isHalf(config.smtpUrl, config.smtpFrom)) {
    problems.push('SMTP_URL and SMTP_FROM go together: set both to send mail, neither to send none.');
  } else if (config.smtpUrl !== null && config.publicUrl === null) {
    // The address of a request is chosen by its sender, who could have links to another server mailed to people.
    problems.push('SMTP_URL needs PUBLIC_URL: links in mail begin with it.');
  }
  problems.push(...findOidcConflicts(config));
  if (config.clickhouseSqlUrl !== null && config.clickhouseUrl === null) {
    problems.push('CLICKHOUSE_SQL_URL needs CLICKHOUSE_URL.');
  }
  if (config.clickhouseCluster !== null && config.clickhouseUrl === null) {
    problems.push('CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL.');
  }
  return problems;
}

function findOidcConflicts(config: Config): string[] {
  if (config.oidcIssuer === null) {
    return config.oidcClientId === null ? [] : ['OIDC_CLIENT_ID needs OIDC_ISSUER: the provider it is an id at.'];
  }
  const problems: string[] = [];
  if (config.oidcClientId === null) problems.push('OIDC_ISSUER needs OIDC_CLIENT_ID: the id of Cairn at the provider.');
  if (config.publicUrl === null) {
    // The provider sends people back to it. The address of a request is chosen by its sender.
    problems.push('OIDC_ISSUER needs PUBLIC_URL: the provider sends people back to PUBLIC_URL/login/oidc/callback.');
  }
  if (config.oidcRequireGroup && Object.keys(config.oidcRoleMap).length === 0) {
    problems.push('OIDC_REQUIRE_GROUP needs OIDC_ROLE_MAP: without groups, nobody could sign in.');
  }
  return problems;
}

/** For `--help` and the guide to configuration. */
interface SettingHelp {
  env: string;
  /** Null: unset. */
  defaultText: string | null;
  help: string;
}

export const settingsHelp = (): SettingHelp[] =>
  Object.values<Setting<unknown>>(SETTINGS)
    .filter(({ internal }) => !internal)
    .map(({ env, defaultText, help, secret }) => ({
      env,
      defaultText,
      help: secret ? `${help} Or ${env}_FILE: a file that contains it.` : help,
    }));

/** What `npm start -- --help` prints. */
export function configHelp(): string {
  const rows = settingsHelp().map(
    ({ env, defaultText, help }) => `  ${env.padEnd(24)}${help}\n${' '.repeat(26)}Default: ${defaultText ?? 'unset'}`,
  );
  return [
    'Cairn: product analytics and feature flags in one process.',
    '',
    'Settings (environment variables):',
    ...rows,
  ].join('\n');
}
