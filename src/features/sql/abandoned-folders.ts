/** Temporary folders of servers that were killed. Those of servers that run have a socket on which they listen. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What their names begin with. */
export const FOLDER_PREFIX = 'cairn-sql-';
export const SOCKET_NAME = 's';

export async function removeAbandonedFolders(within = tmpdir()): Promise<void> {
  const names = (await readdir(within)).filter((name) => name.startsWith(FOLDER_PREFIX));
  await Promise.all(names.map((name) => removeIfAbandoned(join(within, name))));
}

async function removeIfAbandoned(folder: string): Promise<void> {
  const problem = await connectionProblem(join(folder, SOCKET_NAME));
  // Folders of other users are left alone: they cannot be read.
  if (problem === 'ECONNREFUSED') await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  // Fails if its server has begun to listen by now.
  else if (problem === 'ENOENT') await rmdir(folder).catch(() => undefined);
}

/** Null: there is none. */
const connectionProblem = (socket: string): Promise<string | null> =>
  new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve(null);
    });
    connection.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
  });
