/** What a move from the embedded set writes down in the database that it moves to, among the facts of the installation. */
import { Failure } from '../../core/errors.ts';
import type { InstallationStore } from './metadata-store.ts';

export const MOVE_PREFIX = 'move:';
/** From where it comes, written first. */
export const MOVE_SOURCE = 'move:source';
/** Everything has arrived and was compared. */
export const MOVE_FINISHED = 'move:finished';

/** A server that worked on half of an installation would take the other half for gone. */
export async function requireFinishedMove(installation: Pick<InstallationStore, 'get'>): Promise<void> {
  if ((await installation.get(MOVE_SOURCE)) === null || (await installation.get(MOVE_FINISHED)) !== null) return;
  throw new Failure(
    'unavailable',
    'An installation is being moved to this database, and not all of it has arrived. Run the same `npm run move` ' +
      'again until it says that everything is the same, then start the server.',
  );
}
