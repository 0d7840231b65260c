/**
 * The mark of the current chunk as a small file. It is written without waiting for the disk: it has to survive the end
 * of the process, and a power cut is not the fault of an entry.
 */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import type { ChunkAttempt } from '../ingest/chunk-attempts.ts';

export interface AttemptFile {
  /** The last attempt that was not cleared; its entries may have been processed since. */
  read(): ChunkAttempt | null;
  write(attempt: ChunkAttempt): void;
  /** The chunk failed without ending the process. */
  clear(): void;
  close(): void;
}

type Range = readonly [first: number, last: number];

export function openAttemptFile(path: string): AttemptFile {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  let isOpen = true;
  /** The first line counts; what is left of longer ones behind it does not. One write, so it is never half there. */
  const writeLine = (text: string): void => {
    if (!isOpen) return;
    try {
      writeSync(file, `${text}\n`, 0);
    } catch {
      // Without the mark, a poisonous entry is found later; a full disk is no reason to process nothing.
    }
  };
  return {
    read: () => parse(readFileSync(path, 'utf8').split('\n', 1)[0] ?? ''),
    write: ({ entries, tries }) => writeLine(JSON.stringify({ ranges: toRanges(entries), tries })),
    clear: () => writeLine('{}'),
    close() {
      // Called again where a crash comes while the thread is closing; by then the number may be another file's.
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

function parse(line: string): ChunkAttempt | null {
  try {
    const { ranges, tries } = JSON.parse(line) as { ranges?: Range[]; tries?: number };
    return ranges && tries !== undefined ? { entries: ranges.flatMap(toSeqs), tries } : null;
  } catch {
    // Empty, or torn by a power cut.
    return null;
  }
}

/** Of ascending numbers. */
function toRanges(seqs: readonly number[]): Range[] {
  const ranges: [number, number][] = [];
  for (const seq of seqs) {
    const last = ranges.at(-1);
    if (last?.[1] === seq - 1) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges;
}

const toSeqs = ([first, last]: Range): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);
