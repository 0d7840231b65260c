import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { DATA_FILES } from '../data-files.ts';
import { openIngestLog } from '../segment-log/ingest-log.ts';
import { openIngestLogReader } from '../segment-log/ingest-log-reader.ts';
import { readLogFolder } from '../segment-log/log-folder.ts';
import { convertOldLog } from './convert-old-log.ts';

let dir: TempDir;
beforeEach(() => {
  dir = makeTempDir();
});
afterEach(() => dir.remove());

const old = () => dir.path(DATA_FILES.oldLog);
const folder = () => dir.path(DATA_FILES.log);

/** As earlier versions wrote it. */
function writeOldLog(seqs: readonly number[], head: number, accepted: number): void {
  const db = new Database(old());
  db.pragma('journal_mode = wal');
  db.exec(`
    create table entries (
      seq integer primary key autoincrement, project_id integer not null, received_at integer not null,
      events integer not null, context text not null, seed blob not null, payload blob not null);
    create table totals (accepted integer not null);
    insert into totals values (${accepted});
    create index entries_by_project on entries (project_id, seq);
    pragma user_version = 2;`);
  const insert = db.prepare('insert into entries values (?, 3, 1700000000000, 2, ?, ?, ?)');
  for (const seq of seqs) insert.run(seq, `{"n":${seq}}`, Buffer.from('0123456789'), Buffer.from(`payload ${seq}`));
  db.prepare(`insert or replace into sqlite_sequence (rowid, name, seq) values (1, 'entries', ?)`).run(head);
  db.close();
}

it.each<[string, number[], number, number]>([
  ['pending entries', [4, 5, 6], 6, 40],
  ['numbers that were skipped', [4, 5, 9, 10], 12, 40],
  ['no entries', [], 7, 40],
  ['nothing ever', [], 0, 0],
])('%s keep their numbers and counts', async (_name, seqs, head, accepted) => {
  writeOldLog(seqs, head, accepted);
  await convertOldLog(dir.path('.'));
  expect(existsSync(old())).toBe(false);
  expect(readLogFolder(folder())).toMatchObject({ head, accepted, tornBytes: 0 });
  const entries = openIngestLogReader(folder()).read(0, 1e9, 1e9);
  expect(entries).toEqual(
    seqs.map((seq) => ({
      seq,
      projectId: 3,
      receivedAt: 1_700_000_000_000,
      events: 2,
      context: `{"n":${seq}}`,
      seed: Buffer.from('0123456789'),
      payload: Buffer.from(`payload ${seq}`),
    })),
  );
  const log = await openIngestLog(folder(), { maxBytes: 1e9 });
  expect(log.state()).toMatchObject({ head, accepted, entries: seqs.length, events: 2 * seqs.length });
  await log.close();
});

it('begins again after a crash in the middle', async () => {
  writeOldLog([1, 2], 2, 4);
  mkdirSync(`${folder()}.new`);
  writeFileSync(`${folder()}.new/0000000000000001.log`, 'half');
  await convertOldLog(dir.path('.'));
  expect(readLogFolder(folder())).toMatchObject({ head: 2, accepted: 4 });
  expect(readdirSync(dir.path('.'))).toEqual([DATA_FILES.log]);
});

it('removes the old one after a crash at the end', async () => {
  writeOldLog([1, 2], 2, 4);
  await convertOldLog(dir.path('.'));
  writeOldLog([1, 2], 2, 4);
  await convertOldLog(dir.path('.'));
  expect(readdirSync(dir.path('.'))).toEqual([DATA_FILES.log]);
});

it('removes neither where they differ', async () => {
  writeOldLog([1, 2], 2, 4);
  await convertOldLog(dir.path('.'));
  writeOldLog([1, 2, 3], 3, 6);
  await expect(convertOldLog(dir.path('.'))).rejects.toThrow(/two ingest logs.*an earlier version/);
  expect(readdirSync(dir.path('.')).sort()).toEqual([DATA_FILES.log, DATA_FILES.oldLog]);
});

it('names an old log that is damaged', async () => {
  writeFileSync(old(), 'this is no database at all, whatever its name may say. '.repeat(100));
  await expect(convertOldLog(dir.path('.'))).rejects.toThrow(/ingest-log\.sqlite is damaged.*move it aside/s);
});
