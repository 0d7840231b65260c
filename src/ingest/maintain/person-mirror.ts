/**
 * Brings the event store's copy of persons up to date before a query. Batches are copied between two chunks: so a person
 * who is deleted meanwhile is in no batch that is written after their deletion.
 */
import type { EventStore } from '../../stores/events/event-store.ts';
import type { IngestStore } from '../../stores/ingest/ingest-store.ts';

interface PersonMirrorDeps {
  ingest: Pick<IngestStore, 'listChangedPersons'>;
  events: Pick<EventStore, 'mirrorPersons' | 'mirrorPosition' | 'listMirroredProjects'>;
  runExclusive(work: () => Promise<boolean>): Promise<boolean>;
}

const BATCH_SIZE = 5000;

export class PersonMirror {
  readonly #deps: PersonMirrorDeps;
  /** For each project the current copy, and the next one where somebody waits for it. */
  readonly #running = new Map<number, Promise<void>>();
  readonly #next = new Map<number, Promise<void>>();

  constructor(deps: PersonMirrorDeps) {
    this.#deps = deps;
  }

  /** Resolves when the copy has everything written before the call. Callers share the next copy. */
  refresh(projectId: number): Promise<void> {
    const running = this.#running.get(projectId);
    if (running === undefined) return this.#start(projectId);
    const waiting = this.#next.get(projectId);
    if (waiting !== undefined) return waiting;
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.#next.delete(projectId);
        return this.#start(projectId);
      });
    this.#next.set(projectId, next);
    return next;
  }

  /** Brings every copy up to date; only to be called between two chunks. */
  async refreshAll(): Promise<void> {
    for (const projectId of await this.#deps.events.listMirroredProjects()) {
      while (await this.#copyBatch(projectId));
    }
  }

  #start(projectId: number): Promise<void> {
    const running = this.#copy(projectId).finally(() => {
      if (this.#running.get(projectId) === running) this.#running.delete(projectId);
    });
    this.#running.set(projectId, running);
    return running;
  }

  async #copy(projectId: number): Promise<void> {
    const { ingest, events, runExclusive } = this.#deps;
    const { removed, persons } = await ingest.listChangedPersons(projectId, await events.mirrorPosition(projectId), 1);
    if (removed.length + persons.length === 0) return;
    while (await runExclusive(() => this.#copyBatch(projectId)));
  }

  /** Whether there is more. */
  async #copyBatch(projectId: number): Promise<boolean> {
    const { ingest, events } = this.#deps;
    const batch = await ingest.listChangedPersons(projectId, await events.mirrorPosition(projectId), BATCH_SIZE);
    if (batch.removed.length + batch.persons.length > 0) await events.mirrorPersons(batch);
    return batch.persons.length === BATCH_SIZE;
  }
}
