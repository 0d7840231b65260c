import { createWriteStream, existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Manifest } from '../operate/backup/manifest.ts';
import type { Operator } from '../operate/operator.ts';
import { describeLoss } from '../stores/metadata/event-losses.ts';
import { type Command, type CommandContext, EXIT, UsageError } from './command.ts';
import { openArchive } from './open-archive.ts';
import { formatBytes } from './output.ts';
import { type PartialFile, partialFile } from './partial-file.ts';
import { readArgs, readPositionals } from './read-args.ts';
import { writeTo } from './write-to.ts';

const HELP = `Backs up the data folder to one file while the server keeps running.

  cairn backup FILE [--overwrite] [--no-verify]

FILE is a gzipped tar archive, such as backup.tar.gz. It contains every event that was acknowledged before the backup
started. It is created only when it is complete and verified: restored into a temporary folder next to FILE, every store
read completely, and the counts compared. --no-verify skips the verification.

The data folder needs free space for a second copy of the data, and so does the folder of FILE for the verification.
Events are accepted meanwhile, and processed as soon as the event store has been copied.

The file contains hashes of keys and passwords and all data about your users: keep it as safe as the data folder.
Only for data in a folder. With PostgreSQL and ClickHouse, use their own tools.`;

/** Most of the data is compressed already. */
const GZIP_LEVEL = 1;

export const backup: Command = {
  name: 'backup',
  summary: 'Back up all data to one file.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { overwrite: 'flag', 'no-verify': 'flag' });
    const target = resolve(readPositionals(words, 'FILE').FILE);
    if (existsSync(target) && !options.overwrite) {
      throw new UsageError(`${target} already exists. Choose another name, or use --overwrite.`);
    }
    const file = await partialFile(target);
    const operator = await context.operator();
    try {
      const manifest = await write(operator, file, context);
      const { size } = await stat(file.path);
      if (!options['no-verify']) await verify(file, size, target, context);
      await file.finish();
      const { losses } = await operator.run('backup.note', { at: manifest.created_at, file: target });
      report(context, target, size, manifest, !options['no-verify'] && losses.length === 0);
      for (const loss of losses)
        context.out.note(`The backup is not complete: ${describeLoss(loss)}. See cairn recover.`);
      return losses.length === 0 ? EXIT.done : EXIT.attention;
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
    const verified = isVerified ? 'verified' : 'not verified';
    out.print(`${file}: ${formatBytes(size)}, ${held}; ${verified}.`);
  }
}
