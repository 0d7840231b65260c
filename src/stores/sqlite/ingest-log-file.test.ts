import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anEntry, NO_LIMIT } from '../../../test/contract/ingest-log.ts';
import { runInProcess } from '../../../test/contract/run-apart.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openIngestLog } from './ingest-log.ts';
import { openIngestLogReader } from './ingest-log-reader.ts';

const big = (bytes: number) => anEntry({ payload: Buffer.alloc(bytes, 120) });

function seqsIn(path: string): number[] {
  const reader = openIngestLogReader(path);
  const seqs = reader.read(0, 1e9, 1e9).map(({ seq }) => seq);
  reader.close();
  return seqs;
}

describe('ingest log file', () => {
  let dir: TempDir;
  let path: string;

  beforeEach(() => {
    dir = makeTempDir();
    path = dir.path('log.db');
  });
  afterEach(() => dir.remove());

  describe('after a purge', () => {
    it('keeps pending entries and their positions, and no trace of trimmed ones', async () => {
      const log = openIngestLog(path, NO_LIMIT);
      const reader = openIngestLogReader(path);
      const saying = (text: string) => anEntry({ payload: Buffer.from(text.repeat(500)) });
      for (let n = 0; n < 50; n++) await log.append(saying('canary '));
      const last = await log.append(saying('stays '));
      await log.trim(last - 1);
      reader.read(0, 10, 1e6);
      const spelled = (): string[] => [path, `${path}-wal`].filter((file) => readFileSync(file).includes('canary'));
      expect(spelled()).not.toEqual([]);
      const before = log.state();
      await log.purge();
      expect(spelled()).toEqual([]);
      expect(log.state()).toEqual(before);
      expect(seqsIn(path)).toEqual([last]);
      expect(await log.append(saying('next '))).toBe(last + 1);
      reader.close();
      await log.close();
      await expect(log.purge()).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('is postponed while many entries are pending', async () => {
      const log = openIngestLog(path, NO_LIMIT);
      for (let n = 0; n < 3; n++) await log.append(big(6 * 1024 * 1024));
      await expect(log.purge()).rejects.toMatchObject({ kind: 'unavailable' });
      await log.trim(2);
      await log.purge();
      expect(statSync(path).size).toBeLessThan(7 * 1024 * 1024);
      await log.close();
    });
  });

  describe('on a full disk', () => {
    it('rejects the group, stores none of it, and recovers when a trim frees space', async () => {
      const log = openIngestLog(path, { ...NO_LIMIT, maxFileBytes: 200_000 });
      await log.append(big(150_000));
      const before = log.state();
      const results = await Promise.allSettled([log.append(big(10)), log.append(big(90_000)), log.append(big(10))]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(results[0]).toMatchObject({
        reason: { kind: 'unavailable', code: 'server_error', retryAfter: 2, message: expect.stringContaining('full') },
      });
      expect(log.state()).toEqual(before);
      expect(seqsIn(path)).toEqual([1]);
      await log.trim(1);
      expect(await log.append(big(90_000))).toBe(2);
      await log.close();
    });

    it('rejects entries while the journal cannot grow, and keeps acknowledged ones', async () => {
      const printed = await runInProcess(
        `import { openIngestLog } from './src/stores/sqlite/ingest-log.ts';
         process.on('SIGXFSZ', () => undefined);
         const log = openIngestLog(${JSON.stringify(path)}, { maxBytes: 1e9 });
         const payload = Buffer.alloc(100_000, 120);
         const append = () => log.append({ projectId: 1, receivedAt: 1, events: 1, context: '', seed: payload, payload })
           .then((seq) => seq, (failure) => failure.kind);
         for (let i = 0; i < 30; i++) console.log(await append());`,
        { maxFileBlocks: 2000 },
      );
      const kept = printed.filter((line) => line !== 'unavailable');
      expect(printed.at(-1)).toBe('unavailable');
      expect(kept.length).toBeGreaterThan(2);
      const log = openIngestLog(path, NO_LIMIT);
      expect(seqsIn(path)).toEqual(kept.map(Number));
      expect(await log.append(anEntry())).toBe(kept.length + 1);
      await log.close();
    });

    it('still trims while entries are being rejected', async () => {
      const log = openIngestLog(path, { ...NO_LIMIT, maxFileBytes: 200_000 });
      await log.append(big(150_000));
      const [refused, trimmed] = await Promise.allSettled([log.append(big(90_000)), log.trim(1)]);
      expect([refused.status, trimmed.status]).toEqual(['rejected', 'fulfilled']);
      expect(log.state()).toMatchObject({ head: 1, entries: 0, bytes: 0 });
      await log.close();
    });
  });

  describe('after a crash', () => {
    async function leaveJournal(): Promise<TempDir> {
      const log = openIngestLog(path, NO_LIMIT);
      for (let i = 0; i < 20; i++) await log.append(big(3000));
      const copy = dir.copy();
      await log.close();
      return copy;
    }

    it('opens with garbage at the end of the journal and keeps every entry', async () => {
      const copy = await leaveJournal();
      appendFileSync(copy.path('log.db-wal'), Buffer.alloc(10_000, 0x5a));
      const log = openIngestLog(copy.path('log.db'), NO_LIMIT);
      expect(log.state()).toMatchObject({ head: 20, entries: 20 });
      expect(await log.append(anEntry())).toBe(21);
      await log.close();
      expect(seqsIn(copy.path('log.db'))).toHaveLength(21);
    });

    it('opens with a truncated journal and keeps the entries before the damage', async () => {
      const copy = await leaveJournal();
      const journal = copy.path('log.db-wal');
      truncateSync(journal, statSync(journal).size - 100);
      const log = openIngestLog(copy.path('log.db'), NO_LIMIT);
      expect(log.state()).toMatchObject({ head: 19, entries: 19, bytes: 57_000 });
      await log.close();
    });

    it('opens without its shared-memory file', async () => {
      const copy = await leaveJournal();
      writeFileSync(copy.path('log.db-shm'), '');
      const log = openIngestLog(copy.path('log.db'), NO_LIMIT);
      expect(log.state().entries).toBe(20);
      await log.close();
    });

    it('has every acknowledged entry after kill -9', async () => {
      const printed = await runInProcess(
        `import { openIngestLog } from './src/stores/sqlite/ingest-log.ts';
         const log = openIngestLog(${JSON.stringify(path)}, { maxBytes: 1e9 });
         let n = 0;
         const send = async () => {
           for (;;) {
             const payload = Buffer.from(String(n++));
             const seq = await log.append({ projectId: 1, receivedAt: 1, events: 1, context: '', seed: payload, payload });
             console.log(seq + ' ' + payload);
           }
         };
         for (let i = 0; i < 8; i++) void send();`,
        { killAfterLines: 200 },
      );
      const log = openIngestLog(path, NO_LIMIT);
      const reader = openIngestLogReader(path);
      const kept = new Map(reader.read(0, 1e9, 1e9).map((entry) => [entry.seq, entry.payload.toString()]));
      for (const line of printed) {
        const [seq, payload] = line.split(' ');
        expect(kept.get(Number(seq))).toBe(payload);
      }
      expect(log.state().entries).toBe(kept.size);
      reader.close();
      await log.close();
    });
  });

  it('names a file that is not a database', () => {
    writeFileSync(path, 'this is no database at all, whatever its name may say. '.repeat(100));
    expect(() => openIngestLog(path, NO_LIMIT)).toThrow(/ingest log .*log\.db is damaged.*move it aside/s);
  });

  it('names a database with corrupt pages', async () => {
    const log = openIngestLog(path, NO_LIMIT);
    for (let i = 0; i < 50; i++) await log.append(big(300));
    await log.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096);
    writeFileSync(path, bytes);
    expect(() => openIngestLog(path, NO_LIMIT)).toThrow(/is damaged/);
  });

  it('rejects a file of a newer version', () => {
    const db = new Database(path);
    db.pragma('user_version = 99');
    db.close();
    expect(() => openIngestLog(path, NO_LIMIT)).toThrow(/newer version of Cairn \(format 99/);
  });

  it('does not grow under a steady load, nor does its journal', async () => {
    const log = openIngestLog(path, NO_LIMIT);
    const step = async (): Promise<void> => {
      const seqs = await Promise.all(Array.from({ length: 50 }, () => log.append(big(2000))));
      await log.trim(Math.max(...seqs) - 100);
    };
    for (let i = 0; i < 20; i++) await step();
    const early = statSync(path).size;
    for (let i = 0; i < 200; i++) await step();
    expect(statSync(path).size).toBeLessThanOrEqual(early * 1.5);
    expect(statSync(`${path}-wal`).size).toBeLessThan(16 * 1024 * 1024);
    await log.close();
  });

  it('truncates its journal after a long read', async () => {
    const log = openIngestLog(path, NO_LIMIT);
    await log.append(big(10));
    const holder = new Database(path, { readonly: true });
    const open = holder.prepare('select * from entries').iterate();
    open.next();
    for (let i = 0; i < 20; i++) await log.append(big(1_000_000));
    const held = statSync(`${path}-wal`).size;
    open.return?.();
    holder.close();
    for (let i = 0; i < 5; i++) await log.append(big(1_000_000));
    expect(held).toBeGreaterThan(16 * 1024 * 1024);
    expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(16 * 1024 * 1024);
    await log.close();
  });
});
