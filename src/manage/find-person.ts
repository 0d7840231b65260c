import { notFound } from '../core/errors.ts';
import { isUuid } from '../core/events/uuid.ts';
import type { KnownPerson, PersonJournal } from '../stores/person-journal.ts';

const WHOLE = /^\d{1,15}$/;

/** The person that a path names, by number or by uuid. */
export async function findPerson(journal: PersonJournal, projectId: number, key: string): Promise<KnownPerson> {
  const person = WHOLE.test(key)
    ? await journal.find(projectId, Number(key))
    : isUuid(key)
      ? await journal.find(projectId, key.toLowerCase())
      : null;
  if (!person) throw notFound();
  return person;
}
