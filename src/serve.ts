/** The server process: starts, listens, stops gracefully. */

import { type Config, ConfigError, configHelp, readConfig } from './config.ts';
import { collectWhenQuiet } from './lib/collect-when-quiet.ts';
import { growHeaps } from './lib/grow-heaps.ts';
import { keepTickShape } from './lib/keep-tick-shape.ts';
import { openLog } from './lib/log.ts';
import { openApp } from './runtime/app.ts';
import { firstStartMessage } from './runtime/first-start-message.ts';

/** After this the process exits anyway, before an orchestrator kills it. */
const STOP_WITHIN_MS = 10_000;
/** After the start, until its garbage is collected. */
const QUIET_MS = 2000;

async function main(): Promise<void> {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(configHelp());
    return;
  }
  keepTickShape();
  // Files that any library creates are for this user only.
  process.umask(0o077);
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  const app = await openApp({ config, log });
  const show = (address: string, isListening: boolean): void => {
    if (app.firstStart) console.log(firstStartMessage(config.publicUrl ?? address, app.firstStart, isListening));
  };
  const address = await app.listen().catch(async (error: unknown) => {
    // The keys of the first start are stored nowhere: they can only be shown now.
    show(`http://${config.host}:${config.port}`, false);
    await app.close();
    throw notListening(config, error);
  });
  show(address, true);
  log.info({ address, dataDir: config.dataDir, ms: Math.round(performance.now()) }, 'ready');
  collectWhenQuiet(QUIET_MS);

  // After a crash the event store may still be reading its journal.
  app.opened.then(growHeaps, async (error: unknown) => {
    await app.close().catch(() => undefined);
    fail(error);
  });

  let isStopping = false;
  const stop = async (signal: string): Promise<void> => {
    // Ctrl-C under npm sends two; the first is enough.
    if (isStopping) return log.info({ signal }, `already stopping; this takes ${STOP_WITHIN_MS / 1000} s at most`);
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('could not stop in time');
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    try {
      await app.close();
      log.info('stopped');
      process.exit(0);
    } catch (err) {
      log.error({ err }, 'stopped, but not everything could be closed');
      process.exit(1);
    }
  };
  if (config.faults) process.on('SIGUSR2', () => app.crashWorker());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}

/** Names the setting to change. */
function notListening({ host, port }: Config, cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    EADDRINUSE: `PORT ${port} on ${host} is in use by another process. Stop it, or choose another PORT.`,
    EACCES: `PORT ${port} cannot be opened by this user. Choose 1024 or higher.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `HOST ${host} is not an address of this machine.`,
  };
  return new Error(reasons[code ?? ''] ?? message, { cause });
}

function hintFor(error: unknown): string {
  if (error instanceof ConfigError) return '\n\nAll settings: npm start -- --help';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('SQLITE_')
    ? `\n\nA file in DATA_DIR cannot be read or written (${code}). To find out which: cairn doctor`
    : '';
}

function fail(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`Cairn did not start.\n\n${message}${hintFor(error)}`);
  process.exit(1);
}

main().catch(fail);
