/**
 * The one place that reads the environment. Each setting has a default, a help line and a rule; a value that breaks
 * its rule stops the start with a sentence that names the variable, what was given and what is allowed.
 */
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

/** Reads one text; returns the value or throws a `InvalidValue` that says what is allowed. */
type Parse<T> = (text: string) => T;

interface Setting<T> {
  env: string;
  /** Text that stands for the default, or null for 'unset'. */
  defaultText: string | null;
  help: string;
  parse: Parse<T>;
  /** For tests of Cairn itself: nobody needs to read about it. */
  internal?: boolean;
  /** Secrets are never shown, and can come from a file named by `<ENV>_FILE`. */
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
  const allowed = `an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`;
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
    : invalidValue('an e-mail address such as ada@example.org');

const password: Parse<string> = (value) => (value.length >= 8 ? value : invalidValue('at least 8 characters'));

/** Which proxies may tell us the caller's address: none, all, how many hops, or their addresses. */
const trustedProxies: Parse<boolean | number | string> = (value) => {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d+$/.test(value)) return Number(value);
  const allKnown = value.split(',').every((one) => isNetwork(one.trim()));
  return allKnown ? value : invalidValue('true, false, a number of hops, or a list of addresses');
};

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
    help: 'Port to listen on; 0 takes any free one.',
    parse: integer(0, 65535),
  },
  dataDir: { env: 'DATA_DIR', defaultText: './data', help: 'Folder that holds everything.', parse: (v) => resolve(v) },
  publicUrl: {
    env: 'PUBLIC_URL',
    defaultText: null,
    help: 'Address put into links and snippets; without it, the one that the request came to.',
    parse: urlWith('http:', 'https:'),
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    defaultText: null,
    help: 'PostgreSQL 15 or newer, for many machines; with CLICKHOUSE_URL it takes the place of DATA_DIR.',
    parse: urlWith('postgres:', 'postgresql:'),
    secret: true,
  },
  databasePoolSize: {
    env: 'DATABASE_POOL_SIZE',
    defaultText: '10',
    help: 'Connections to PostgreSQL that each of the two threads of a node may open.',
    parse: integer(2, 500),
  },
  clickhouseUrl: {
    env: 'CLICKHOUSE_URL',
    defaultText: null,
    help: 'ClickHouse 24 or newer, for many machines: http://user:password@host:8123/database.',
    parse: urlWith('http:', 'https:'),
    secret: true,
  },
  clickhouseCluster: {
    env: 'CLICKHOUSE_CLUSTER',
    defaultText: null,
    help: 'Name of the ClickHouse cluster, where events are to be replicated and distributed.',
    parse: text,
  },
  clickhouseOptions: {
    env: 'CAIRN_CLICKHOUSE_OPTIONS',
    defaultText: '{}',
    help: 'JSON, for engines that stand in for ClickHouse in tests.',
    internal: true,
    parse: (value) => JSON.parse(value) as Record<string, unknown>,
  },
  logPartitions: {
    env: 'LOG_PARTITIONS',
    defaultText: '16',
    help: 'Parts of the log that workers share out, many machines only: a power of two. The first start decides for ever.',
    parse: (value) => {
      const number = integer(1, 1024)(value);
      return Number.isInteger(Math.log2(number)) ? number : invalidValue('a power of two from 1 to 1024');
    },
  },
  role: {
    env: 'ROLE',
    defaultText: 'all',
    help: 'What this process does: web (requests), worker (processing) or all. Only all without DATABASE_URL.',
    parse: choice('all', 'web', 'worker'),
  },
  initProjectApiKey: {
    env: 'INIT_PROJECT_API_KEY',
    defaultText: null,
    help: 'Key of project 1, taken at the first start; otherwise one is made and printed once.',
    parse: apiKey('phc_'),
    secret: true,
  },
  initPersonalApiKey: {
    env: 'INIT_PERSONAL_API_KEY',
    defaultText: null,
    help: 'Personal key of the first user, taken at the first start; otherwise made and printed once.',
    parse: apiKey('phx_'),
    secret: true,
  },
  initAdminEmail: {
    env: 'INIT_ADMIN_EMAIL',
    defaultText: null,
    help: 'E-mail of the first user; without it and INIT_ADMIN_PASSWORD, a one-time set-up link is printed.',
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
    help: 'How much is logged: fatal, error, warn, info, debug, trace or silent.',
    parse: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  trustProxy: {
    env: 'TRUST_PROXY',
    defaultText: 'false',
    help: 'Proxies whose X-Forwarded-* headers are believed: false, true, a number of hops, or their addresses.',
    parse: trustedProxies,
  },
  maxBodyBytes: {
    env: 'MAX_BODY_BYTES',
    defaultText: '20971520',
    help: 'Largest request body, in bytes, as it comes over the wire.',
    parse: integer(1024, 1_073_741_824),
  },
  ingestLogMaxBytes: {
    env: 'INGEST_LOG_MAX_BYTES',
    defaultText: '2147483648',
    help: 'Accepted but unprocessed events may take this much; beyond it, capture answers 503 until there is room.',
    parse: integer(1_048_576, Number.MAX_SAFE_INTEGER),
  },
  eventsRetentionDays: {
    env: 'EVENTS_RETENTION_DAYS',
    defaultText: null,
    help: 'Events older than this are removed; a project can set its own. Unset keeps them for ever.',
    parse: integer(1, 36_500),
  },
  eventsMemoryMb: {
    env: 'EVENTS_MEMORY_MB',
    defaultText: '512',
    help: 'Memory that the event store may use for its buffers and queries, in MB.',
    parse: integer(64, 1_048_576),
  },
  queryTimeoutSeconds: {
    env: 'QUERY_TIMEOUT_SECONDS',
    defaultText: '60',
    help: 'A question for insights that takes longer is stopped, and answered with what to narrow.',
    parse: integer(1, 3600),
  },
  sessionDays: {
    env: 'SESSION_DAYS',
    defaultText: '14',
    help: 'Days until a sign-in to the console ends.',
    parse: integer(1, 365),
  },
  eraseAfterSeconds: {
    env: 'ERASE_AFTER_SECONDS',
    defaultText: '10',
    help: 'Seconds from the deletion of a person with events until files are written afresh; deletions in between share it.',
    parse: integer(0, 86_400),
  },
  webhookAllowPrivate: {
    env: 'WEBHOOK_ALLOW_PRIVATE',
    defaultText: 'false',
    help: 'True lets webhooks of projects be in private networks; without it, admins of projects reach only public addresses.',
    parse: (value) => choice('true', 'false')(value) === 'true',
  },
  faults: {
    env: 'CAIRN_FAULTS',
    defaultText: 'false',
    help: 'True lets the signal SIGUSR2 end the worker thread, to see it come back.',
    internal: true,
    parse: (value) => choice('true', 'false')(value) === 'true',
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

/** The text of a setting: the variable, else the file that `<ENV>_FILE` names, else the default. Empty means unset. */
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
      help: secret ? `${help} Also as ${env}_FILE: a file that holds it.` : help,
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
