/**
 * Read your writes (decision 15) over the partitions of the log: what was acknowledged about somebody waits in one or
 * two of them, accepted here or by another node.
 */
import type { ChangedSubjects } from '../../stores/cluster/node-messages.ts';
import type { Positions } from '../../stores/cluster/partitioned-log.ts';
import { ReadYourWrites } from '../accept/read-your-writes.ts';
import { subjectHash } from './split-by-partition.ts';

interface PartitionedReadYourWritesDeps {
  /** The newest entry of each partition in which something waited at the start; 0 elsewhere. */
  initialHeads: Positions;
  partitions: number;
  processNow(): void;
  timeoutMs?: number;
}

/** Said in place of a partition where even the projects were too many to be told. */
export const ALL_PARTITIONS = -1;

/** Merges of one request may hang together, and stand in any order. Chains that need more than this are nobody's. */
const MAX_MERGE_CHAIN = 3;

export class PartitionedReadYourWrites {
  readonly #each: readonly ReadYourWrites[];

  constructor({ initialHeads, partitions, ...deps }: PartitionedReadYourWritesDeps) {
    this.#each = Array.from(
      { length: partitions },
      (_, partition) => new ReadYourWrites({ ...deps, initialHead: initialHeads.get(partition) ?? 0 }),
    );
  }

  get outdated(): number {
    return this.#each.reduce((sum, { outdated }) => sum + outdated, 0);
  }

  /** `heads`: up to where each partition reaches with what the notes are about. */
  add(notes: readonly ChangedSubjects[], heads: Positions): void {
    for (const [partition, projectId, marks] of notes) {
      if (partition === ALL_PARTITIONS) for (const [one, seq] of heads) this.#each[one]?.addAllProjects(seq);
      const seq = heads.get(partition);
      if (seq === undefined) continue;
      if (marks === null) this.#each[partition]?.addProject(seq, projectId);
      else this.#each[partition]?.add(seq, projectId, marks);
    }
    this.#join(notes);
  }

  /**
   * A merge may be processed before what waits in another partition about either of both: whoever asks about one of them
   * has to wait for that as well.
   */
  #join(notes: readonly ChangedSubjects[]): void {
    const joined = notes.flatMap(([, projectId, , pairs = []]) => pairs.map(([a, b]) => ({ projectId, a, b })));
    if (joined.length === 0) return;
    for (const one of this.#each) {
      if (!one.hasPending) continue;
      for (let round = 0; round < MAX_MERGE_CHAIN; round++)
        for (const { projectId, a, b } of joined) one.linkSubjects(projectId, a, b);
    }
  }

  settled(projectId: number, subjects: readonly string[]): Promise<void> | undefined {
    let marks: string[] | undefined;
    let waiting: Promise<void>[] | undefined;
    for (const one of this.#each) {
      if (!one.hasPending) continue;
      marks ??= subjects.map(subjectHash);
      const settled = one.settled(projectId, marks);
      if (settled) waiting = [...(waiting ?? []), settled];
    }
    return waiting && Promise.all(waiting).then(() => undefined);
  }

  onProcessed(positions: Iterable<readonly [number, number]>): void {
    for (const [partition, position] of positions) this.#each[partition]?.onProcessed(position);
  }
}
