/**
 * Flag definitions in memory: one snapshot per project, read when it is first asked for and replaced when something in it
 * changes. Whoever changes a flag or a cohort calls `forget` before answering, so the next request sees the change.
 */
import type { Cohort } from '../stores/cohort-records.ts';
import type { FeatureFlag } from '../stores/flag-records.ts';
import type { MetadataStore } from '../stores/metadata-store.ts';

export interface Snapshot {
  flags: readonly FeatureFlag[];
  cohorts: readonly Cohort[];
}

export class Definitions {
  readonly #metadata: Pick<MetadataStore, 'flags' | 'cohorts'>;
  readonly #kept = new Map<number, Promise<Snapshot>>();

  constructor(metadata: Pick<MetadataStore, 'flags' | 'cohorts'>) {
    this.#metadata = metadata;
  }

  of(projectId: number): Promise<Snapshot> {
    const kept = this.#kept.get(projectId);
    if (kept !== undefined) return kept;
    const read = this.#read(projectId);
    this.#kept.set(projectId, read);
    // A failure is not remembered.
    read.catch(() => this.#kept.get(projectId) === read && this.#kept.delete(projectId));
    return read;
  }

  forget(projectId: number): void {
    this.#kept.delete(projectId);
  }

  async #read(projectId: number): Promise<Snapshot> {
    const { flags, cohorts } = this.#metadata;
    return { flags: await flags.ofProject(projectId), cohorts: await cohorts.ofProject(projectId) };
  }
}
