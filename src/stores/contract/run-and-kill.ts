import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

const ROOT = new URL('../../..', import.meta.url).pathname;

/**
 * Runs a program in a process of its own and kills it with SIGKILL once it has printed `lines` lines; returns all that
 * it printed until then. The program may import from `src/`, by paths that start with `./src/`.
 */
export async function runAndKill(program: string, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.end(await bundle(program));
  const printed: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    printed.push(line);
    if (printed.length === lines) child.kill('SIGKILL');
  }
  await ended;
  return printed;
}

async function bundle(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  return outputFiles.map((file) => file.text).join('');
}
