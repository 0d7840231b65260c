/** Runs the command line, a process for each command. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('../..', import.meta.url).pathname;

interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface RunningCommand {
  child: ChildProcess;
  ended: Promise<CommandResult>;
}

interface RunOptions {
  env?: Record<string, string>;
  /** Standard input. */
  input?: string;
}

/** Starts a command without waiting for it. */
export function startCommand(args: readonly string[], { env = {}, input = '' }: RunOptions = {}): RunningCommand {
  const child = spawn(process.execPath, ['dist/cli.js', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    stdout: Buffer.concat(stdout).toString('utf8'),
    stderr: Buffer.concat(stderr).toString('utf8'),
  }));
  return { child, ended };
}

export const cairn = (args: readonly string[], options?: RunOptions): Promise<CommandResult> =>
  startCommand(args, options).ended;

/** The JSON output of a command that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, and assert what they find
export async function cairnJson(args: readonly string[], options?: RunOptions): Promise<any> {
  const { code, stdout, stderr } = await cairn([...args, '--json'], options);
  if (code !== 0) throw new Error(`cairn ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

interface ProcessOptions {
  nodeArgs?: readonly string[];
  /** Further settings. */
  env?: Record<string, string>;
}

/** The server in a process of its own, which can be killed. */
export async function startProcess(
  dataDir: string,
  { nodeArgs = [], env = {} }: ProcessOptions = {},
): Promise<{ child: ChildProcess; url: string; ended: Promise<unknown> }> {
  const child = spawn(process.execPath, [...nodeArgs, 'dist/main.js'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      DATA_DIR: dataDir,
      INIT_PROJECT_API_KEY: 'phc_test_project_key',
      INIT_PERSONAL_API_KEY: 'phx_test_personal_key',
      ...env,
    },
  });
  const ended = once(child, 'close');
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const address = /"address":"([^"]+)".*"msg":"ready"/.exec(output)?.[1];
      if (address) resolve(address);
    });
    ended.then(() => reject(new Error(`The server ended: ${output}`)), reject);
  });
  return { child, url, ended };
}

/** A temporary folder for one test file. */
export function makeScratch() {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-cli-'));
  return { path: (name: string) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
