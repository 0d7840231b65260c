import { Failure } from '../../core/errors.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { SubjectStore } from '../../stores/metadata/subjects.ts';

/**
 * The reads of flag decisions with a time limit: a database that does not answer must not keep a page from getting the
 * flags that need no stored person.
 */
export const timeLimitedSubjects = (subjects: SubjectStore): SubjectStore =>
  withTimeout(subjects, {
    timeoutMs: 1500,
    failFastMs: 1000,
    error: () => new Failure('unavailable', 'The database does not answer; try again in a moment.', { retryAfter: 2 }),
    except: ['refresh', 'listGroupTypes'],
  });
