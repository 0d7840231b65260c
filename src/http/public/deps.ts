import type { DecideDeps } from '../../decide/decide.ts';
import type { EventDoor } from '../../ingest/event-door.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { ProjectDirectory } from '../../manage/project-directory.ts';
import type { Tell } from '../tell-answers.ts';

/** What the public doors are built from. */
export interface PublicDeps {
  directory: ProjectDirectory;
  ingestion: Pick<EventDoor, 'accept'>;
  decide: DecideDeps;
  clock: Clock;
  ids: Ids;
  config: { maxBodyBytes: number };
  /** Tells of an answer that is about to be given. */
  tell: Tell;
}
