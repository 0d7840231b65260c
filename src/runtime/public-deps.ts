import type { ProjectDirectory } from '../access/project-directory.ts';
import type { DecideDeps } from '../features/flags/decide/decide.ts';
import type { LogAnswer } from '../http/request-log.ts';
import type { EventIntake } from '../ingest/accept/event-intake.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';

/** What the public doors are built from. */
export interface PublicDeps {
  directory: ProjectDirectory;
  ingestion: Pick<EventIntake, 'accept'>;
  decide: DecideDeps;
  clock: Clock;
  ids: Ids;
  config: { maxBodyBytes: number };
  /** Tells of an answer that is about to be given. */
  logAnswer: LogAnswer;
}
