import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { parseExact, stringifyExact } from '../core/json/exact-json.ts';
import { type CsvCells, csvLine } from '../lib/csv-line.ts';
import { type Command, type CommandContext, EXIT, UsageError } from './command.ts';
import { type Exportable, exportColumns, linesToParquet } from './parquet.ts';
import { partialFile } from './partial-file.ts';
import { oneOf, readArgs, readOptionalInteger, readPositionals, readTime } from './read-args.ts';
import { writeTo } from './write-to.ts';

const HELP = `Exports all events of a project in the order of time, or all its persons.

  cairn export events [--out FILE] [--format ndjson|csv|parquet] [--raw] [--project ID] [--event NAME]
                      [--from TIME] [--to TIME]
  cairn export persons [--out FILE] [--format ndjson|csv|parquet] [--raw] [--project ID]

Without --out it writes to standard output. The format is taken from the extension of FILE (.ndjson, .jsonl, .csv,
.parquet; .gz compresses) unless --format is given. FILE is created only when the export is complete.
--from is inclusive, --to exclusive; both in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z.

Columns of events: uuid, event, distinct_id, person_id, timestamp, created_at, elements_chain, properties.
Columns of persons: person_id, distinct_ids, created_at, is_identified, properties. In CSV, properties and distinct_ids
are JSON; a cell that a spreadsheet would run as a formula begins with an apostrophe, unless --raw is given.
\`cairn import\` reads NDJSON and Parquet.`;

const FORMATS = ['ndjson', 'csv', 'parquet'] as const;
type Format = (typeof FORMATS)[number];

interface ExportOptions {
  what: Exportable;
  format: Format;
  cells: CsvCells;
  project: number | null;
  event: string | null;
  from: number | null;
  to: number | null;
}

const OPTIONS = {
  out: 'text',
  format: 'text',
  raw: 'flag',
  project: 'text',
  event: 'text',
  from: 'text',
  to: 'text',
} as const;

export const exportCommand: Command = {
  name: 'export',
  summary: 'Export events and persons as NDJSON, CSV or Parquet.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, OPTIONS);
    const wanted: ExportOptions = {
      what: oneOf('What to export', readPositionals(words, 'events or persons')['events or persons'], [
        'events',
        'persons',
      ]),
      format: formatOf(options.format, options.out),
      cells: options.raw ? 'raw' : 'safe',
      project: readOptionalInteger('--project', options.project),
      event: options.event,
      from: options.from === null ? null : readTime('--from', options.from),
      to: options.to === null ? null : readTime('--to', options.to),
    };
    if (options.raw && wanted.format !== 'csv') throw new UsageError('--raw is for CSV.');
    checkOptions(wanted, options.out);
    const exported =
      options.out === null ? await toStream(context, wanted) : await toFile(context, wanted, resolve(options.out));
    const where = options.out === null ? '' : ` to ${resolve(options.out)}`;
    if (context.json && options.out !== null) context.out.json({ file: resolve(options.out), exported });
    else context.out.note(`${exported} ${wanted.what} exported${where}.`);
    return EXIT.done;
  },
};

function formatOf(given: string | null, file: string | null): Format {
  if (given !== null) return oneOf('--format', given, FORMATS);
  const ending = /\.(ndjson|jsonl|csv|parquet)(?:\.gz)?$/.exec(file ?? '')?.[1];
  return ending === 'csv' || ending === 'parquet' ? ending : 'ndjson';
}

function checkOptions({ what, format, event, from, to }: ExportOptions, file: string | null): void {
  if (what === 'persons' && (event !== null || from !== null || to !== null)) {
    throw new UsageError('--event, --from and --to are for events.');
  }
  if (format === 'parquet' && (file === null || file.endsWith('.gz'))) {
    throw new UsageError('Parquet needs --out FILE without .gz: it is compressed already.');
  }
  if (from !== null && to !== null && from >= to) throw new UsageError('--from must be before --to.');
}

async function toStream(context: CommandContext, wanted: ExportOptions): Promise<number> {
  return receive(context, wanted, context.out.stdout);
}

async function toFile(context: CommandContext, wanted: ExportOptions, target: string): Promise<number> {
  const file = await partialFile(target);
  const lines = `${file.path}.ndjson`;
  try {
    if (wanted.format !== 'parquet') {
      const exported = await writeFileStream(context, wanted, file.path, target.endsWith('.gz'));
      await file.finish();
      return exported;
    }
    const exported = await writeFileStream(context, { ...wanted, format: 'ndjson' }, lines, false);
    context.onProgress({ what: 'writing Parquet', done: 0, total: null });
    await linesToParquet(wanted.what, lines, file.path);
    await file.finish();
    return exported;
  } finally {
    await file.discard();
    await rm(lines, { force: true });
  }
}

async function writeFileStream(
  context: CommandContext,
  wanted: ExportOptions,
  path: string,
  isPacked: boolean,
): Promise<number> {
  const disk = createWriteStream(path, { mode: 0o600 });
  const written = finished(disk);
  const sink: Writable = isPacked ? createGzip() : disk;
  if (sink !== disk) sink.pipe(disk as never);
  written.catch((error: Error) => sink.destroy(error));
  try {
    return await receive(context, wanted, sink);
  } finally {
    sink.end();
    await written;
  }
}

async function receive(
  context: CommandContext,
  { what, format, cells, project, ...range }: ExportOptions,
  sink: Writable,
): Promise<number> {
  const operator = await context.operator();
  const write = format === 'csv' ? csvWriter(what, cells, sink) : (chunk: Uint8Array) => writeTo(sink, chunk);
  if (format === 'csv') await writeTo(sink, csvLine(exportColumns(what)));
  const outlet = { write, progress: context.onProgress, signal: context.signal };
  const { exported } =
    what === 'events'
      ? await operator.run('export.events', { project, event: range.event, from: range.from, to: range.to }, outlet)
      : await operator.run('export.persons', { project }, outlet);
  return exported;
}

/** Chunks are complete lines. */
function csvWriter(what: Exportable, cells: CsvCells, sink: Writable): (chunk: Uint8Array) => Promise<void> {
  const columns = exportColumns(what);
  const cell = (value: unknown): string => (typeof value === 'string' ? value : stringifyExact(value ?? null));
  const textsOf = (row: Record<string, unknown>): string[] => columns.map((column) => cell(row[column]));
  return (chunk) => {
    const lines = Buffer.from(chunk).toString('utf8').trimEnd().split('\n');
    const rows = lines.map((line) => parseExact(line) as Record<string, unknown>);
    return writeTo(sink, rows.map((row) => csvLine(textsOf(row), cells)).join(''));
  };
}
