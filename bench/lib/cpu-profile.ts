/** Sums up a profile of `node --cpu-prof` of the built server, of which one file contains many modules. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame }[];
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
    const module = moduleOf(callFrame);
    const name = `${callFrame.functionName || '(anonymous)'}  ${module}:${callFrame.lineNumber + 1}`;
    modules.set(module, (modules.get(module) ?? 0) + ms);
    functions.set(name, (functions.get(name) ?? 0) + ms);
  }
  const largestFirst = (times: ReadonlyMap<string, number>): SelfTimes => [...times].sort((a, b) => b[1] - a[1]);
  return { busyMs, modules: largestFirst(modules), functions: largestFirst(functions) };
}

const sourceMaps = new Map<string, SourceMap | null>();

function moduleOf({ url, lineNumber, columnNumber }: CallFrame): string {
  if (!url.startsWith('file:') || !url.includes('/dist/')) return url.replace(/^.*node_modules\//, '') || 'V8';
  const map = sourceMaps.get(url) ?? readSourceMap(`${fileURLToPath(url)}.map`);
  sourceMaps.set(url, map);
  const entry = map?.findEntry(lineNumber, columnNumber);
  return entry && 'originalSource' in entry ? entry.originalSource.replace(/^(\.\.\/)+/, '') : url;
}

const readSourceMap = (file: string): SourceMap | null =>
  existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload) : null;
