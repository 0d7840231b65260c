import { join, relative } from 'node:path';

/** The folder of the socket in the data folder; only its owner can open it. */
export const CONTROL_FOLDER = 'control';
const SOCKET_NAME = 'cairn.sock';

/** The limit of operating systems. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Where a running server listens for commands; null if the path is too long for a socket. */
export function controlPath(dataDir: string, cwd = process.cwd()): string | null {
  const path = join(dataDir, CONTROL_FOLDER, SOCKET_NAME);
  const short = [path, relative(cwd, path)].find((one) => Buffer.byteLength(one) <= MAX_SOCKET_PATH_BYTES);
  return short ?? null;
}
