/** The command line: finds the command, runs it, and ends with its exit code. */

import { type Command, type CommandContext, EXIT, UsageError } from './cli/command.ts';
import { commandList } from './cli/command-list.ts';
import { connect, type OperatorConnection } from './cli/connect.ts';
import { makeOutput } from './cli/output.ts';
import { splitArgs } from './cli/split-args.ts';
import { ConfigError, readConfig } from './config.ts';

async function main(): Promise<number> {
  // Files that any library creates are for this user only.
  process.umask(0o077);
  const { command, args, globals } = splitArgs(process.argv.slice(2), commandList);
  const out = makeOutput(process.stdout, process.stderr, globals.isQuiet);
  const end = new AbortController();
  let connection: OperatorConnection | null = null;
  const context: CommandContext = {
    config: readConfig({ ...process.env, ...(globals.dataDir !== null && { DATA_DIR: globals.dataDir }) }),
    out,
    json: globals.isJson,
    readInput,
    signal: end.signal,
    operator: async ({ mayBegin = false } = {}) => {
      connection ??= await connect(context.config, { mayInitialize: mayBegin, note: out.note });
      return connection.operator;
    },
    onProgress: out.progress,
  };
  // The reader of a pipe may stop early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
  );
  let signals = 0;
  const stop = (): void => {
    // The first ends it in order, and may come twice; whoever insists does not want to wait for that.
    if (++signals > 2) process.exit(EXIT.failed);
    end.abort(new Error('Stopped.'));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    return await command.run(context, args);
  } catch (error) {
    out.note(explain(command, error));
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  } finally {
    await (connection as OperatorConnection | null)?.close();
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

function explain({ name }: Command, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof UsageError ? `${message}\nSee: cairn help ${name}` : `cairn ${name}: ${message}`;
}

main().then(
  // The process ends by itself, after everything is written to a pipe.
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof ConfigError ? '\n\nAll settings: npm start -- --help' : '';
    console.error(`${message}${hint}`);
    process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
  },
);
