/** Connects to the server that is running on the data folder, or else opens the folder in this process. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { openLog } from '../lib/log.ts';
import { findOperator } from '../operate/control/control-client.ts';
import { controlPath } from '../operate/control/control-path.ts';
import type { Operator } from '../operate/operator.ts';
import { openApp } from '../runtime/app.ts';
import { firstStartMessage } from '../runtime/first-start-message.ts';
import { DATA_FILES } from '../stores/data-files.ts';
import { FolderInUse } from '../stores/sqlite/folder-lock.ts';

export interface OperatorConnection {
  operator: Operator;
  isServer: boolean;
  close(): Promise<void>;
}

interface ConnectOptions {
  /** Whether an empty folder becomes a new installation or is refused. */
  mayInitialize: boolean;
  note(text: string): void;
}

export async function connect(config: Config, { mayInitialize, note }: ConnectOptions): Promise<OperatorConnection> {
  const path = controlPath(config.dataDir);
  const running = path === null ? null : await findOperator(path).catch(explain);
  if (running) return { operator: running, isServer: true, close: async () => undefined };
  if (!mayInitialize && !existsSync(join(config.dataDir, DATA_FILES.metadata))) throw noDataFolder(config.dataDir);
  const app = await openApp({ config, log: openLog('fatal', process.stderr) }).catch((error: unknown) => {
    throw error instanceof FolderInUse ? folderBusy(config.dataDir) : error;
  });
  if (app.firstStart)
    note(firstStartMessage(config.publicUrl ?? `http://${config.host}:${config.port}`, app.firstStart));
  return { operator: app.operator, isServer: false, close: () => app.close() };
}

function explain(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EACCES') throw error;
  throw new Error('The server on this folder belongs to another user. Run this command as that user.');
}

const noDataFolder = (folder: string): Error =>
  new Error(`There is no Cairn data in ${folder}. Set --data-dir or DATA_DIR, or start the server once.`);

const folderBusy = (folder: string): Error =>
  new Error(
    `Another Cairn process is using ${folder} and does not accept commands: it is starting, stopping, or a command itself. ` +
      'Try again in a moment.',
  );
