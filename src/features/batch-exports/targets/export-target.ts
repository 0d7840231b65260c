/** Where the files of an export are put. Names are relative, with slashes; a file is there whole or not at all. */
import type { StartedUpload } from '../store/batch-export-store.ts';

interface LocalFile {
  path: string;
  bytes: number;
}

export interface ExportTarget {
  /** Replaces a file of that name. `onUpload` is told of an upload in pieces before its first one, and of its end. */
  put(name: string, file: LocalFile, onUpload: (upload: StartedUpload | null) => Promise<void>): Promise<void>;
  /** Nothing happens where there is none. */
  delete(name: string): Promise<void>;
  /** Ends an upload that a process before has left. */
  abort(upload: StartedUpload): Promise<void>;
}

/** Why a run failed, in words for its owner: never with a secret in it. */
export class ExportFailure extends Error {
  /** The same would happen again: somebody has to change something. */
  readonly isFinal: boolean;

  constructor(why: string, { isFinal = false, cause }: { isFinal?: boolean; cause?: unknown } = {}) {
    super(why, { cause });
    this.isFinal = isFinal;
  }
}
