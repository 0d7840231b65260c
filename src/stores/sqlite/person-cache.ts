/**
 * The persons asked about last, as they were read: whoever asks for flags once mostly asks again. It never knows less
 * than was said: the thread that writes them says which persons changed, and whatever is written on this thread makes
 * it forget all (see decision 33). 'Nobody has this id' is not remembered, so a new id needs no word.
 */
import type { SubjectPerson } from '../metadata/subjects.ts';

interface CachedPerson {
  person: SubjectPerson;
  uuid: string;
  projectId: number;
  distinctId: string;
  size: number;
}

/** Of properties as JSON; in memory they take about three times as much. */
const MAX_CACHED_CHARS = 48 * 1024 * 1024;
/** What an entry takes beside its properties. */
const ENTRY_OVERHEAD = 150;
/** A person with more than this is read each time. */
const MAX_PERSON_CHARS = 16 * 1024;

export class PersonCache {
  readonly #most: number;
  /** By project and distinct id; a person is remembered under one id at a time. */
  readonly #byId = new Map<number, Map<string, CachedPerson>>();
  /** In the order in which they came: the first one goes first. */
  readonly #byUuid = new Map<string, CachedPerson>();
  #size = 0;

  constructor(most = MAX_CACHED_CHARS) {
    this.#most = most;
  }

  get(projectId: number, distinctId: string): SubjectPerson | undefined {
    return this.#byId.get(projectId)?.get(distinctId)?.person;
  }

  /** `text`: how long the person's properties are as JSON. */
  set(projectId: number, distinctId: string, uuid: string, person: SubjectPerson, text: number): void {
    if (text > MAX_PERSON_CHARS) return;
    this.invalidate([uuid]);
    const one = { person, uuid, projectId, distinctId, size: text + ENTRY_OVERHEAD };
    this.#ofProject(projectId).set(distinctId, one);
    this.#byUuid.set(uuid, one);
    this.#size += one.size;
    for (const [oldest] of this.#byUuid) {
      if (this.#size <= this.#most) break;
      this.invalidate([oldest]);
    }
  }

  /** These have changed, or are no more. */
  invalidate(uuids: readonly string[]): void {
    for (const uuid of uuids) {
      const one = this.#byUuid.get(uuid);
      if (one === undefined) continue;
      this.#byUuid.delete(uuid);
      this.#byId.get(one.projectId)?.delete(one.distinctId);
      this.#size -= one.size;
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
