import { createReadStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { type Command, type CommandContext, EXIT, UsageError } from './command.ts';
import { type FileImport, importFile } from './import-file.ts';
import { badLinesPath, type ImportState } from './import-state.ts';
import { parquetToLines } from './parquet.ts';
import { readArgs, readOptionalInteger } from './read-args.ts';

const HELP = `Imports events and persons from \`cairn export\` or a PostHog batch export, one JSON object per line.

  cairn import FILE… [--project ID] [--restart]

FILE is NDJSON (also .gz) or Parquet. Events keep their uuid, timestamp and created_at; an event that exists already is
not stored again, so a file can be imported twice. Events without a uuid get one from their line and its position.
Persons keep their uuid, ids and properties. If both kinds of files are given, persons are imported before the events, so
that events find them, and again at the end, so that their properties are those of the files.

Run the same command again to resume an interrupted import (its progress is in FILE.cairn-import); --restart starts over.
Lines that cannot be imported are written to FILE.bad-lines with the reason, and the exit code is 3. Imported events do
not appear in the live stream.`;

export const importCommand: Command = {
  name: 'import',
  summary: 'Import exports of Cairn or PostHog.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { project: 'text', restart: 'flag' });
    if (words.length === 0) throw new UsageError('FILE is missing.');
    const files = words.map((word) => resolve(word));
    const missing = files.find((file) => !existsSync(file));
    if (missing) throw new UsageError(`${missing} does not exist.`);
    const operator = await context.operator({ mayBegin: true });
    const asked = readOptionalInteger('--project', options.project);
    const { id: project } = await operator.run('projects.find', { id: asked });
    const totals = { events: 0, persons: 0, bad: 0 };
    for (const { file, isRepeat } of await inOrder(files)) {
      const one = await importOne(context, { file, project, restart: options.restart || isRepeat });
      if (isRepeat) continue;
      for (const name of ['events', 'persons', 'bad'] as const) totals[name] += one[name];
    }
    await operator.run('import.settle', {});
    report(context, totals, files);
    return totals.bad > 0 ? EXIT.attention : EXIT.done;
  },
};

async function importOne(context: CommandContext, wanted: FileImport): Promise<ImportState> {
  const operator = await context.operator();
  if (!wanted.file.endsWith('.parquet')) return importFile(operator, context, wanted);
  const lines = `${wanted.file}.ndjson`;
  // An interrupted run has left them, and its progress refers to them.
  if (wanted.restart || !existsSync(lines)) {
    await parquetToLines(wanted.file, `${lines}.partial`);
    await rename(`${lines}.partial`, lines);
  }
  const state = await importFile(operator, context, { ...wanted, file: lines });
  await rm(lines, { force: true });
  return state;
}

/** Persons, events, and persons again. */
async function inOrder(files: readonly string[]): Promise<{ file: string; isRepeat: boolean }[]> {
  const persons: string[] = [];
  const events: string[] = [];
  for (const file of files) ((await containsPersons(file)) ? persons : events).push(file);
  const again = events.length > 0 ? persons : [];
  return [
    ...[...persons, ...events].map((file) => ({ file, isRepeat: false })),
    ...again.map((file) => ({ file, isRepeat: true })),
  ];
}

/** By the first line; for Parquet by the file name. */
async function containsPersons(file: string): Promise<boolean> {
  if (file.endsWith('.parquet')) return /person/i.test(file);
  const raw = createReadStream(file);
  const input = file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw;
  try {
    for await (const line of createInterface({ input })) return !/"event"\s*:/.test(line);
    return false;
  } finally {
    raw.destroy();
  }
}

function report(
  { out, json }: CommandContext,
  totals: Record<'events' | 'persons' | 'bad', number>,
  files: readonly string[],
): void {
  const bad = files.map((file) => badLinesPath(file)).filter((path) => existsSync(path));
  if (json) out.json({ ...totals, bad_lines_in: totals.bad > 0 ? bad : [] });
  else {
    out.print(`${totals.events} events and ${totals.persons} persons imported.`);
    if (totals.bad > 0) out.print(`${totals.bad} lines were skipped; see ${bad.join(', ')} for the reasons.`);
  }
}
