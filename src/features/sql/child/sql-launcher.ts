/**
 * A small process that starts those that run statements, and kills them. Starting one from the server would stop the
 * server for as long as it takes to copy the tables of its memory and to give the new process its turn: 15 to 100 ms.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import type { ChildArguments, LauncherArguments, LauncherEvent, LauncherRequest } from './protocol.ts';

const LOW_PRIORITY = 10;
const { file, limits, socket } = JSON.parse(process.argv[2] ?? '{}') as LauncherArguments;
const running = new Map<number, ChildProcess>();

process.on('message', (request: LauncherRequest) => {
  if ('start' in request) start(request.start);
  else running.get(request.kill)?.kill('SIGKILL');
});
// The server is gone.
process.on('disconnect', () => {
  for (const child of running.values()) child.kill('SIGKILL');
  process.exit(0);
});

function start(id: number): void {
  const given: ChildArguments = { limits, socket, process: id };
  const child = spawn(process.execPath, ['--max-old-space-size=256', file, JSON.stringify(given)], {
    env: {},
    cwd: dirname(socket),
    stdio: 'ignore',
  });
  yieldToOthers(child);
  running.set(id, child);
  const tell = (code: number | null): void => {
    if (!running.delete(id)) return;
    const event: LauncherEvent = { ended: id, code };
    process.send?.(event);
  };
  child.on('exit', tell);
  child.on('error', () => tell(null));
}

/** Before it has threads: they have the priority of the one that starts them, and the engine's do the work. */
function yieldToOthers({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, LOW_PRIORITY);
  } catch {
    // Not allowed here; the time limit holds anyway.
  }
}
