/**
 * The one place that reads the environment. Each setting has a default, a help line and a rule; a value that breaks
 * its rule stops the start with a sentence that names the variable, what was given and what is allowed.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  publicUrl: string | null;
  databaseUrl: string | null;
  databasePoolSize: number;
  clickhouseUrl: string | null;
  clickhouseCluster: string | null;
  /** How the store talks to ClickHouse, beyond its address. */
  clickhouseOptions: Readonly<Record<string, unknown>>;
  logPartitions: number;
  role: 'all' | 'web' | 'worker';
  initProjectApiKey: string | null;
  initPersonalApiKey: string | null;
  initAdminEmail: string | null;
  initAdminPassword: string | null;
  logLevel: LogLevel;
  trustProxy: boolean | number | string;
  maxBodyBytes: number;
  ingestLogMaxBytes: number;
  eventsRetentionDays: number | null;
  eventsMemoryMb: number;
  queryTimeoutSeconds: number;
  sessionDays: number;
  eraseAfterSeconds: number;
  webhookAllowPrivate: boolean;
  faults: boolean;
}

/** Reads one text; returns the value or throws a `WrongValue` that says what is allowed. */
type Read<T> = (text: string) => T;

interface Setting<T> {
  env: string;
  /** Text that stands for the default, or null for 'unset'. */
  fallback: string | null;
  help: string;
  read: Read<T>;
  /** For tests of Cairn itself: nobody needs to read about it. */
  internal?: boolean;
  /** Secrets are never shown, and can come from a file named by `<ENV>_FILE`. */
  secret?: boolean;
}

class WrongValue extends Error {}

const wrong = (allowed: string): never => {
  throw new WrongValue(allowed);
};

const text: Read<string> = (value) => value;

const whole =
  (min: number, max: number): Read<number> =>
  (value) => {
    const number = Number(value);
    return /^\d+$/.test(value) && number >= min && number <= max
      ? number
      : wrong(`a whole number from ${min} to ${max}`);
  };

const oneOf =
  <T extends string>(...allowed: readonly T[]): Read<T> =>
  (value) =>
    allowed.find((one) => one === value) ?? wrong(`one of ${allowed.join(', ')}`);

const address = (...protocols: string[]): Read<string> => {
  const allowed = `an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return (value) => {
    const url = URL.canParse(value) ? new URL(value) : wrong(allowed);
    return protocols.includes(url.protocol) ? value.replace(/\/+$/, '') : wrong(allowed);
  };
};

const apiKey =
  (prefix: string): Read<string> =>
  (value) =>
    /^[A-Za-z0-9_-]{10,64}$/.test(value) && value.startsWith(prefix)
      ? value
      : wrong(`${prefix} followed by letters and digits, 10 to 64 characters in all`);

const email: Read<string> = (value) =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? value.toLowerCase() : wrong('an e-mail address such as ada@example.org');

const password: Read<string> = (value) => (value.length >= 8 ? value : wrong('at least 8 characters'));

/** Which proxies may tell us the caller's address: none, all, how many hops, or their addresses. */
const proxies: Read<boolean | number | string> = (value) => {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d+$/.test(value)) return Number(value);
  const allKnown = value.split(',').every((one) => isNetwork(one.trim()));
  return allKnown ? value : wrong('true, false, a number of hops, or a list of addresses');
};

/** `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const fits = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  return family !== 0 && fits && rest.length === 0;
}

