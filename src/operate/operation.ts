import type { OperateDeps } from './deps.ts';

export interface OperationProgress {
  what: string;
  done: number;
  /** Null if it is not known. */
  total: number | null;
}

/** Where an operation reports progress and streams bytes, besides its result. */
export interface OperationOutput {
  progress(now: OperationProgress): void;
  /** Resolves when more can be written. */
  write(chunk: Uint8Array): Promise<void>;
  /** Aborted when the command is. */
  signal: AbortSignal;
}

/** Something that an operator does. It needs no key. Arguments and results are JSON, because they may cross a socket. */
export type Operation<A, R> = (deps: OperateDeps, args: A, outlet: OperationOutput) => Promise<R>;
