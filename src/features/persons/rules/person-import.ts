/**
 * Joins imported persons with existing ones, by distinct ids and uuid. If nobody has one of them, the person is new. If
 * one person does, it gets the missing ids and properties. If several do, the import is skipped, because only events
 * merge persons.
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
  /** The existing persons that the lines refer to by uuid or distinct id. */
  persons: Iterable<Person>;
  distinctIds: Iterable<{ distinctId: string; personUuid: string }>;
  /** Whether a person has or had the uuid. */
  isTaken(uuid: string): boolean;
}

/** The history entry of a change that no event made. */
const NO_EVENT = '';

export class PersonImport {
  readonly #context: ImportContext;
  readonly #persons = new Map<string, Person>();
  readonly #owners = new Map<string, string>();
  readonly #isNew = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #ops: PersonOp[] = [];
  readonly #history: HistoryEntry[] = [];

  constructor(context: ImportContext) {
    this.#context = context;
    for (const person of context.persons) this.#persons.set(person.uuid, person);
    for (const { distinctId, personUuid: uuid } of context.distinctIds) this.#owners.set(distinctId, uuid);
  }

  /** Why the person is skipped; null if it is imported. */
  add(line: ImportedPerson): string | null {
    const found = new Set(line.distinctIds.flatMap((id) => this.#owners.get(id) ?? []));
    if (line.uuid !== null && this.#persons.has(line.uuid)) found.add(line.uuid);
    if (found.size > 1) return `its ids belong to ${found.size} persons here: import the events that merge them first`;
    const [owner] = found;
    const person = owner === undefined ? this.#create(line) : this.#update(owner, line);
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

  /** No history: when a new person got its properties is unknown. */
  #create({ uuid, distinctIds, createdAt, isIdentified, properties }: ImportedPerson): Person | null {
    const { projectId, now, isTaken } = this.#context;
    const isFree = (candidate: string): boolean => !this.#persons.has(candidate) && !isTaken(candidate);
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
    return this.#set(person);
  }

  #update(uuid: string, line: ImportedPerson): Person | null {
    const before = this.#persons.get(uuid);
    if (before === undefined) return null;
    const { projectId, now } = this.#context;
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
    const common = { projectId, personUuid: uuid, at: now, eventUuid: NO_EVENT };
    if (!this.#isNew.has(uuid)) this.#history.push(...changes.map((change) => ({ ...common, ...change })));
    return this.#set(after);
  }

  #set(person: Person): Person {
    this.#persons.set(person.uuid, person);
    this.#changed.add(person.uuid);
    return person;
  }
}

/** Its own uuid first, then those derived from its first distinct id. */
export const candidateUuids = (projectId: number, uuid: string | null, distinctId: string): string[] => [
  ...(uuid === null ? [] : [uuid]),
  personUuid(projectId, distinctId),
  ...[1, 2, 3].map((n) => personUuid(projectId, `${distinctId}\u0000${n}`)),
];
