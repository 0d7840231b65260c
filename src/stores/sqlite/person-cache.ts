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
  /** In insertion order: the first entry is evicted first. */
  readonly #byUuid = new Map<string, CachedPerson>();
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
    const entry = { person, uuid, projectId, distinctId, size: chars + ENTRY_OVERHEAD };
    this.#ofProject(projectId).set(distinctId, entry);
    this.#byUuid.set(uuid, entry);
    this.#size += entry.size;
    for (const [oldest] of this.#byUuid) {
      if (this.#size <= this.#maxChars) break;
      this.invalidate([oldest]);
    }
  }

  invalidate(uuids: readonly string[]): void {
    for (const uuid of uuids) {
      const entry = this.#byUuid.get(uuid);
      if (entry === undefined) continue;
      this.#byUuid.delete(uuid);
      this.#byId.get(entry.projectId)?.delete(entry.distinctId);
      this.#size -= entry.size;
    }
  }

  invalidateAll(): void {
    this.#byId.clear();
    this.#byUuid.clear();
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
