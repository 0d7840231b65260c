import { type Config, readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { randomIds } from '../lib/ids.ts';
import { move } from '../operate/move/move.ts';
import { MoveError } from '../operate/move/move-error.ts';
import { type MoveProgress, showProgress } from '../operate/move/progress.ts';
import { formatReport, type ReportLine } from '../operate/move/report.ts';
import { FEATURES, tablesOf } from '../runtime/features.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { readArgs, readPositionals } from './read-args.ts';

const HELP = `Moves an installation from a data folder to a cluster (PostgreSQL and ClickHouse).

  cairn move [--from DIR] --to-database-url postgres://user:password@host/cairn \\
    --to-clickhouse-url http://user:password@host:8123/cairn

  --from               The data folder; default DATA_DIR. It is only read.
  --to-database-url    An empty PostgreSQL database; default DATABASE_URL.
  --to-clickhouse-url  An empty ClickHouse database; default CLICKHOUSE_URL.

Stop the server first. LOG_PARTITIONS and CLICKHOUSE_CLUSTER are used; servers must be started with the same values. Run
the same command again to resume an interrupted move. At the end both sides are compared; exit code 0 means that they
are equal.`;

const SAME_MESSAGE = `Both sides are equal. Start servers with DATABASE_URL and CLICKHOUSE_URL. The folder was not changed.`;
const DIFFERENT_MESSAGE = `The two sides differ. Empty both databases and move again. The folder was not changed.`;

export const moveCommand: Command = {
  name: 'move',
  summary: 'Move an installation to PostgreSQL and ClickHouse.',
  help: HELP,
  async run({ config, out, json, signal }, args) {
    const kinds = { from: 'text', 'to-database-url': 'text', 'to-clickhouse-url': 'text' } as const;
    const { words, options } = readArgs(args, kinds);
    readPositionals(words);
    const to = readAddresses(config, options['to-database-url'], options['to-clickhouse-url']);
    const report = await move({
      from: options.from ?? config.dataDir,
      databaseUrl: to.databaseUrl,
      logPartitions: config.logPartitions,
      clickhouse: {
        url: to.clickhouseUrl,
        cluster: config.clickhouseCluster,
        queryTimeoutSeconds: MOVE_QUERY_TIMEOUT_SECONDS,
        ...config.clickhouseOptions,
      },
      tables: tablesOf(FEATURES),
      clock: systemClock,
      ids: randomIds,
      progress: stopOnAbort(showProgress(process.stderr), signal),
    });
    const isSame = report.every(({ differences }) => differences.length === 0);
    if (json) out.json(describe(report, isSame));
    else out.print(`\n${formatReport(report)}\n\n${isSame ? SAME_MESSAGE : DIFFERENT_MESSAGE}`);
    return isSame ? EXIT.done : EXIT.failed;
  },
};

/** Checksums of all events can take hours. */
const MOVE_QUERY_TIMEOUT_SECONDS = 86_400;

/** Validated like the settings. */
function readAddresses(config: Config, database: string | null, clickhouse: string | null) {
  const given = readConfig({
    DATABASE_URL: database ?? config.databaseUrl ?? undefined,
    CLICKHOUSE_URL: clickhouse ?? config.clickhouseUrl ?? undefined,
  });
  const { databaseUrl, clickhouseUrl } = given;
  if (databaseUrl !== null && clickhouseUrl !== null) return { databaseUrl, clickhouseUrl };
  throw new UsageError('Set --to-database-url and --to-clickhouse-url.');
}

/** Stops after the current batch. */
const stopOnAbort = (progress: MoveProgress, signal: AbortSignal): MoveProgress => ({
  ...progress,
  add(count) {
    progress.add(count);
    if (signal.aborted) throw new MoveError('Stopped. Run the same command to resume.');
  },
});

const describe = (report: readonly ReportLine[], isSame: boolean) => ({
  same: isSame,
  compared: report.map(({ what, source, target, differences }) => ({ what, source, target, differences })),
});
