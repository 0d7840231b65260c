/**
 * Reads for decisions, with an end. A database that is away without a word must not keep a page from getting its flags:
 * those that need no stored person are decided from memory. After one has waited in vain, others do not even begin to,
 * for a moment.
 */
import { Failure } from '../../core/errors.ts';
import type { SubjectStore } from '../../stores/metadata/subjects.ts';

const PATIENCE_MS = 1500;
const PAUSE_MS = 1000;

export function impatient(subjects: SubjectStore, patienceMs = PATIENCE_MS): SubjectStore {
  let closedUntil = 0;
  const away = (): Failure =>
    new Failure('unavailable', 'The database does not answer; try again in a moment.', { retryAfter: 2 });
  const soon = async <T>(ask: () => Promise<T> | T): Promise<T> => {
    if (performance.now() < closedUntil) throw away();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        closedUntil = performance.now() + PAUSE_MS;
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
    personOf: (...question) => soon(() => subjects.personOf(...question)),
    personsOf: (...question) => soon(() => subjects.personsOf(...question)),
    groupTypes: (...question) => subjects.groupTypes(...question),
    groups: (...question) => soon(() => subjects.groups(...question)),
    cohortsWith: (...question) => soon(() => subjects.cohortsWith(...question)),
    overridesOf: (...question) => soon(() => subjects.overridesOf(...question)),
    addOverrides: (...overrides) => soon(() => subjects.addOverrides(...overrides)),
  };
}
