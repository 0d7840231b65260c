import type { OperateDeps } from './deps.ts';

/** How far something is that takes long. */
export interface OperationProgress {
  what: string;
  done: number;
  /** Null where nobody can tell beforehand. */
  total: number | null;
}

/** Where an operation puts what is not its result: word of how far it is, and bytes without end. */
export interface OperationOutput {
  progress(now: OperationProgress): void;
  /** Resolves when there is room for more. */
  write(chunk: Uint8Array): Promise<void>;
  /** Aborted when nobody waits any longer. */
  signal: AbortSignal;
}

/**
 * Something that an operator does to an installation as a whole. Whoever may run it is an operator: nobody asks for a
 * key. Arguments and results are plain JSON, because they may cross a socket.
 */
export type Operation<A, R> = (deps: OperateDeps, args: A, outlet: OperationOutput) => Promise<R>;
