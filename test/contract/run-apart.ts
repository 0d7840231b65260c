import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

const ROOT = new URL('../..', import.meta.url).pathname;

interface RunOptions {
  /** Kill it with SIGKILL once it has printed this many lines; otherwise it ends by itself. */
  killAfterLines?: number;
  /** No file of its may grow past this many blocks of 512 bytes, as on a disk that is full. */
  maxFileBlocks?: number;
}

/**
 * Runs a program in a process of its own and returns the lines that it printed. The program may import from `src/`, by
 * paths that start with `./src/`.
 */
export async function runInProcess(program: string, options: RunOptions): Promise<string[]> {
  const limit = options.maxFileBlocks === undefined ? '' : `ulimit -f ${options.maxFileBlocks}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$0" --input-type=module -`, process.execPath], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.end(await bundle(program));
  const printed: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    printed.push(line);
    if (printed.length === options.killAfterLines) child.kill('SIGKILL');
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
