import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { syncToDisk } from '../lib/sync-to-disk.ts';
import { CONTROL_FOLDER } from '../operate/control/control-path.ts';
import { DATA_FILES } from '../stores/data-files.ts';
import { FolderInUse, lockFolder } from '../stores/sqlite/folder-lock.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { type OpenedArchive, openArchive } from './open-archive.ts';
import { readArgs, readPositionals } from './read-args.ts';

const HELP = `Restores a backup into the data folder. No server may be running on it.

  cairn restore FILE [--data-dir DIR] [--replace]
  cairn restore FILE --check      Only verifies the backup; changes nothing.

The backup is unpacked and verified first: the checksum of every file, every store read completely, and the counts
compared. If anything is wrong, nothing is changed.

A folder that contains data is refused. With --replace, its files are moved into a subfolder "replaced-…", which you can
delete later.`;

/** Names that may be in a folder that counts as empty. Salts stay, to be destroyed when their day is over. */
const IGNORED_NAMES = new RegExp(
  `^(?:lock.*|${DATA_FILES.work}|${DATA_FILES.salts}|${DATA_FILES.secretKey}|${CONTROL_FOLDER}|lost\\+found|\\.restore-.*|replaced-.*)$`,
);

export const restore: Command = {
  name: 'restore',
  summary: 'Restore a backup into the data folder.',
  help: HELP,
  async run({ config, out, json, onProgress }, args) {
    const { words, options } = readArgs(args, { replace: 'flag', check: 'flag' });
    const file = resolve(readPositionals(words, 'FILE').FILE);
    const size = await backupSize(file);
    const folder = config.dataDir;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = lockFor(folder, options.check);
    const unpacked = join(folder, `.restore-${process.pid}`);
    try {
      const old = await dataFilesIn(folder);
      if (old.length > 0 && !options.replace && !options.check) throw notEmpty(folder);
      const opened = await openArchive(file, unpacked, size, onProgress);
      const replaced = options.check ? null : await replaceData(folder, unpacked, old, opened);
      const { manifest, counts } = opened;
      if (json) out.json({ file, folder, created_at: manifest.created_at, counts, replaced, restored: !options.check });
      else out.print(summaryOf(opened, options.check ? null : folder, replaced));
      return EXIT.done;
    } finally {
      await rm(unpacked, { recursive: true, force: true });
      lock?.release();
    }
  },
};

async function backupSize(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    (error: Error) => {
      throw new UsageError(`The backup cannot be read: ${error.message}.`);
    },
  );
}

/** A check changes nothing, and needs no lock. */
function lockFor(folder: string, isCheck: boolean) {
  try {
    return isCheck ? null : lockFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new Error(`A server is running on ${folder}. Stop it first, or restore into another folder with --data-dir.`);
  }
}

const dataFilesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => !IGNORED_NAMES.test(name));

const notEmpty = (folder: string): UsageError =>
  new UsageError(
    `${folder} contains data already. Use --replace to move it aside, or choose another folder with --data-dir.`,
  );

/** The metadata goes first and comes last: no server starts on a folder without it, or with files of two backups. */
async function replaceData(
  folder: string,
  unpacked: string,
  old: readonly string[],
  { manifest }: OpenedArchive,
): Promise<string | null> {
  const aside = join(folder, `replaced-${manifest.created_at.replace(/[:.]/g, '-')}-${process.pid}`);
  const isMetadata = (name: string): boolean => name.startsWith(DATA_FILES.metadata);
  if (old.length > 0) {
    await mkdir(aside, { mode: 0o700 });
    for (const name of [...old.filter(isMetadata), ...old.filter((one) => !isMetadata(one))]) {
      await rename(join(folder, name), join(aside, name));
    }
  }
  const fresh = (await readdir(unpacked)).sort((a, b) => Number(isMetadata(a)) - Number(isMetadata(b)));
  for (const name of fresh) await syncToDisk(join(unpacked, name));
  for (const name of fresh) await rename(join(unpacked, name), join(folder, name));
  await syncToDisk(folder);
  return existsSync(aside) ? aside : null;
}

function summaryOf({ manifest, counts }: OpenedArchive, folder: string | null, replaced: string | null): string {
  const held = `${counts.events} events and ${counts.persons} persons as of ${manifest.created_at}`;
  if (folder === null) return `The backup is valid: ${held}.`;
  const rest = replaced === null ? '' : ` The previous data is in ${replaced}.`;
  return `Restored into ${folder}: ${held}; ${counts.pending} events wait to be processed.${rest} Start the server.`;
}
