/** Processes of this machine, by `/proc`: Linux only. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Empty if there is no such file any more. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

export const childrenOf = (pid: number): number[] =>
  existsSync(`/proc/${pid}/task`)
    ? readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
        readIfThere(`/proc/${pid}/task/${thread}/children`).trim().split(' ').filter(Boolean).map(Number),
      )
    : [];

/** Its command line; empty once it has ended. */
export const programOf = (pid: number): string => readIfThere(`/proc/${pid}/cmdline`);

export const isRunning = (pid: number): boolean => programOf(pid) !== '';

/** In MB; 0 once it has ended. */
export const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readIfThere(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

interface SqlProcessIds {
  launchers: number[];
  children: number[];
}

/** The launchers of SQL processes that a process has started, and what they have started. */
export function sqlProcessesOf(pid: number, isOwn: (program: string) => boolean = () => true): SqlProcessIds {
  const among = (pids: readonly number[], name: string): number[] =>
    pids.filter((one) => programOf(one).includes(name) && isOwn(programOf(one)));
  const launchers = among(childrenOf(pid), 'sql-launcher.js');
  return { launchers, children: among(launchers.flatMap(childrenOf), 'sql-child.js') };
}
