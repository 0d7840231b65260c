/**
 * Which entries are being processed, on disk before they are: if processing ends the process (out of memory, a crash of
 * an engine), the next start knows what to be careful with.
 */
export interface ChunkAttempt {
  entries: readonly number[];
  /** How often in a row it was tried on its own; 0 where there were several. */
  tries: number;
}

/** In a cluster: of each partition, by the numbers of its entries. */
export interface PartitionAttempts {
  read(partitions: readonly number[]): Promise<ReadonlyMap<number, ChunkAttempt>>;
  write(attempts: ReadonlyMap<number, ChunkAttempt>): Promise<void>;
  /** The chunk failed without ending the process. */
  clear(partitions: readonly number[]): Promise<void>;
}

/** One entry that was tried this often on its own, and ended the process each time, is set aside. */
export const MAX_TRIES = 3;
