/** Start, listen, stop gracefully. */

import { type Config, ConfigError, configHelp, readConfig } from './config.ts';
import { openLog } from './lib/log.ts';
import { openApp } from './runtime/app.ts';
import { firstStartMessage } from './runtime/first-start-message.ts';

/** A stop that takes longer than this is cut short: an orchestrator would do the same, less kindly. */
const STOP_WITHIN_MS = 10_000;

async function main(): Promise<void> {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(configHelp());
    return;
  }
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  const app = await openApp({ config, log });
  const show = (address: string): void => {
    if (app.firstStart) console.log(firstStartMessage(config.publicUrl ?? address, app.firstStart));
  };
  const address = await app.listen().catch(async (error: unknown) => {
    // The first start has happened, and its keys are kept nowhere: shown now, or never.
    show(`http://${config.host}:${config.port}`);
    await app.close();
    throw notListening(config, error);
  });
  show(address);
  log.info({ address, dataDir: config.dataDir, ms: Math.round(performance.now()) }, 'ready');

  const stop = async (signal: string): Promise<void> => {
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
      log.error({ err }, 'stopped, but not all could be closed in order');
      process.exit(1);
    }
  };
  if (config.faults) process.on('SIGUSR2', () => app.crashWorker());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
}

/** The usual reasons, in words that lead to the setting. */
function notListening({ host, port }: Config, cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    EADDRINUSE: `PORT ${port} on ${host} is taken by another process. Stop it, or choose another PORT.`,
    EACCES: `PORT ${port} may not be opened by this user. Choose one from 1024 on.`,
    EADDRNOTAVAIL: `HOST ${host} is no address of this machine.`,
    ENOTFOUND: `HOST ${host} is no address of this machine.`,
  };
  return new Error(reasons[code ?? ''] ?? message, { cause });
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ConfigError ? '\n\nAll settings: npm start -- --help' : '';
  console.error(`Cairn did not start.\n\n${message}${hint}`);
  process.exit(1);
});
