/**
 * Persons from elsewhere, joined with those who are here. Each is looked for by its ids and its uuid: nobody has one of
 * them, and it is new; one person has, and gets the ids and properties that it lacks; several have, and it is left out,
 * because who is who is for events to tell.
 */

import type { ImportedPerson } from '../../../core/events/import-line.ts';
import { personUuid } from '../../../core/events/uuid.ts';
import { cleanJson } from '../../../core/json/clean-json.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { applyProperties } from '../../../core/persons/apply-properties.ts';
import type { Person } from '../../../core/persons/person.ts';
import type { HistoryEntry, PersonChanges, PersonOp } from '../../../core/persons/person-changes.ts';

interface ImportContext {
  projectId: number;
  now: number;
  /** Persons by uuid, as far as the lines name them or their ids. */
  persons: Iterable<Person>;
  distinctIds: Iterable<{ distinctId: string; personUuid: string }>;
  /** Whether somebody has or had the uuid. */
  isTaken(uuid: string): boolean;
}

/** No event brought them, so the history names none. */
const NO_EVENT = '';

export class PersonImport {
  readonly #facts: ImportContext;
  readonly #persons = new Map<string, Person>();
  readonly #owners = new Map<string, string>();
  readonly #isNew = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #ops: PersonOp[] = [];
  readonly #history: HistoryEntry[] = [];

  constructor(facts: ImportContext) {
    this.#facts = facts;
    for (const person of facts.persons) this.#persons.set(person.uuid, person);
    for (const { distinctId, personUuid: uuid } of facts.distinctIds) this.#owners.set(distinctId, uuid);
  }

  /** Why the person is left out; null where it is taken in. */
  add(line: ImportedPerson): string | null {
    const found = new Set(line.distinctIds.flatMap((id) => this.#owners.get(id) ?? []));
    if (line.uuid !== null && this.#persons.has(line.uuid)) found.add(line.uuid);
    if (found.size > 1) return `its ids belong to ${found.size} persons here: import the events that join them first`;
    const [owner] = found;
    const person = owner === undefined ? this.#begin(line) : this.#complete(owner, line);
    if (person === null) return 'no uuid is free for it';
    for (const distinctId of line.distinctIds) {
      if (this.#owners.has(distinctId)) continue;
      this.#owners.set(distinctId, person.uuid);
      this.#ops.push({ op: 'add_id', projectId: person.projectId, distinctId, personUuid: person.uuid });
    }
    return null;
  }

  changes(): PersonChanges {
    const persons = [...this.#changed].flatMap((uuid) => {
      const person = this.#persons.get(uuid);
      return person ? [{ person, isNew: this.#isNew.has(uuid), mergedInto: null }] : [];
    });
    return { persons, ops: this.#ops, history: this.#history, overrides: [] };
  }

  /** Nobody knows when a new person got its properties, so nothing is written of their past. */
  #begin({ uuid, distinctIds, createdAt, isIdentified, properties }: ImportedPerson): Person | null {
    const { projectId, now, isTaken } = this.#facts;
    const isFree = (one: string): boolean => !this.#persons.has(one) && !isTaken(one);
    const free = candidateUuids(projectId, uuid, distinctIds[0] ?? '').find(isFree);
    if (free === undefined) return null;
    const person: Person = {
      projectId,
      uuid: free,
      createdAt: Math.min(createdAt ?? now, now),
      properties: cleanJson(properties) as JsonObject,
      isIdentified: isIdentified ?? false,
      version: 0,
    };
    this.#isNew.add(free);
    return this.#keep(person);
  }

  #complete(uuid: string, line: ImportedPerson): Person | null {
    const before = this.#persons.get(uuid);
    if (before === undefined) return null;
    const { projectId, now } = this.#facts;
    const { properties, changes } = applyProperties(before.properties, {
      set: cleanJson(line.properties) as JsonObject,
    });
    const after: Person = {
      ...before,
      properties,
      createdAt: Math.min(before.createdAt, line.createdAt ?? before.createdAt),
      isIdentified: before.isIdentified || line.isIdentified === true,
      version: before.version + 1,
    };
    const isSame =
      changes.length === 0 && after.createdAt === before.createdAt && after.isIdentified === before.isIdentified;
    if (isSame) return before;
    const of = { projectId, personUuid: uuid, at: now, eventUuid: NO_EVENT };
    if (!this.#isNew.has(uuid)) this.#history.push(...changes.map((change) => ({ ...of, ...change })));
    return this.#keep(after);
  }

  #keep(person: Person): Person {
    this.#persons.set(person.uuid, person);
    this.#changed.add(person.uuid);
    return person;
  }
}

/** Its own uuid first; then the one that the first id would give rise to here. */
export const candidateUuids = (projectId: number, uuid: string | null, distinctId: string): string[] => [
  ...(uuid === null ? [] : [uuid]),
  personUuid(projectId, distinctId),
  ...[1, 2, 3].map((n) => personUuid(projectId, `${distinctId}\u0000${n}`)),
];
