/** `npm run move -- --from ./data --to-database-url postgres://… --to-clickhouse-url http://…` */
import { parseArgs } from 'node:util';
import { type Config, ConfigError, type Environment, readConfig } from './config.ts';
import { systemClock } from './lib/clock.ts';
import { randomIds } from './lib/ids.ts';
import { move } from './move/move.ts';
import { MoverError } from './move/mover-error.ts';
import { type Progress, showProgress } from './move/progress.ts';
import { sayReport } from './move/report.ts';

const HELP = `Moves an installation from one machine (a data folder) to many (PostgreSQL and ClickHouse).

  npm run move -- --from ./data --to-database-url postgres://user:password@host/cairn \\
    --to-clickhouse-url http://user:password@host:8123/cairn

  --from               the data folder; by default DATA_DIR. It is read and left as it is.
  --to-database-url    an empty database of PostgreSQL; by default DATABASE_URL
  --to-clickhouse-url  an empty database of ClickHouse; by default CLICKHOUSE_URL

Stop the server first. LOG_PARTITIONS and CLICKHOUSE_CLUSTER are heeded, and later starts must say the same. The move can
be ended at any moment: the same command goes on where it has stopped. At the end everything is compared; exit code 0
says that both sides are the same.`;

const FLAGS = {
  from: { type: 'string' },
  'to-database-url': { type: 'string' },
  'to-clickhouse-url': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: FLAGS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const config = readConfig({
    ...process.env,
    ...given('DATA_DIR', values.from),
    ...given('DATABASE_URL', values['to-database-url']),
    ...given('CLICKHOUSE_URL', values['to-clickhouse-url']),
  });
  const { databaseUrl, clickhouseUrl } = config;
  if (databaseUrl === null || clickhouseUrl === null) {
    throw new MoverError('Say where to: --to-database-url and --to-clickhouse-url.');
  }
  const report = await run(config, databaseUrl, clickhouseUrl);
  console.log(`\n${sayReport(report)}\n`);
  const isSame = report.every(({ differences }) => differences.length === 0);
  console.log(isSame ? DONE : FAILED);
  return isSame ? 0 : 1;
}

const DONE = `Everything is the same on both sides. Start servers with DATABASE_URL and CLICKHOUSE_URL; the folder was not changed.`;
const FAILED = `The two sides differ. Empty the two databases and move again; the folder was not changed.`;

const given = (name: string, value: string | undefined): Environment => (value === undefined ? {} : { [name]: value });

function run(config: Config, databaseUrl: string, clickhouseUrl: string) {
  const { dataDir, logPartitions, clickhouseCluster, clickhouseOptions } = config;
  return move({
    from: dataDir,
    databaseUrl,
    logPartitions,
    clickhouse: { url: clickhouseUrl, cluster: clickhouseCluster, queryTimeoutSeconds: 86_400, ...clickhouseOptions },
    clock: systemClock,
    ids: randomIds,
    progress: interruptible(showProgress(process.stderr)),
  });
}

/** Asked to stop, it ends after the piece at hand; a second time it ends at once, which does no harm either. */
function interruptible(progress: Progress): Progress {
  let isAsked = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isAsked) process.exit(130);
      isAsked = true;
    });
  }
  return {
    ...progress,
    add(count) {
      progress.add(count);
      if (isAsked) throw new MoverError('Interrupted. The same command goes on from here.');
    },
  };
}

try {
  process.exitCode = await main();
} catch (error) {
  const { message, stack, code } = error as Error & { code?: string };
  const isPlain =
    error instanceof MoverError || error instanceof ConfigError || code?.startsWith('ERR_PARSE_ARGS') === true;
  console.error(`\nNot moved.\n\n${isPlain ? message : (stack ?? message)}`);
  process.exitCode = 1;
}
