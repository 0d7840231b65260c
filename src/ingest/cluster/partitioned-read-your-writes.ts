/**
 * Read your writes (decision 15) over the partitions of the log: changes of a subject wait in one or two of them,
 * accepted by this node or another.
 */
import type { ChangedSubjects } from '../../stores/cluster/node-messages.ts';
import type { Positions } from '../../stores/cluster/partitioned-log.ts';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { ReadYourWrites } from '../accept/read-your-writes.ts';
import { subjectHash } from './split-by-partition.ts';

interface PartitionedReadYourWritesDeps {
  /** The newest entry of each partition in which something waited at the start; 0 elsewhere. */
  initialHeads: Positions;
  partitions: number;
  processNow(): void;
  timeoutMs?: number;
}

/** In place of a partition, where even the projects are too many for a message. */
export const ALL_PARTITIONS = -1;

/** Merges of one request may depend on each other, in any order; longer chains do not occur. */
const MAX_MERGE_CHAIN = 3;

export class PartitionedReadYourWrites {
  readonly #partitions: readonly ReadYourWrites[];

  constructor({ initialHeads, partitions, ...deps }: PartitionedReadYourWritesDeps) {
    this.#partitions = Array.from(
      { length: partitions },
      (_, partition) => new ReadYourWrites({ ...deps, initialHead: initialHeads.get(partition) ?? 0 }),
    );
  }

  get outdated(): number {
    return this.#partitions.reduce((sum, { outdated }) => sum + outdated, 0);
  }

  /** `heads`: the last entry of each partition that the changes are in. */
  add(changes: readonly ChangedSubjects[], heads: Positions): void {
    for (const [partition, projectId, hashes] of changes) {
      if (partition === ALL_PARTITIONS) for (const [one, seq] of heads) this.#partitions[one]?.addAllProjects(seq);
      const seq = heads.get(partition);
      if (seq === undefined) continue;
      if (hashes === null) this.#partitions[partition]?.addProject(seq, projectId);
      else this.#partitions[partition]?.add(seq, projectId, hashes);
    }
    this.#link(changes);
  }

  /** A merge may be processed before what waits in another partition about either id, so both wait for that as well. */
  #link(changes: readonly ChangedSubjects[]): void {
    const linked = changes.flatMap(([, projectId, , pairs = []]) => pairs.map(([a, b]) => ({ projectId, a, b })));
    if (linked.length === 0) return;
    for (const one of this.#partitions) {
      if (!one.hasPending) continue;
      for (let round = 0; round < MAX_MERGE_CHAIN; round++)
        for (const { projectId, a, b } of linked) one.linkSubjects(projectId, a, b);
    }
  }

  settled(projectId: number, subjects: readonly string[]): Promise<void> | undefined {
    let hashes: string[] | undefined;
    let waiting: Promise<void>[] | undefined;
    for (const one of this.#partitions) {
      if (!one.hasPending) continue;
      hashes ??= subjects.map(subjectHash);
      const settled = one.settled(projectId, hashes);
      if (settled) waiting = [...(waiting ?? []), settled];
    }
    return waiting && Promise.all(waiting).then(() => undefined);
  }

  onProcessed(positions: Iterable<readonly [number, number]>): void {
    for (const [partition, position] of positions) this.#partitions[partition]?.onProcessed(progressAt(position));
  }
}
