/** Sums up a profile of `node --cpu-prof` of the built server, of which one file contains many modules. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

type SelfTimes = readonly (readonly [name: string, ms: number])[];

const IDLE = new Set(['(idle)', '(program)', '(root)']);

/** Largest first. Native code counts for the function that calls it, unless it has a name of its own. */
export function sumSelfTimes({ nodes, samples, timeDeltas }: CpuProfile): {
  busyMs: number;
  modules: SelfTimes;
  functions: SelfTimes;
} {
  const selfMs = new Map<number, number>();
  for (const [i, id] of samples.entries()) selfMs.set(id, (selfMs.get(id) ?? 0) + (timeDeltas[i] ?? 0) / 1000);
  const modules = new Map<string, number>();
  const functions = new Map<string, number>();
  let busyMs = 0;
  for (const { id, callFrame } of nodes) {
    const ms = selfMs.get(id) ?? 0;
    if (ms === 0 || IDLE.has(callFrame.functionName)) continue;
    busyMs += ms;
    const module = moduleOf(callFrame.url, callFrame.lineNumber);
    const name = `${callFrame.functionName || '(anonymous)'}  ${module}:${callFrame.lineNumber + 1}`;
    modules.set(module, (modules.get(module) ?? 0) + ms);
    functions.set(name, (functions.get(name) ?? 0) + ms);
  }
  const largestFirst = (times: ReadonlyMap<string, number>): SelfTimes => [...times].sort((a, b) => b[1] - a[1]);
  return { busyMs, modules: largestFirst(modules), functions: largestFirst(functions) };
}

const moduleLines = new Map<string, string[]>();

/** esbuild writes the name of each module above it. */
function moduleOf(url: string, line: number): string {
  if (!url.startsWith('file:') || !url.includes('/dist/')) return url.replace(/^.*node_modules\//, '') || 'V8';
  const lines = moduleLines.get(url) ?? readModuleLines(fileURLToPath(url));
  moduleLines.set(url, lines);
  return lines[line] ?? url;
}

function readModuleLines(file: string): string[] {
  let module = file;
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((text) => {
      module = /^ *\/\/ ((?:src|node_modules)\/\S+)$/.exec(text)?.[1] ?? module;
      return module;
    });
}
