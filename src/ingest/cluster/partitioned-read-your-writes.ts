/**
 * Read your writes (decision 15) over the partitions of the log: what was acknowledged about somebody waits in one or
 * two of them, accepted here or by another node.
 */
import type { ChangedNote } from '../../stores/cluster/node-messages.ts';
import type { Positions } from '../../stores/cluster/partitioned-log.ts';
import { ReadYourWrites } from '../accept/read-your-writes.ts';
import { subjectMark } from './split-by-partition.ts';

export interface PartitionedWritesDeps {
  /** The newest entry of each partition in which something waited at the start; 0 elsewhere. */
  unread: Positions;
  partitions: number;
  hurry(): void;
  patienceMs?: number;
}

/** Said in place of a partition where even the projects were too many to be told. */
export const ANYWHERE = -1;

/** Merges of one request may hang together, and stand in any order. Chains that need more than this are nobody's. */
const ROUNDS = 3;

export class PartitionedWrites {
  readonly #each: readonly ReadYourWrites[];

  constructor({ unread, partitions, ...deps }: PartitionedWritesDeps) {
    this.#each = Array.from(
      { length: partitions },
      (_, partition) => new ReadYourWrites({ ...deps, unread: unread.get(partition) ?? 0 }),
    );
  }

  get outdated(): number {
    return this.#each.reduce((sum, { outdated }) => sum + outdated, 0);
  }

  /** `heads`: up to where each partition reaches with what the notes are about. */
  note(notes: readonly ChangedNote[], heads: Positions): void {
    for (const [partition, projectId, marks] of notes) {
      if (partition === ANYWHERE) for (const [one, seq] of heads) this.#each[one]?.crowdAll(seq);
      const seq = heads.get(partition);
      if (seq === undefined) continue;
      if (marks === null) this.#each[partition]?.crowd(seq, projectId);
      else this.#each[partition]?.note(seq, projectId, marks);
    }
    this.#join(notes);
  }

  /**
   * A merge may be processed before what waits in another partition about either of both: whoever asks about one of them
   * has to wait for that as well.
   */
  #join(notes: readonly ChangedNote[]): void {
    const joined = notes.flatMap(([, projectId, , pairs = []]) => pairs.map(([a, b]) => ({ projectId, a, b })));
    if (joined.length === 0) return;
    for (const one of this.#each) {
      if (!one.isWaiting) continue;
      for (let round = 0; round < ROUNDS; round++) for (const { projectId, a, b } of joined) one.join(projectId, a, b);
    }
  }

  settled(projectId: number, subjects: readonly string[]): Promise<void> | undefined {
    let marks: string[] | undefined;
    let waiting: Promise<void>[] | undefined;
    for (const one of this.#each) {
      if (!one.isWaiting) continue;
      marks ??= subjects.map(subjectMark);
      const settled = one.settled(projectId, marks);
      if (settled) waiting = [...(waiting ?? []), settled];
    }
    return waiting && Promise.all(waiting).then(() => undefined);
  }

  processed(positions: Iterable<readonly [number, number]>): void {
    for (const [partition, position] of positions) this.#each[partition]?.processed(position);
  }
}
