import { personUuid } from '../events/uuid.ts';
import type { JsonObject } from '../json/json.ts';
import type { Person } from './person.ts';
import type { PersonState } from './person-changes.ts';

/** What must be known of persons before a chunk of events is handled. */
export interface KnownPersons {
  persons: Iterable<Person>;
  /** Every known distinct id that the chunk's events name (`distinctIdsOf`). */
  distinctIds: Iterable<{ projectId: number; distinctId: string; personUuid: string }>;
  /**
   * Whether a uuid is spoken for: a person has it or had it, or an override leads away from it. New events filed under
   * such a uuid would show up at somebody else.
   */
  isTaken(projectId: number, uuid: string): boolean;
}

export interface RegisterEntry extends PersonState {
  isChanged: boolean;
  /** Properties of events whose implicit updates have not been applied yet, in order. */
  pendingProperties: JsonObject[];
}

/** How a person stands in the register at first. */
export const newEntry = (person: Person, isNew: boolean): RegisterEntry => ({
  person,
  isNew,
  isChanged: isNew,
  mergedInto: null,
  pendingProperties: [],
});

/** Who is who at this moment of the chunk: distinct ids, persons, and who was merged into whom. */
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

  /** The living person behind a distinct id. */
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
   * The uuid of the person that a yet unknown distinct id would give rise to. Deterministic; where the usual one is
   * spoken for, a number makes it unique. NUL separates it, because no distinct id contains one.
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

  /** Created, changed or merged away since the beginning. */
  states(): PersonState[] {
    const touched = [...this.#entries.values()].filter((entry) => entry.isNew || entry.isChanged);
    return touched.map(({ person, isNew, mergedInto }) => ({ person, isNew, mergedInto }));
  }
}
