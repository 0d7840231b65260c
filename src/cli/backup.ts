import { createWriteStream, existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Manifest } from '../operate/backup/manifest.ts';
import type { Operator } from '../operate/operator.ts';
import { type Command, type CommandContext, EXIT, UsageError } from './command.ts';
import { openArchive } from './open-archive.ts';
import { formatBytes } from './output.ts';
import { type PartialFile, partialFile } from './partial-file.ts';
import { readArgs, readPositionals } from './read-args.ts';
import { writeTo } from './write-to.ts';

const HELP = `Everything in the data folder as one file, while the server goes on working.

  cairn backup FILE [--overwrite] [--no-verify]

FILE is a packed tar archive (say backup.tar.gz). It holds every event that was acknowledged before the backup began.
It appears under its name only when it is whole and has been verified: restored into a temporary folder beside FILE, every
store read through, and its counts compared. --no-verify leaves that out.

While it is made, the data folder needs room for a second copy of the data, and so does the folder of FILE for the
verification. Events come in meanwhile; they are processed as soon as the copy of the events is made.

The file holds the digests of keys and passwords, and everything about your users: keep it as safe as the folder.
Only for the embedded stores. With PostgreSQL and ClickHouse, use their own tools.`;

/** Most of the bytes are packed already; more effort gains little. */
const GZIP_LEVEL = 1;

export const backup: Command = {
  name: 'backup',
  summary: 'Everything as one file, while the server works.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { overwrite: 'flag', 'no-verify': 'flag' });
    const target = resolve(readPositionals(words, 'FILE').FILE);
    if (existsSync(target) && !options.overwrite) {
      throw new UsageError(`${target} is there already. Choose another name, or say --overwrite.`);
    }
    const operator = await context.operator();
    const file = partialFile(target);
    try {
      const manifest = await write(operator, file, context);
      const { size } = await stat(file.path);
      if (!options['no-verify']) await verify(file, size, target, context);
      await file.finish();
      await operator.run('backup.note', { at: manifest.created_at });
      report(context, target, size, manifest, !options['no-verify']);
      return EXIT.done;
    } finally {
      await file.discard();
    }
  },
};

async function write(
  operator: Operator,
  { path }: PartialFile,
  { signal, onProgress }: CommandContext,
): Promise<Manifest> {
  const packer = createGzip({ level: GZIP_LEVEL });
  const disk = packer.pipe(createWriteStream(path, { mode: 0o600 }));
  const written = finished(disk);
  written.catch((error: Error) => packer.destroy(error));
  const outlet = { write: (chunk: Uint8Array) => writeTo(packer, chunk), progress: onProgress, signal };
  try {
    return await operator.run('backup', {}, outlet);
  } finally {
    packer.end();
    await written;
  }
}

async function verify(file: PartialFile, size: number, target: string, { onProgress }: CommandContext): Promise<void> {
  const folder = join(dirname(target), `.cairn-verify-${process.pid}`);
  try {
    await openArchive(file.path, folder, size, onProgress);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(
  { out, json }: CommandContext,
  file: string,
  size: number,
  manifest: Manifest,
  isVerified: boolean,
): void {
  const { counts, created_at } = manifest;
  if (json) out.json({ file, bytes: size, created_at, counts, verified: isVerified });
  else {
    const held = `${counts.events} events and ${counts.persons} persons as of ${created_at}`;
    const verified = isVerified ? 'restored and counted again: it is sound' : 'not verified';
    out.print(`${file}: ${formatBytes(size)}, ${held}; ${verified}.`);
  }
}
