import type { ProjectDirectory } from '../../access/project-directory.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Admission } from '../admission/admission.ts';
import type { LogAnswer } from '../request-log.ts';
import type { EventLimits } from './decode/parse-body.ts';

/** What every public route needs; features add what their handlers use. */
export interface PublicRouteDeps {
  directory: Pick<ProjectDirectory, 'getProject' | 'cached'>;
  clock: Clock;
  ids: Ids;
  admission: Admission;
  config: EventLimits & { maxBodyBytes: number; maxFlagsBodyBytes: number; maxUnpackingRatio: number };
  logAnswer: LogAnswer;
}
