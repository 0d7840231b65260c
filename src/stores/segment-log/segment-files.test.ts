import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { anEntry, NO_LIMIT } from '../../../test/contract/ingest-log.ts';
import { runInProcess } from '../../../test/contract/run-apart.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { progressAt } from '../ingest/log-progress.ts';
import { openIngestLog } from './ingest-log.ts';
import { openIngestLogReader } from './ingest-log-reader.ts';
import { readLogFolder } from './log-folder.ts';
import { readLogTotals } from './log-totals.ts';

const big = (bytes: number) => anEntry({ payload: Buffer.alloc(bytes, 120) });
const saying = (text: string) => anEntry({ payload: Buffer.from(text.repeat(500)) });

let dir: TempDir;
let folder: string;
beforeEach(() => {
  dir = makeTempDir();
  folder = dir.path('log');
});
afterEach(() => {
  vi.restoreAllMocks();
  dir.remove();
});

const files = (of = folder): string[] => readdirSync(of).sort();
const lastFile = (of = folder): string => join(of, files(of).at(-1) ?? '');
const containing = (text: string): string[] =>
  files().filter((file) => readFileSync(join(folder, file)).includes(text));

function seqsIn(path = folder): number[] {
  const reader = openIngestLogReader(path);
  const seqs = reader.read(0, 1e9, 1e9).map(({ seq }) => seq);
  reader.close();
  return seqs;
}

/** A log with this many entries, as a crash would leave it. */
async function crashed(entries: number, segmentBytes?: number): Promise<string> {
  const log = await openIngestLog(folder, { ...NO_LIMIT, ...(segmentBytes !== undefined && { segmentBytes }) });
  for (let i = 0; i < entries; i++) await log.append(big(300));
  const copy = dir.copy();
  await log.close();
  return copy.path('log');
}

