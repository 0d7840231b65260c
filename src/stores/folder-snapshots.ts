/** Copies of the data folder of the embedded backend, taken while the server runs. */

/** Counted while the snapshot was taken; a restore must find the same. */
export interface SnapshotCounts {
  events: number;
  persons: number;
  projects: number;
  users: number;
  flags: number;
  /** Events ever accepted, processed events, and events still in the log. */
  accepted: number;
  settled: number;
  pending: number;
}

export interface FolderSnapshots {
  /** Calls `work` with an empty folder that only its owner can read; it is removed afterwards. */
  inWorkFolder<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /** Removes what is left of copies that nobody works on any more; returns the number of those being made. */
  removeLeftovers(): Promise<number>;
  /** Bytes that a copy needs, and bytes that are free. */
  diskSpace(): Promise<{ needed: number; free: number }>;
  /** Copies every file into the folder. */
  take(folder: string): Promise<SnapshotCounts>;
}

/** The result of reading a whole store. */
export interface StoreCheck {
  store: string;
  /** Null if the store is fine. */
  problem: string | null;
  detail: string;
}
