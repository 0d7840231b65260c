/** The process of a relay: starts, listens, stops gracefully. */
import { configHelp, readConfig } from './config.ts';
import { keepTickShape } from './lib/keep-tick-shape.ts';
import { openLog } from './lib/log.ts';
import { openRelay } from './runtime/relay/relay-app.ts';

const STOP_WITHIN_MS = 10_000;

async function main(): Promise<void> {
  if (process.argv.includes('--help') || process.argv.includes('-h')) return console.log(configHelp());
  keepTickShape();
  // The files are for this user only.
  process.umask(0o077);
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  const app = await openRelay({ config, log });
  const address = await app.listen();
  log.info({ address, upstream: config.upstreamUrl, ms: Math.round(performance.now()) }, 'ready');
  const stop = (signal: string): void => {
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    app.close().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'stopped, but not everything could be closed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
}

main().catch((error: unknown) => {
  console.error(`The relay did not start.\n\n${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
