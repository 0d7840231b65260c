/** What every command is made of, and what it gets to work with. */
import type { Config } from '../config.ts';
import type { OperationProgress } from '../operate/operation.ts';
import type { Operator } from '../operate/operator.ts';
import type { Output } from './output.ts';

export interface CommandContext {
  config: Config;
  out: Output;
  /** True: answers are JSON on standard output. */
  json: boolean;
  /** The text that is piped in, without the line break at its end. */
  readInput(): Promise<string>;
  /** Whoever does the work: a running server, or this process on the folder. Connects when first asked. */
  operator(options?: { mayBegin?: boolean }): Promise<Operator>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  onProgress(now: OperationProgress): void;
}

export interface Command {
  name: string;
  /** One line, for the list of commands. */
  summary: string;
  /** The whole text of `cairn help <name>`. */
  help: string;
  run(context: CommandContext, args: readonly string[]): Promise<number>;
}

/** What the process ends with. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** It was done, and found something to look at: a problem, or lines that were left out. */
  attention: 3,
} as const;

/** The command line is not right; says what would be. */
export class UsageError extends Error {}
