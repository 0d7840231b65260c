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

const HELP = `Moves an installation from one machine (a data folder) to many (PostgreSQL and ClickHouse).

  cairn move [--from DIR] --to-database-url postgres://user:password@host/cairn \\
    --to-clickhouse-url http://user:password@host:8123/cairn

  --from               The data folder; without it, DATA_DIR. It is read and left as it is.
  --to-database-url    An empty database of PostgreSQL; without it, DATABASE_URL.
  --to-clickhouse-url  An empty database of ClickHouse; without it, CLICKHOUSE_URL.

Stop the server first. LOG_PARTITIONS and, beside both addresses as settings, CLICKHOUSE_CLUSTER are heeded; later starts
must say the same. The move can end at any moment: the same command goes on where it has stopped. At the end everything is
compared, and exit code 0 says that both sides are the same.`;

const SAME_MESSAGE = `Everything is the same on both sides. Start servers with DATABASE_URL and CLICKHOUSE_URL. The folder was not changed.`;
const DIFFERENT_MESSAGE = `The two sides differ. Empty the two databases and move again. The folder was not changed.`;

export const moveCommand: Command = {
  name: 'move',
  summary: 'Moves an installation to PostgreSQL and ClickHouse.',
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

/** To add up all events of an installation takes as long as it takes. */
const MOVE_QUERY_TIMEOUT_SECONDS = 86_400;

/** Checked as the settings of the same meaning are. */
function readAddresses(config: Config, database: string | null, clickhouse: string | null) {
  const given = readConfig({
    DATABASE_URL: database ?? config.databaseUrl ?? undefined,
    CLICKHOUSE_URL: clickhouse ?? config.clickhouseUrl ?? undefined,
  });
  const { databaseUrl, clickhouseUrl } = given;
  if (databaseUrl !== null && clickhouseUrl !== null) return { databaseUrl, clickhouseUrl };
  throw new UsageError('Say where to: --to-database-url and --to-clickhouse-url.');
}

/** Asked to stop, it ends after the piece at hand. */
const stopOnAbort = (progress: MoveProgress, signal: AbortSignal): MoveProgress => ({
  ...progress,
  add(count) {
    progress.add(count);
    if (signal.aborted) throw new MoveError('Stopped. The same command goes on from here.');
  },
});

const describe = (report: readonly ReportLine[], isSame: boolean) => ({
  same: isSame,
  compared: report.map(({ what, source, target, differences }) => ({ what, source, target, differences })),
});
