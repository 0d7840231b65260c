/**
 * Reads for decisions, with an end. A database that is away without a word must not keep a page from getting its flags:
 * those that need no stored person are decided from memory. After one has waited in vain, others do not even begin to,
 * for a moment.
 */
import { Failure } from '../../core/errors.ts';
import type { SubjectStore } from '../../stores/metadata/subjects.ts';

const TIMEOUT_MS = 1500;
const FAIL_FAST_MS = 1000;

export function withTimeout(subjects: SubjectStore, patienceMs = TIMEOUT_MS): SubjectStore {
  let closedUntil = 0;
  const away = (): Failure =>
    new Failure('unavailable', 'The database does not answer; try again in a moment.', { retryAfter: 2 });
  const soon = async <T>(ask: () => Promise<T> | T): Promise<T> => {
    if (performance.now() < closedUntil) throw away();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        closedUntil = performance.now() + FAIL_FAST_MS;
        reject(away());
      }, patienceMs);
    });
    try {
      return await Promise.race([ask(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    refresh: () => subjects.refresh(),
    getPerson: (...question) => soon(() => subjects.getPerson(...question)),
    getPersons: (...question) => soon(() => subjects.getPersons(...question)),
    listGroupTypes: (...question) => subjects.listGroupTypes(...question),
    listGroups: (...question) => soon(() => subjects.listGroups(...question)),
    listCohortsWith: (...question) => soon(() => subjects.listCohortsWith(...question)),
    listOverrides: (...question) => soon(() => subjects.listOverrides(...question)),
    createOverrides: (...overrides) => soon(() => subjects.createOverrides(...overrides)),
  };
}
