/** Starts servers in their own processes, to measure their CPU time and memory separately from the load generator's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface RunningProcess {
  url: string;
  pid: number;
  /** CPU seconds used so far by all its threads. */
  cpuSeconds(): number;
  /** Resident memory, MB. */
  memoryMb(): number;
  stop(): Promise<void>;
}

/** Linux counts CPU time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;

/** Runs a program, perhaps under another one (`wrap`), and waits until it prints the address it listens on. */
export async function startProcess(
  args: readonly string[],
  env: Record<string, string>,
  wrap: readonly string[] = [],
): Promise<RunningProcess> {
  const [command = process.execPath, ...rest] = [...wrap, process.execPath, ...args];
  const child = spawn(command, rest, {
    env: { API_REQUESTS_PER_MINUTE: '0', ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await firstAddress(child);
  const pid = wrap.length === 0 ? (child.pid ?? 0) : onlyChildOf(child.pid ?? 0);
  return {
    url,
    pid,
    cpuSeconds: () => {
      // The name in field 2 may contain spaces; the fields after the closing parenthesis do not.
      const columns = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(columns[11]) + Number(columns[12])) / TICKS_PER_SECOND;
    },
    memoryMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        process.kill(pid, 'SIGTERM');
      }),
  };
}

const onlyChildOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);

function firstAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The server exited during startup (exit code ${code}).`)));
    if (!child.stdout) return reject(new Error('The server has no output to read.'));
    createInterface(child.stdout).on('line', (line) => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (address) resolve(address);
    });
  });
}
