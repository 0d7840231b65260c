import { DAY_MS } from '../core/time/units.ts';
import { systemClock } from '../lib/clock.ts';
import { countriesInUse } from '../operate/update-countries.ts';
import { builtFile } from '../runtime/built-file.ts';
import { describeSqlUser } from '../runtime/describe-sql-user.ts';
import { DATA_FILES } from '../stores/data-files.ts';
import { type Command, type CommandContext, EXIT } from './command.ts';
import { checkHost } from './doctor-host.ts';
import { checkSecretKey } from './doctor-secret-key.ts';
import { checkAudit, checkServer, type Finding, okFinding } from './doctor-server.ts';
import { readArgs, readPositionals } from './read-args.ts';

const HELP = `Checks the installation for problems and says how to fix them.

  cairn doctor [--audit] [--sql-user]

It checks settings, the Node version, permissions and disk space of the data folder, the clock, every store, whether the
sessions of web analytics agree with their events, events that wait or were dead-lettered, the audit log, the secret key,
and the last backup. Reading the stores takes about a second per million events; events are accepted meanwhile. The
exit code is 3 if there is something to look at.

--audit checks only whether every entry of the audit log is as it was written.
--sql-user checks nothing: it prints the statements that make the user for SQL in ClickHouse.`;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the installation for problems.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { audit: 'flag', 'sql-user': 'flag' });
    readPositionals(words);
    if (options['sql-user']) return printSqlUser(context);
    const findings = options.audit
      ? [checkAudit(await (await context.operator()).run('check.audit', {}))]
      : [
          ...(await checkHost(context.config, process.versions.node)),
          await checkCountries(context),
          ...(await checkRunningServer(context)),
        ];
    if (context.json) context.out.json(findings);
    else for (const finding of findings) context.out.print(describe(finding));
    return findings.every(({ state }) => state === 'ok') ? EXIT.done : EXIT.attention;
  },
};

function printSqlUser({ config, out, json }: CommandContext): number {
  const statements = describeSqlUser(config);
  if (statements === null) {
    out.print('There is nothing to do: without CLICKHOUSE_URL, SQL needs no user of its own.');
    return EXIT.attention;
  }
  if (json) out.json(statements);
  else for (const statement of statements) out.print(`${statement};`);
  return EXIT.done;
}

const MAX_COUNTRIES_AGE_DAYS = 365;

/** Networks change hands: an old table has some visitors in the wrong country. */
async function checkCountries({ config }: CommandContext): Promise<Finding> {
  const files = { dataDir: config.dataDir, shipped: builtFile('countries.br') };
  const inUse = await countriesInUse(files).catch(() => null);
  if (inUse === null) {
    const advice = `Remove ${DATA_FILES.countries} from the data folder to use the one that ships with Cairn.`;
    return { about: 'countries', state: 'bad', detail: 'the table cannot be read', advice };
  }
  const { date } = inUse;
  const days = Math.floor((systemClock.now() - Date.parse(date)) / DAY_MS);
  const detail = `table of ${date}`;
  if (days <= MAX_COUNTRIES_AGE_DAYS) return okFinding('countries', detail);
  const advice = 'Upgrade Cairn, or give it a newer table: cairn geoip update SOURCE';
  return { about: 'countries', state: 'warning', detail: `${detail}, ${days} days old`, advice };
}

/** A folder that cannot be opened is a finding, too. */
async function checkRunningServer(context: CommandContext): Promise<Finding[]> {
  try {
    const operator = await context.operator();
    const health = await operator.run('check', {}, { progress: context.onProgress, signal: context.signal });
    const secretKey = await checkSecretKey(context.config, health.last_backup_file);
    return [...checkServer(health, systemClock.now()), secretKey];
  } catch (error) {
    const advice = 'See the message. With a backup: cairn restore FILE --replace';
    return [{ about: 'stores', state: 'bad', detail: (error as Error).message, advice }];
  }
}

const MARK = { ok: 'ok  ', warning: 'look', bad: 'BAD ' } as const;

const INDENT = '\n      ';

const describe = ({ about, state, detail, advice }: Finding): string =>
  `${MARK[state]}  ${about}: ${detail.replaceAll('\n', INDENT)}${state === 'ok' ? '' : `${INDENT}→ ${advice}`}`;
