/** Copies of everything that lies in the data folder, taken while the server works. The embedded set has them. */

/** What a snapshot holds, counted while it was taken: whoever restores it must find the same. */
export interface SnapshotCounts {
  events: number;
  persons: number;
  projects: number;
  users: number;
  flags: number;
  /** Events ever acknowledged, those that met their fate, and those that wait in the log. */
  accepted: number;
  settled: number;
  pending: number;
}

export interface FolderSnapshots {
  /** Where copies grow: a folder of its own, which only the owner may read, and which is emptied at start. */
  readonly workFolder: string;
  /** Bytes that a copy is going to take, and bytes that are free. */
  diskSpace(): Promise<{ needed: number; free: number }>;
  /** Writes a copy of every file into the folder. */
  take(folder: string): Promise<SnapshotCounts>;
}

/** One store after it was read through. */
export interface StoreCheck {
  store: string;
  /** Null where nothing is wrong. */
  problem: string | null;
  detail: string;
}