describe('segments', () => {
  it('are deleted once all of their entries are trimmed', async () => {
    const log = await openIngestLog(folder, { ...NO_LIMIT, segmentBytes: 1000 });
    for (let i = 0; i < 9; i++) await log.append(big(300));
    expect(files()).toEqual(['0000000000000001.log', '0000000000000004.log', '0000000000000007.log']);
    await log.trim(5);
    expect(files()).toEqual(['0000000000000004.log', '0000000000000007.log']);
    await log.trim(6);
    expect(files()).toEqual(['0000000000000007.log']);
    await log.close();
  });

  it('do not grow in number under a steady load', async () => {
    const log = await openIngestLog(folder, { ...NO_LIMIT, segmentBytes: 100_000 });
    for (let i = 0; i < 100; i++) {
      const seqs = await Promise.all(Array.from({ length: 50 }, () => log.append(big(2000))));
      await log.trim(Math.max(...seqs) - 100);
    }
    expect(files().length).toBeLessThanOrEqual(4);
    await log.close();
  });

  it('are begun anew when everything has been trimmed for a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const log = await openIngestLog(folder, NO_LIMIT);
      await log.trim(await log.append(saying('canary ')));
      await vi.advanceTimersByTimeAsync(60_000);
      await vi.waitFor(() => expect(containing('canary')).toEqual([]));
      expect(files()).toEqual(['0000000000000002.log']);
      expect(await log.append(anEntry())).toBe(2);
      await log.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('go on with their numbers and counts where all were deleted but an empty one', async () => {
    const log = await openIngestLog(folder, NO_LIMIT);
    await log.trim(await log.append(anEntry({ events: 7 })));
    await log.purge();
    await log.close();
    expect(files()).toEqual(['0000000000000002.log']);
    const again = await openIngestLog(folder, NO_LIMIT);
    expect(again.state()).toMatchObject({ head: 1, accepted: 7, entries: 0 });
    await again.close();
  });
});

describe('a purge', () => {
  it('leaves no trace of what was trimmed, and waits for what is pending', async () => {
    const log = await openIngestLog(folder, NO_LIMIT);
    for (let n = 0; n < 50; n++) await log.append(saying('canary '));
    const last = await log.append(saying('stays '));
    await log.trim(last - 1);
    expect(containing('canary')).not.toEqual([]);
    const purged = log.purge();
    const next = await log.append(saying('next '));
    await log.trim(last);
    await purged;
    expect(containing('canary')).toEqual([]);
    expect(containing('next')).toHaveLength(1);
    expect(seqsIn()).toEqual([next]);
    await log.close();
    await expect(log.purge()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is refused while what is pending stays pending', async () => {
    const log = await openIngestLog(folder, { ...NO_LIMIT, maxPurgeWaitMs: 20 });
    await log.append(saying('pending '));
    await expect(log.purge()).rejects.toMatchObject({ kind: 'unavailable' });
    await log.close();
  });
});

describe('after a crash', () => {
  it('garbage at the end is cut off', async () => {
    const copy = await crashed(20);
    appendFileSync(lastFile(copy), Buffer.alloc(10_000, 0x5a));
    const log = await openIngestLog(copy, NO_LIMIT);
    expect(log.state()).toMatchObject({ head: 20, entries: 20 });
    expect(await log.append(anEntry())).toBe(21);
    await log.close();
    expect(seqsIn(copy)).toHaveLength(21);
  });

  it('a group that was written in part is cut off, wherever it ends', async () => {
    const copy = await crashed(2);
    const whole = readFileSync(lastFile(copy));
    const { length } = readLogFolder(copy).segments[0] ?? { length: 0 };
    const start = length - (length - 96) / 2;
    for (let end = start; end < whole.length; end += 7) {
      writeFileSync(lastFile(copy), whole.subarray(0, end));
      expect(readLogFolder(copy)).toMatchObject({ head: 1, tornBytes: end - start });
    }
  });

  it('a group of which a middle part is missing is cut off as well', async () => {
    const log = await openIngestLog(folder, NO_LIMIT);
    await log.append(big(300));
    await Promise.all([log.append(big(300)), log.append(big(300)), log.append(big(300))]);
    const copy = dir.copy().path('log');
    await log.close();
    const bytes = readFileSync(lastFile(copy));
    bytes.fill(0, 96 + 400, 96 + 800);
    writeFileSync(lastFile(copy), bytes);
    expect(readLogFolder(copy)).toMatchObject({ head: 1, accepted: 1 });
  });

  it('an unfinished segment is removed', async () => {
    const copy = await crashed(3);
    writeFileSync(join(copy, '0000000000000004.log.new'), 'half a header');
    const log = await openIngestLog(copy, NO_LIMIT);
    expect([log.state().head, files(copy)]).toEqual([3, ['0000000000000001.log']]);
    await log.close();
  });

  it('a segment whose deletion was undone is deleted again', async () => {
    const log = await openIngestLog(folder, { ...NO_LIMIT, segmentBytes: 1000 });
    for (let i = 0; i < 5; i++) await log.append(big(300));
    copyFileSync(join(folder, '0000000000000001.log'), dir.path('kept'));
    await log.trim(4);
    await log.close();
    copyFileSync(dir.path('kept'), join(folder, '0000000000000001.log'));
    const again = await openIngestLog(folder, NO_LIMIT);
    expect(again.state()).toMatchObject({ head: 5, entries: 1, bytes: 300 });
    expect(files()).toEqual(['0000000000000004.log']);
    await again.close();
  });

  it('every acknowledged entry is there after kill -9', async () => {
    const printed = await runInProcess(
      `import { openIngestLog } from './src/stores/segment-log/ingest-log.ts';
       const log = await openIngestLog(${JSON.stringify(folder)}, { maxBytes: 1e9, segmentBytes: 5000 });
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
    const log = await openIngestLog(folder, NO_LIMIT);
    const reader = openIngestLogReader(folder, log.head);
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

describe('damage', () => {
  it('in what was acknowledged is told with the file', async () => {
    const copy = await crashed(5);
    const bytes = readFileSync(lastFile(copy));
    for (const at of [96 + 10, 96 + 60, 96 + 200]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      writeFileSync(lastFile(copy), changed);
      await expect(openIngestLog(copy, NO_LIMIT)).rejects.toThrow(/0001\.log is damaged .*byte 96.*move it aside/);
    }
  });

  it('in a header, or a file that is something else', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, '0000000000000001.log'), 'this is no log at all. '.repeat(100));
    await expect(openIngestLog(folder, NO_LIMIT)).rejects.toThrow(/0001\.log is damaged .*header/);
  });

  it('in an older segment is found when it is read, and by a check', async () => {
    const copy = await crashed(9, 1000);
    const first = join(copy, '0000000000000001.log');
    const bytes = readFileSync(first);
    bytes.writeUInt8(bytes.readUInt8(300) ^ 1, 300);
    writeFileSync(first, bytes);
    const reader = openIngestLogReader(copy);
    expect(() => reader.read(0, 1e9, 1e9)).toThrow(/0001\.log is damaged/);
    expect(reader.read(3, 1e9, 1e9)).toHaveLength(6);
  });

  it('an older segment that became shorter', async () => {
    const copy = await crashed(9, 1000);
    truncateSync(join(copy, '0000000000000001.log'), 500);
    await expect(openIngestLog(copy, NO_LIMIT)).rejects.toThrow(/0001\.log is damaged .*some are missing/);
  });

  it.each([
    ['oldest', '0000000000000001.log'],
    ['middle', '0000000000000004.log'],
  ])('the %s segment is missing: its events are neither processed nor pending', async (_name, missing) => {
    const copy = await crashed(9, 1000);
    renameSync(join(copy, missing), dir.path('aside'));
    expect(readLogTotals(copy, progressAt(0))).toEqual({ accepted: 9, pending: 6 });
    const log = await openIngestLog(copy, NO_LIMIT);
    expect(log.state()).toMatchObject({ head: 9, accepted: 9, entries: 6, bytes: 1800 });
    await log.trim(8);
    expect(log.state()).toMatchObject({ entries: 1, bytes: 300 });
    await log.close();
  });

  it('a version that is newer', async () => {
    const log = await openIngestLog(folder, NO_LIMIT);
    await log.close();
    const bytes = readFileSync(lastFile());
    bytes.writeUInt32LE(99, 8);
    writeFileSync(lastFile(), bytes);
    await expect(openIngestLog(folder, NO_LIMIT)).rejects.toThrow(/newer version of Cairn \(format 99/);
  });
});

describe('a disk that fails', () => {
  async function handleMethods(): Promise<FileHandle> {
    const handle = await open(dir.path('any'), 'w');
    await handle.close();
    return Object.getPrototypeOf(handle) as FileHandle;
  }
  const failing = (code: string) => Object.assign(new Error(code), { code });

  it('a failed sync rejects the group; nothing is written behind it, and the log goes on in a new segment', async () => {
    const log = await openIngestLog(folder, NO_LIMIT);
    await log.append(saying('first '));
    vi.spyOn(await handleMethods(), 'datasync').mockRejectedValueOnce(failing('EIO'));
    const results = await Promise.allSettled([log.append(saying('lost ')), log.append(saying('lost '))]);
    expect(results).toMatchObject([
      { status: 'rejected', reason: { kind: 'unavailable', retryAfter: 2, message: expect.stringContaining('EIO') } },
      { status: 'rejected' },
    ]);
    expect(log.state()).toMatchObject({ head: 1, accepted: 1, entries: 1 });
    expect(await log.refusal()).toBe(null);
    expect(await log.append(saying('second '))).toBe(2);
    expect(containing('lost')).toEqual([]);
    expect(files()).toEqual(['0000000000000001.log', '0000000000000002.log']);
    await log.close();
    expect(seqsIn()).toEqual([1, 2]);
  });

  it('what a failed sync left behind does not count, even if it could not be cut off', async () => {
    const log = await openIngestLog(folder, NO_LIMIT);
    const reader = openIngestLogReader(folder, log.head);
    await log.append(saying('first '));
    const methods = await handleMethods();
    vi.spyOn(methods, 'datasync').mockRejectedValueOnce(failing('EIO'));
    vi.spyOn(methods, 'truncate').mockRejectedValueOnce(failing('EIO'));
    await expect(log.append(saying('lost '))).rejects.toMatchObject({ kind: 'unavailable' });
    await log.append(saying('second '));
    expect(containing('lost')).not.toEqual([]);
    const texts = reader.read(0, 1e9, 1e9).map(({ payload }) => payload.toString().slice(0, 4));
    expect(texts).toEqual(['firs', 'seco']);
    const copy = dir.copy().path('log');
    await log.close();
    expect(seqsIn(copy)).toEqual([1, 2]);
    expect(readLogTotals(copy, progressAt(0))).toEqual({ accepted: 2, pending: 2 });
  });

  it('the first sync of an empty segment', async () => {
    const log = await openIngestLog(folder, NO_LIMIT);
    const reader = openIngestLogReader(folder, log.head);
    expect(reader.read(0, 1e9, 1e9)).toEqual([]);
    vi.spyOn(await handleMethods(), 'datasync').mockRejectedValueOnce(failing('EIO'));
    await expect(log.append(saying('lost '))).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await log.append(saying('first '))).toBe(1);
    expect(reader.read(0, 1e9, 1e9)).toMatchObject([{ seq: 1 }]);
    await log.trim(1);
    expect(log.state()).toMatchObject({ head: 1, entries: 0 });
    await log.close();
  });

  it('a full disk rejects the group, and says so until there is space', async () => {
    const log = await openIngestLog(folder, NO_LIMIT);
    await log.append(anEntry());
    const full = vi.spyOn(await handleMethods(), 'writev').mockRejectedValue(failing('ENOSPC'));
    await expect(log.append(anEntry())).rejects.toThrow(/disk of the ingest log is full/);
    expect(await log.refusal()).toMatch(/disk of the ingest log is full/);
    // Trimming needs no space.
    await log.trim(1);
    expect(log.state()).toMatchObject({ head: 1, entries: 0 });
    full.mockRestore();
    expect(await log.refusal()).toBe(null);
    expect(await log.append(anEntry())).toBe(2);
    await log.close();
    expect(seqsIn()).toEqual([2]);
  });

  it('files that cannot grow: entries are rejected, and acknowledged ones are kept', async () => {
    const printed = await runInProcess(
      `import { openIngestLog } from './src/stores/segment-log/ingest-log.ts';
       process.on('SIGXFSZ', () => undefined);
       const log = await openIngestLog(${JSON.stringify(folder)}, { maxBytes: 1e9 });
       const payload = Buffer.alloc(100_000, 120);
       const append = () => log.append({ projectId: 1, receivedAt: 1, events: 1, context: '', seed: payload, payload })
         .then((seq) => seq, (failure) => failure.kind);
       for (let i = 0; i < 30; i++) console.log(await append());`,
      { maxFileBlocks: 2000 },
    );
    const kept = printed.filter((line) => line !== 'unavailable');
    expect(printed.at(-1)).toBe('unavailable');
    expect(kept.length).toBeGreaterThan(2);
    const log = await openIngestLog(folder, NO_LIMIT);
    expect(seqsIn()).toEqual(kept.map(Number));
    expect(await log.append(anEntry())).toBe(kept.length + 1);
    await log.close();
  });
});

describe('numbers', () => {
  it('are skipped where others have positions of a log that was lost', async () => {
    const log = await openIngestLog(folder, { ...NO_LIMIT, startAfter: 100, acceptedAtLeast: 250 });
    expect(await log.append(anEntry())).toBe(101);
    expect(log.state()).toMatchObject({ head: 101, accepted: 251, entries: 1 });
    await log.close();
    const again = await openIngestLog(folder, { ...NO_LIMIT, startAfter: 200 });
    expect(await again.append(anEntry())).toBe(201);
    expect(again.state()).toMatchObject({ head: 201, accepted: 252, entries: 2 });
    expect(seqsIn()).toEqual([101, 201]);
    await again.trim(150);
    expect(again.state()).toMatchObject({ entries: 1 });
    expect(statSync(lastFile()).size).toBeGreaterThan(96);
    await again.close();
    rmSync(folder, { recursive: true });
    expect(readLogTotals(folder, progressAt(0))).toBe(null);
  });
});
