import { personUuid } from '../events/uuid.ts';
import type { JsonObject } from '../json/json.ts';
import type { Person } from './person.ts';
import type { PersonState } from './person-changes.ts';

/** The persons that a chunk of events is about, loaded before it is handled. */
export interface KnownPersons {
  persons: Iterable<Person>;
  /** Every known distinct id that the chunk's events name (`distinctIdsOf`). */
  distinctIds: Iterable<{ projectId: number; distinctId: string; personUuid: string }>;
  /**
   * Whether a uuid is taken: a person has it or had it, or an override leads away from it. Events stored under it would
   * belong to another person.
   */
  isTaken(projectId: number, uuid: string): boolean;
}

export interface RegisterEntry extends PersonState {
  isChanged: boolean;
  /** Properties of events whose implicit updates have not been applied yet, in order. */
  pendingProperties: JsonObject[];
}

export const newEntry = (person: Person, isNew: boolean): RegisterEntry => ({
  person,
  isNew,
  isChanged: isNew,
  mergedInto: null,
  pendingProperties: [],
});

/** The state of persons while a chunk is handled: distinct ids, persons, and who was merged into whom. */
export class PersonRegister {
  readonly #entries = new Map<string, RegisterEntry>();
  readonly #ids = new Map<number, Map<string, string>>();
  readonly #freeUuids = new Map<string, string>();
  readonly #isTaken: KnownPersons['isTaken'];

  constructor(known: KnownPersons) {
    this.#isTaken = (projectId, uuid) => known.isTaken(projectId, uuid);
    for (const person of known.persons) this.add(newEntry(person, false));
    for (const { projectId, distinctId, personUuid } of known.distinctIds)
      this.setId(projectId, distinctId, personUuid);
  }

  add(entry: RegisterEntry): void {
    this.#entries.set(entry.person.uuid, entry);
  }

  setId(projectId: number, distinctId: string, uuid: string): void {
    const ids = this.#ids.get(projectId);
    if (ids === undefined) this.#ids.set(projectId, new Map([[distinctId, uuid]]));
    else ids.set(distinctId, uuid);
  }

  /** The current person of a distinct id. */
  find(projectId: number, distinctId: string): RegisterEntry | undefined {
    let uuid = this.#ids.get(projectId)?.get(distinctId) ?? null;
    if (uuid === null) return undefined;
    for (;;) {
      const entry: RegisterEntry | undefined = this.#entries.get(uuid);
      if (entry === undefined) throw new Error(`person ${uuid} of distinct id '${distinctId}' was not loaded`);
      if (entry.mergedInto === null) return entry;
      uuid = entry.mergedInto;
    }
  }

  /**
   * The uuid that the person of a new distinct id will have. Deterministic; if the usual one is taken, a number is added.
   * NUL separates it, because no distinct id contains one.
   */
  freeUuid(projectId: number, distinctId: string): string {
    const key = `${projectId}:${distinctId}`;
    const known = this.#freeUuids.get(key);
    if (known !== undefined && !this.#entries.has(known)) return known;
    let uuid = personUuid(projectId, distinctId);
    for (let n = 1; this.#entries.has(uuid) || this.#isTaken(projectId, uuid); n++) {
      uuid = personUuid(projectId, `${distinctId}\u0000${n}`);
    }
    this.#freeUuids.set(key, uuid);
    return uuid;
  }

  entries(): Iterable<RegisterEntry> {
    return this.#entries.values();
  }

  /** The persons that the chunk created, changed or merged away. */
  states(): PersonState[] {
    const changed = [...this.#entries.values()].filter((entry) => entry.isNew || entry.isChanged);
    return changed.map(({ person, isNew, mergedInto }) => ({ person, isNew, mergedInto }));
  }
}
