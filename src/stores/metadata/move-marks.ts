/** Progress of a move from the embedded backend, stored in the installation table of the target database. */
import { Failure } from '../../core/errors.ts';
import type { InstallationStore } from './metadata-store.ts';

export const MOVE_PREFIX = 'move:';
/** Written first: the source of the data. */
export const MOVE_SOURCE = 'move:source';
/** Written last: everything was copied and compared. */
export const MOVE_FINISHED = 'move:finished';

/** A server that ran on half of the data would treat the other half as deleted. */
export async function requireFinishedMove(installation: Pick<InstallationStore, 'get'>): Promise<void> {
  if ((await installation.get(MOVE_SOURCE)) === null || (await installation.get(MOVE_FINISHED)) !== null) return;
  throw new Failure(
    'unavailable',
    'An installation is being moved to this database, and not all of it has arrived. Run the same `npm run move` ' +
      'again until it says that everything is the same, then start the server.',
  );
}
