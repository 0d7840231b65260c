/**
 * The ingest log of earlier versions becomes a folder of segments, with the same numbers and counts.
 *
 * The folder is written under another name, and gets its own when it is complete and on disk: a crash before that begins
 * again, and one after it finds both, with the same numbers, and removes the old file.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncToDisk } from '../../lib/sync-to-disk.ts';
import { DATA_FILES } from '../data-files.ts';
import { readLogFolder } from '../segment-log/log-folder.ts';
import { writeSegments } from '../segment-log/write-segments.ts';
import { type OldIngestLog, openOldIngestLog } from '../sqlite/old-ingest-log.ts';

export async function convertOldLog(dataDir: string): Promise<void> {
  const [path, target] = [join(dataDir, DATA_FILES.oldLog), join(dataDir, DATA_FILES.log)];
  const old = existsSync(path) ? openOldIngestLog(path) : null;
  if (old) {
    try {
      if (existsSync(target)) requireSame(old, path, target);
      else await writeNew(old, target);
    } finally {
      old.close();
    }
  }
  // The journal last: without it, the file could seem older than the folder.
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

async function writeNew(old: OldIngestLog, target: string): Promise<void> {
  const unfinished = `${target}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeSegments(unfinished, old);
  await syncToDisk(unfinished);
  renameSync(unfinished, target);
  await syncToDisk(join(target, '..'));
}

/** An earlier version that was started again would have written another one. */
function requireSame(old: OldIngestLog, path: string, target: string): void {
  const { head, accepted } = readLogFolder(target);
  if (head === old.head && accepted === old.accepted) return;
  throw new Error(
    `There are two ingest logs, ${path} and ${target}: an earlier version of Cairn was started after a later one. ` +
      'Events in the one that you move aside are lost if they were not processed yet. Usually that is the folder.',
  );
}
