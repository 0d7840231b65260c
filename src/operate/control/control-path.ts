import { join, relative } from 'node:path';

/** The socket lies here inside the data folder, in a folder that only its owner may enter. */
export const CONTROL_FOLDER = 'control';
const SOCKET_NAME = 'cairn.sock';

/** What systems allow for the path of a socket, with the zero at its end. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Where a running server listens for commands; null where the path is longer than a socket's may be. */
export function controlPath(dataDir: string, cwd = process.cwd()): string | null {
  const path = join(dataDir, CONTROL_FOLDER, SOCKET_NAME);
  const short = [path, relative(cwd, path)].find((one) => Buffer.byteLength(one) <= MAX_SOCKET_PATH_BYTES);
  return short ?? null;
}
