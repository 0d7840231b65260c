/** Imports one file in batches. Progress is saved after each batch is on disk, so an import can be resumed. */
import { createReadStream } from 'node:fs';
import { appendFile, stat, truncate, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { Failure } from '../core/errors.ts';
import type { Operator } from '../operate/operator.ts';
import type { ImportBatch, ImportBatchResult } from '../operate/transfer/import.ts';
import type { CommandContext } from './command.ts';
import { badLinesPath, deleteState, type ImportState, initialState, loadState, saveState } from './import-state.ts';
import { type Line, splitLines } from './split-lines.ts';

export interface FileImport {
  file: string;
  project: number;
  /** Start at the first line, whatever an earlier run has left. */
  restart: boolean;
}

const BATCH_LINES = 1000;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Longer lines are not events; the server accepts batches slightly larger than this. */
const MAX_LINE_BYTES = 20 * 1024 * 1024;
const MAX_RETRIES = 120;

export async function importFile(
  operator: Operator,
  context: CommandContext,
  wanted: FileImport,
): Promise<ImportState> {
  const { file, project, restart } = wanted;
  const { size } = await stat(file);
  const kept = restart ? null : await loadState(file, project, size);
  if (kept) context.out.note(`${file}: resuming at line ${kept.line}.`);
  let state = kept ?? initialState(project, size);
  await truncateBadLines(file, state);
  let batch: Line[] = [];
  const flush = async (): Promise<void> => {
    state = await sendBatch(operator, file, state, batch);
    batch = [];
    context.onProgress({
      what: `importing ${file}, bytes`,
      done: state.offset,
      total: file.endsWith('.gz') ? null : size,
    });
  };
  let bytes = 0;
  for await (const line of splitLines(bytesOf(file), MAX_LINE_BYTES)) {
    if (line.at < state.offset) continue;
    context.signal.throwIfAborted();
    const length = line.text?.length ?? 0;
    if (batch.length === BATCH_LINES || (batch.length > 0 && bytes + length > BATCH_BYTES)) {
      await flush();
      bytes = 0;
    }
    batch.push(line);
    bytes += length;
  }
  if (batch.length > 0) await flush();
  await deleteState(file);
  return state;
}

function bytesOf(file: string): AsyncIterable<Buffer> {
  const raw = createReadStream(file, { highWaterMark: 1024 * 1024 });
  if (!file.endsWith('.gz')) return raw as AsyncIterable<Buffer>;
  const plain = createGunzip();
  raw.on('error', (error) => plain.destroy(error));
  return raw.pipe(plain) as AsyncIterable<Buffer>;
}

/** A killed run may have written bad lines of a batch that is now sent again. */
async function truncateBadLines(file: string, { badBytes }: ImportState): Promise<void> {
  if (badBytes > 0) await truncate(badLinesPath(file), badBytes);
  else
    await stat(badLinesPath(file)).then(
      () => writeFile(badLinesPath(file), ''),
      () => undefined,
    );
}

async function sendBatch(
  operator: Operator,
  file: string,
  state: ImportState,
  all: readonly Line[],
): Promise<ImportState> {
  const numbered = all.map((line, i) => ({ ...line, number: state.line + i }));
  const lines = numbered.filter((line) => line.text !== null && line.text.trim() !== '');
  const sent = lines.map(({ at, text }) => ({ at, text: text ?? '' }));
  const taken = await sendWithRetry(operator, { project: state.project, lines: sent });
  const bad = [
    ...numbered
      .filter(({ text }) => text === null)
      .map(({ number }) => ({ line: number, reason: 'it is too long', text: '' })),
    ...taken.bad.flatMap(({ index, reason }) => {
      const line = lines[index];
      return line ? [{ line: line.number, reason, text: line.text ?? '' }] : [];
    }),
  ];
  const text = bad.map((one) => `${JSON.stringify(one)}\n`).join('');
  if (bad.length > 0) await appendFile(badLinesPath(file), text, { mode: 0o600 });
  const next: ImportState = {
    ...state,
    offset: all.at(-1)?.end ?? state.offset,
    line: state.line + all.length,
    events: state.events + taken.events,
    persons: state.persons + taken.persons,
    bad: state.bad + bad.length,
    badBytes: state.badBytes + Buffer.byteLength(text),
  };
  await saveState(file, next);
  return next;
}

/** A server whose log is full accepts more when it has processed some of it. */
async function sendWithRetry(operator: Operator, batch: ImportBatch): Promise<ImportBatchResult> {
  for (let tries = 0; ; tries++) {
    try {
      return await operator.run('import.lines', batch);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'unavailable' || tries === MAX_RETRIES) throw error;
      await sleep((error.retryAfter ?? 1) * 1000);
    }
  }
}