const SETTINGS: { [K in keyof Config]: Setting<Config[K]> } = {
  host: { env: 'HOST', fallback: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 for every interface.', read: text },
  port: { env: 'PORT', fallback: '8000', help: 'Port to listen on; 0 takes any free one.', read: whole(0, 65535) },
  dataDir: { env: 'DATA_DIR', fallback: './data', help: 'Folder that holds everything.', read: (v) => resolve(v) },
  publicUrl: {
    env: 'PUBLIC_URL',
    fallback: null,
    help: 'Address put into links and snippets; without it, the one that the request came to.',
    read: address('http:', 'https:'),
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    fallback: null,
    help: 'PostgreSQL 15 or newer, for many machines; with CLICKHOUSE_URL it takes the place of DATA_DIR.',
    read: address('postgres:', 'postgresql:'),
    secret: true,
  },
  databasePoolSize: {
    env: 'DATABASE_POOL_SIZE',
    fallback: '10',
    help: 'Connections to PostgreSQL that each of the two threads of a node may open.',
    read: whole(2, 500),
  },
  clickhouseUrl: {
    env: 'CLICKHOUSE_URL',
    fallback: null,
    help: 'ClickHouse 24 or newer, for many machines: http://user:password@host:8123/database.',
    read: address('http:', 'https:'),
    secret: true,
  },
  clickhouseCluster: {
    env: 'CLICKHOUSE_CLUSTER',
    fallback: null,
    help: 'Name of the ClickHouse cluster, where events are to be replicated and distributed.',
    read: text,
  },
  clickhouseOptions: {
    env: 'CAIRN_CLICKHOUSE_OPTIONS',
    fallback: '{}',
    help: 'JSON, for engines that stand in for ClickHouse in tests.',
    internal: true,
    read: (value) => JSON.parse(value) as Record<string, unknown>,
  },
  logPartitions: {
    env: 'LOG_PARTITIONS',
    fallback: '16',
    help: 'Parts of the log that workers share out, many machines only: a power of two. The first start decides for ever.',
    read: (value) => {
      const number = whole(1, 1024)(value);
      return Number.isInteger(Math.log2(number)) ? number : wrong('a power of two from 1 to 1024');
    },
  },
  role: {
    env: 'ROLE',
    fallback: 'all',
    help: 'What this process does: web (requests), worker (processing) or all. Only all without DATABASE_URL.',
    read: oneOf('all', 'web', 'worker'),
  },
  initProjectApiKey: {
    env: 'INIT_PROJECT_API_KEY',
    fallback: null,
    help: 'Key of project 1, taken at the first start; otherwise one is made and printed once.',
    read: apiKey('phc_'),
    secret: true,
  },
  initPersonalApiKey: {
    env: 'INIT_PERSONAL_API_KEY',
    fallback: null,
    help: 'Personal key of the first user, taken at the first start; otherwise made and printed once.',
    read: apiKey('phx_'),
    secret: true,
  },
  initAdminEmail: {
    env: 'INIT_ADMIN_EMAIL',
    fallback: null,
    help: 'E-mail of the first user; without it and INIT_ADMIN_PASSWORD, a one-time set-up link is printed.',
    read: email,
  },
  initAdminPassword: {
    env: 'INIT_ADMIN_PASSWORD',
    fallback: null,
    help: 'Password of the first user, at least 8 characters.',
    read: password,
    secret: true,
  },
  logLevel: {
    env: 'LOG_LEVEL',
    fallback: 'info',
    help: 'How much is logged: fatal, error, warn, info, debug, trace or silent.',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  trustProxy: {
    env: 'TRUST_PROXY',
    fallback: 'false',
    help: 'Proxies whose X-Forwarded-* headers are believed: false, true, a number of hops, or their addresses.',
    read: proxies,
  },
  maxBodyBytes: {
    env: 'MAX_BODY_BYTES',
    fallback: '20971520',
    help: 'Largest request body, in bytes, as it comes over the wire.',
    read: whole(1024, 1_073_741_824),
  },
  ingestLogMaxBytes: {
    env: 'INGEST_LOG_MAX_BYTES',
    fallback: '2147483648',
    help: 'Accepted but unprocessed events may take this much; beyond it, capture answers 503 until there is room.',
    read: whole(1_048_576, Number.MAX_SAFE_INTEGER),
  },
  eventsRetentionDays: {
    env: 'EVENTS_RETENTION_DAYS',
    fallback: null,
    help: 'Events older than this are removed; a project can set its own. Unset keeps them for ever.',
    read: whole(1, 36_500),
  },
  eventsMemoryMb: {
    env: 'EVENTS_MEMORY_MB',
    fallback: '512',
    help: 'Memory that the event store may use for its buffers and queries, in MB.',
    read: whole(64, 1_048_576),
  },
  queryTimeoutSeconds: {
    env: 'QUERY_TIMEOUT_SECONDS',
    fallback: '60',
    help: 'A question for insights that takes longer is stopped, and answered with what to narrow.',
    read: whole(1, 3600),
  },
  sessionDays: {
    env: 'SESSION_DAYS',
    fallback: '14',
    help: 'Days until a sign-in to the console ends.',
    read: whole(1, 365),
  },
  eraseAfterSeconds: {
    env: 'ERASE_AFTER_SECONDS',
    fallback: '10',
    help: 'Seconds from the deletion of a person with events until files are written afresh; deletions in between share it.',
    read: whole(0, 86_400),
  },
  webhookAllowPrivate: {
    env: 'WEBHOOK_ALLOW_PRIVATE',
    fallback: 'false',
    help: 'True lets webhooks of projects be in private networks; without it, admins of projects reach only public addresses.',
    read: (value) => oneOf('true', 'false')(value) === 'true',
  },
  faults: {
    env: 'CAIRN_FAULTS',
    fallback: 'false',
    help: 'True lets the signal SIGUSR2 end the worker thread, to see it come back.',
    internal: true,
    read: (value) => oneOf('true', 'false')(value) === 'true',
  },
};

/** A start that cannot go on because of its settings. Each line is one thing to mend. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Defaults, as if nothing were set: what tests start from. */
export const defaultConfig = (): Config => readConfig({});

export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const read = <T>(setting: Setting<T>): T | null => {
    try {
      const given = givenText(setting, env);
      return given === null ? null : setting.read(given);
    } catch (error) {
      problems.push(describe(setting, env, error));
      return null;
    }
  };
  const entries = Object.entries(SETTINGS).map(([name, setting]) => [name, read(setting as Setting<unknown>)]);
  const config = Object.fromEntries(entries) as Config;
  if (problems.length === 0) problems.push(...conflicts(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The text of a setting: the variable, else the file that `<ENV>_FILE` names, else the default. Empty means unset. */
function givenText(setting: Setting<unknown>, env: Environment): string | null {
  const direct = env[setting.env];
  if (direct !== undefined && direct !== '') return direct;
  const file = setting.secret ? env[`${setting.env}_FILE`] : undefined;
  if (file !== undefined && file !== '') return readFileSync(file, 'utf8').trim();
  return setting.fallback;
}

function describe(setting: Setting<unknown>, env: Environment, error: unknown): string {
  if (!(error instanceof WrongValue)) {
    return `${setting.env}_FILE names a file that cannot be read: ${(error as Error).message}`;
  }
  const shown = setting.secret ? 'a value (not shown)' : JSON.stringify(env[setting.env]);
  return `${setting.env} was given ${shown}; allowed: ${error.message}.`;
}

function conflicts(config: Config): string[] {
  const problems: string[] = [];
  const isHalf = (one: string | null, other: string | null): boolean => (one === null) !== (other === null);
  if (isHalf(config.initAdminEmail, config.initAdminPassword)) {
    problems.push('INIT_ADMIN_EMAIL and INIT_ADMIN_PASSWORD go together: set both or neither.');
  }
  if (isHalf(config.databaseUrl, config.clickhouseUrl)) {
    problems.push(
      'DATABASE_URL and CLICKHOUSE_URL go together: set both for many machines, neither for one with its data in DATA_DIR.',
    );
  } else if (config.databaseUrl === null && config.role !== 'all') {
    problems.push(
      `ROLE ${config.role} needs DATABASE_URL and CLICKHOUSE_URL, which all nodes share; without them, ROLE is all.`,
    );
  }
  if (config.clickhouseCluster !== null && config.clickhouseUrl === null) {
    problems.push('CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL.');
  }
  return problems;
}

/** A setting as people read of it: in `--help`, and in the README's table. */
export interface SettingHelp {
  env: string;
  /** Null: unset. */
  fallback: string | null;
  help: string;
}

export const settingsHelp = (): SettingHelp[] =>
  Object.values<Setting<unknown>>(SETTINGS)
    .filter(({ internal }) => !internal)
    .map(({ env, fallback, help, secret }) => ({
      env,
      fallback,
      help: secret ? `${help} Also as ${env}_FILE: a file that holds it.` : help,
    }));

/** What `npm start -- --help` prints. */
export function configHelp(): string {
  const rows = settingsHelp().map(
    ({ env, fallback, help }) => `  ${env.padEnd(24)}${help}\n${' '.repeat(26)}Default: ${fallback ?? 'unset'}`,
  );
  return [
    'Cairn: product analytics and feature flags in one process.',
    '',
    'Settings (environment variables):',
    ...rows,
  ].join('\n');
}
