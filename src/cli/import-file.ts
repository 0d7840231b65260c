/** One file, batch by batch. Each batch is on disk before the next is sent, and then written down: so it can be resumed. */
import { createReadStream } from 'node:fs';
import { appendFile, stat, truncate, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { Failure } from '../core/errors.ts';
import type { Operator } from '../operate/operator.ts';
import type { ImportBatch, ImportedBatch } from '../operate/transfer/import.ts';
import type { Context } from './command.ts';
import { badPath, beginning, forgetState, type ImportState, loadState, saveState } from './import-state.ts';
import { type Line, splitLines } from './split-lines.ts';

export interface FileImport {
  file: string;
  project: number;
  /** Begin at the first line, whatever an earlier run has left. */
  isFresh: boolean;
}

const BATCH_LINES = 1000;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Longer lines are no events; the server takes batches of this and a little more. */
const LONGEST_LINE = 20 * 1024 * 1024;
const PATIENCE = 120;

export async function importFile(operator: Operator, context: Context, wanted: FileImport): Promise<ImportState> {
  const { file, project, isFresh } = wanted;
  const { size } = await stat(file);
  const kept = isFresh ? null : await loadState(file, project, size);
  if (kept) context.out.note(`${file}: going on from line ${kept.line}.`);
  let state = kept ?? beginning(project, size);
  await cutBadLines(file, state);
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
  for await (const line of splitLines(bytesOf(file), LONGEST_LINE)) {
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
  await forgetState(file);
  return state;
}

function bytesOf(file: string): AsyncIterable<Buffer> {
  const raw = createReadStream(file, { highWaterMark: 1024 * 1024 });
  if (!file.endsWith('.gz')) return raw as AsyncIterable<Buffer>;
  const plain = createGunzip();
  raw.on('error', (error) => plain.destroy(error));
  return raw.pipe(plain) as AsyncIterable<Buffer>;
}

/** A run that was killed may have written bad lines of a batch that is sent again. */
async function cutBadLines(file: string, { badBytes }: ImportState): Promise<void> {
  if (badBytes > 0) await truncate(badPath(file), badBytes);
  else
    await stat(badPath(file)).then(
      () => writeFile(badPath(file), ''),
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
  const taken = await patiently(operator, { project: state.project, lines: sent });
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
  if (bad.length > 0) await appendFile(badPath(file), text, { mode: 0o600 });
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

/** A server whose log is full says so, and takes more when it has worked some of it off. */
async function patiently(operator: Operator, batch: ImportBatch): Promise<ImportedBatch> {
  for (let tries = 0; ; tries++) {
    try {
      return await operator.run('import.lines', batch);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'unavailable' || tries === PATIENCE) throw error;
      await sleep((error.retryAfter ?? 1) * 1000);
    }
  }
}
