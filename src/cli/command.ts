/** What a command consists of, and what it works with. */
import type { Config } from '../config.ts';
import type { OperationProgress } from '../operate/operation.ts';
import type { Operator } from '../operate/operator.ts';
import type { Output } from './output.ts';

export interface CommandContext {
  config: Config;
  out: Output;
  /** Print JSON. */
  json: boolean;
  /** Standard input, without the line break at its end. */
  readInput(): Promise<string>;
  /** A running server, or this process on the folder. Connects at the first call. */
  operator(options?: { mayBegin?: boolean }): Promise<Operator>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  onProgress(now: OperationProgress): void;
}

export interface Command {
  name: string;
  /** One line, for the list of commands. */
  summary: string;
  /** What `cairn help <name>` prints. */
  help: string;
  run(context: CommandContext, args: readonly string[]): Promise<number>;
}

export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** Completed, with something to look at: a problem, or skipped lines. */
  attention: 3,
} as const;

/** The command line is invalid. */
export class UsageError extends Error {}
