/**
 * Recently read persons: who requests flags once mostly requests them again. The writing thread names the persons that
 * changed, and any write about persons on this thread clears the cache (see decision 33). Unknown ids are not cached, so
 * new ids need no invalidation.
 */
import type { SubjectPerson } from '../metadata/subjects.ts';

interface CachedPerson {
  person: SubjectPerson;
  uuid: string;
  projectId: number;
  distinctId: string;
  size: number;
  /** The entry that came before this one, and the one after it. */
  older: CachedPerson | null;
  newer: CachedPerson | null;
}

/** Of properties as JSON; they take about three times as much memory. */
const MAX_CACHED_CHARS = 48 * 1024 * 1024;
/** Size of an entry without properties. */
const ENTRY_OVERHEAD = 150;
/** Larger persons are not cached. */
const MAX_PERSON_CHARS = 16 * 1024;

export class PersonCache {
  readonly #maxChars: number;
  /** By project and distinct id; a person is cached under entry id at a time. */
  readonly #byId = new Map<number, Map<string, CachedPerson>>();
  readonly #byUuid = new Map<string, CachedPerson>();
  /** Evicted first. A map knows its first entry, too, but looks for it among all that were deleted before: 0.2 ms. */
  #oldest: CachedPerson | null = null;
  #newest: CachedPerson | null = null;
  #size = 0;

  constructor(maxChars = MAX_CACHED_CHARS) {
    this.#maxChars = maxChars;
  }

  get(projectId: number, distinctId: string): SubjectPerson | undefined {
    return this.#byId.get(projectId)?.get(distinctId)?.person;
  }

  /** `chars`: length of the person's properties as JSON. */
  set(projectId: number, distinctId: string, uuid: string, person: SubjectPerson, chars: number): void {
    if (chars > MAX_PERSON_CHARS) return;
    this.invalidate([uuid]);
    const size = chars + ENTRY_OVERHEAD;
    const entry: CachedPerson = { person, uuid, projectId, distinctId, size, older: this.#newest, newer: null };
    if (this.#newest === null) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
    this.#ofProject(projectId).set(distinctId, entry);
    this.#byUuid.set(uuid, entry);
    this.#size += size;
    while (this.#size > this.#maxChars && this.#oldest !== null) this.#remove(this.#oldest);
  }

  invalidate(uuids: readonly string[]): void {
    for (const uuid of uuids) {
      const entry = this.#byUuid.get(uuid);
      if (entry !== undefined) this.#remove(entry);
    }
  }

  #remove(entry: CachedPerson): void {
    const { uuid, projectId, distinctId, size, older, newer } = entry;
    this.#byUuid.delete(uuid);
    this.#byId.get(projectId)?.delete(distinctId);
    this.#size -= size;
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
  }

  invalidateAll(): void {
    this.#byId.clear();
    this.#byUuid.clear();
    this.#oldest = null;
    this.#newest = null;
    this.#size = 0;
  }

  #ofProject(projectId: number): Map<string, CachedPerson> {
    const known = this.#byId.get(projectId);
    if (known !== undefined) return known;
    const persons = new Map<string, CachedPerson>();
    this.#byId.set(projectId, persons);
    return persons;
  }
}
