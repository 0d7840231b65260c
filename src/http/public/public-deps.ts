import type { ProjectDirectory } from '../../access/project-directory.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { LogAnswer } from '../request-log.ts';

/** What every public route needs; features add what their handlers use. */
export interface PublicRouteDeps {
  directory: ProjectDirectory;
  clock: Clock;
  ids: Ids;
  config: { maxBodyBytes: number };
  logAnswer: LogAnswer;
}
