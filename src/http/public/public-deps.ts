import type { ProjectDirectory } from '../../access/project-directory.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { LogAnswer } from '../request-log.ts';

/** What every public route is built from; a feature adds what its own handlers use. */
export interface PublicRouteDeps {
  directory: ProjectDirectory;
  clock: Clock;
  ids: Ids;
  config: { maxBodyBytes: number };
  /** Tells of an answer that is about to be given. */
  logAnswer: LogAnswer;
}
