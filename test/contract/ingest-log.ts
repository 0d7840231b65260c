import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MaybePromise } from '../../src/lib/maybe-async.ts';
import type { IngestLog, IngestLogReader, LogState, NewLogEntry } from '../../src/stores/ingest/ingest-log.ts';
import { applyToModel, emptyModel, type LogModel, logActions, modelState } from './log-model.ts';

/** What this suite asks of a log; the state may be looked up. */
export interface TestedLog extends Omit<IngestLog, 'state' | 'purge' | 'refusal'> {
  state(): MaybePromise<LogState>;
}

/** Where one test keeps its log. */
export interface LogSetup {
  openLog(bounds: { maxBytes: number; maxEvents?: number }): Promise<TestedLog>;
  openReader(): Promise<IngestLogReader>;
  /** The setup as a power cut at this instant would leave it. */
  copy(): LogSetup;
  remove(): Promise<void>;
}

export const NO_LIMIT = { maxBytes: 1_000_000_000 };
const ALL = 1_000_000;

export const anEntry = (over: Partial<NewLogEntry> = {}): NewLogEntry => ({
  projectId: 1,
  receivedAt: 1_700_000_000_000,
  events: 1,
  context: '{"ip":"10.0.0.1"}',
  seed: Buffer.from('0123456789'),
  payload: Buffer.from('{"event":"ping"}'),
  ...over,
});

const sized = (bytes: number, over: Partial<NewLogEntry> = {}): NewLogEntry =>
  anEntry({ payload: Buffer.alloc(bytes, 120), ...over });

/** What every ingest log promises. */
export function describeIngestLog(name: string, makeSetup: () => LogSetup, { boundsEvents = true } = {}): void {
  describe(`ingest log: ${name}`, () => {
    let setup: LogSetup;
    let log: TestedLog;

    beforeEach(async () => {
      setup = makeSetup();
      log = await setup.openLog(NO_LIMIT);
    });
    afterEach(async () => {
      await log.close();
      await setup.remove();
    });

    async function reopen(bounds: { maxBytes: number; maxEvents?: number } = NO_LIMIT): Promise<void> {
      await log.close();
      log = await setup.openLog(bounds);
    }

    async function readAll(from = 0, maxEvents = ALL, maxBytes = ALL, at = setup): Promise<number[]> {
      const reader = await at.openReader();
      const seqs = (await reader.read(from, maxEvents, maxBytes)).map(({ seq }) => seq);
      reader.close();
      return seqs;
    }

    describe('append', () => {
      it('starts empty', async () => {
        expect(await log.state()).toEqual({
          head: 0,
          accepted: 0,
          entries: 0,
          events: 0,
          bytes: 0,
          oldestReceivedAt: null,
        });
      });

      it('returns every field unchanged', async () => {
        const entry = anEntry({
          projectId: 7,
          receivedAt: 1_712_345_678_901,
          events: 3,
          context: '{"agent":"é\\u0000"}',
          seed: Buffer.from([0, 255, 1, 2, 3, 4, 5, 6, 7, 8]),
          payload: Buffer.from([0, 1, 255, 128, 10]),
        });
        const seq = await log.append(entry);
        const reader = await setup.openReader();
        expect(await reader.read(0, ALL, ALL)).toEqual([{ ...entry, seq }]);
        reader.close();
      });

      it('numbers entries in order', async () => {
        const seqs = await Promise.all(Array.from({ length: 50 }, () => log.append(anEntry())));
        expect(seqs).toEqual(seqs.map((_, i) => i + 1));
        expect(await log.state()).toMatchObject({ head: 50, entries: 50, events: 50 });
      });

      it('takes more entries at once than fit into one group', async () => {
        const seqs = await Promise.all(Array.from({ length: 2500 }, () => log.append(anEntry())));
        expect(seqs.at(-1)).toBe(2500);
        expect(await readAll()).toHaveLength(2500);
      });

      it('has the entry on disk when it resolves', async () => {
        const seq = await log.append(anEntry());
        const copy = setup.copy();
        const reopened = await copy.openLog(NO_LIMIT);
        expect(await reopened.state()).toEqual(await log.state());
        expect(await readAll(0, ALL, ALL, copy)).toEqual([seq]);
        await reopened.close();
      });
    });

    describe('bounds', () => {
      const refusal = { kind: 'unavailable', code: 'server_error', retryAfter: 2 };

      it('rejects entries beyond its size limit, counting pending ones', async () => {
        await reopen({ maxBytes: 1000 });
        const first = log.append(sized(600));
        await expect(log.append(sized(401))).rejects.toMatchObject(refusal);
        await log.append(sized(400));
        await first;
        expect(await log.state()).toMatchObject({ entries: 2, bytes: 1000 });
        await expect(log.append(sized(1))).rejects.toMatchObject(refusal);
      });

      it.runIf(boundsEvents)('rejects entries beyond its event limit', async () => {
        await reopen({ maxBytes: 1000, maxEvents: 10 });
        await log.append(sized(1, { events: 10 }));
        await expect(log.append(sized(1))).rejects.toMatchObject(refusal);
      });

      it('accepts entries again once there is space', async () => {
        await reopen({ maxBytes: 1000 });
        const seq = await log.append(sized(1000));
        await expect(log.append(sized(1))).rejects.toMatchObject(refusal);
        await log.trim(seq);
        expect(await log.append(sized(1000))).toBe(seq + 1);
      });

      it('keeps its limit after a restart', async () => {
        await log.append(sized(900));
        await reopen({ maxBytes: 1000 });
        await expect(log.append(sized(101))).rejects.toMatchObject(refusal);
      });

      it('rejects entries after it was closed', async () => {
        await log.close();
        await expect(log.append(anEntry())).rejects.toMatchObject({ kind: 'unavailable' });
      });

      it('writes pending entries before it closes', async () => {
        const waiting = log.append(anEntry());
        await reopen();
        expect(await waiting).toBe(1);
        expect(await log.state()).toMatchObject({ entries: 1 });
      });
    });

    describe('read', () => {
      beforeEach(async () => {
        for (let i = 0; i < 5; i++) await log.append(sized(10, { events: 2 }));
      });

      it.each([
        { from: 0, maxEvents: ALL, maxBytes: ALL, seqs: [1, 2, 3, 4, 5], why: 'everything' },
        { from: 3, maxEvents: ALL, maxBytes: ALL, seqs: [4, 5], why: 'what comes after a position' },
        { from: 5, maxEvents: ALL, maxBytes: ALL, seqs: [], why: 'nothing after the head' },
        { from: 0, maxEvents: 4, maxBytes: ALL, seqs: [1, 2], why: 'as many events as asked for' },
        { from: 0, maxEvents: 5, maxBytes: ALL, seqs: [1, 2], why: 'no part of an entry' },
        { from: 0, maxEvents: ALL, maxBytes: 30, seqs: [1, 2, 3], why: 'as many bytes as asked for' },
        { from: 1, maxEvents: 1, maxBytes: 1, seqs: [2], why: 'at least one entry' },
      ])('returns $why', async ({ from, maxEvents, maxBytes, seqs }) => {
        expect(await readAll(from, maxEvents, maxBytes)).toEqual(seqs);
      });

      it('sees what was written after the reader was opened', async () => {
        const reader = await setup.openReader();
        const seq = await log.append(anEntry());
        expect((await reader.read(5, ALL, ALL)).map((entry) => entry.seq)).toEqual([seq]);
        reader.close();
      });
    });

    describe('trim', () => {
      it('deletes entries up to a position and reports the oldest of the rest', async () => {
        for (let i = 0; i < 4; i++) await log.append(sized(10, { receivedAt: 1000 + i }));
        await log.trim(2);
        expect(await log.state()).toEqual({
          head: 4,
          accepted: 4,
          entries: 2,
          events: 2,
          bytes: 20,
          oldestReceivedAt: 1002,
        });
        expect(await readAll()).toEqual([3, 4]);
      });

      it('is harmless twice and out of order', async () => {
        for (let i = 0; i < 4; i++) await log.append(anEntry());
        await Promise.all([log.trim(3), log.trim(1), log.trim(3), log.trim(0)]);
        expect(await readAll()).toEqual([4]);
      });

      it('keeps entries that arrive meanwhile', async () => {
        await log.append(anEntry());
        const [, seq] = await Promise.all([log.trim(1000), log.append(anEntry())]);
        expect(await readAll()).toEqual([seq]);
      });

      it('deletes many entries and yields to the event loop between batches', async () => {
        await Promise.all(Array.from({ length: 3000 }, () => log.append(sized(100))));
        let turns = 0;
        const count = (): void => {
          turns++;
          next = setImmediate(count);
        };
        let next = setImmediate(count);
        await log.trim(2999);
        clearImmediate(next);
        expect(turns).toBeGreaterThan(5);
        expect(await log.state()).toMatchObject({ entries: 1, bytes: 100 });
      });

      it('never reuses a number, even after everything was trimmed and it was reopened', async () => {
        await Promise.all(Array.from({ length: 9 }, () => log.append(anEntry())));
        await log.trim(9);
        await reopen();
        expect(await log.state()).toEqual({
          head: 9,
          accepted: 9,
          entries: 0,
          events: 0,
          bytes: 0,
          oldestReceivedAt: null,
        });
        expect(await log.append(anEntry())).toBe(10);
      });
    });

    it('behaves like a simple list under any sequence of actions', async () => {
      await fc.assert(
        fc.asyncProperty(logActions, async (actions) => {
          const ownSetup = makeSetup();
          let own = await ownSetup.openLog(NO_LIMIT);
          let model: LogModel = emptyModel();
          for (const action of actions) {
            model = applyToModel(model, action);
            if (action.kind === 'append') {
              await Promise.all(action.entries.map((entry) => own.append(anEntry(entry))));
            } else if (action.kind === 'trim') await own.trim(action.seq);
            else {
              await own.close();
              own = await ownSetup.openLog(NO_LIMIT);
            }
            expect(await own.state()).toEqual(modelState(model));
          }
          const expected = model.entries.map(({ seq }) => seq);
          expect(await readAll(0, ALL, ALL, ownSetup)).toEqual(expected);
          await own.close();
          await ownSetup.remove();
        }),
        { numRuns: 40 },
      );
    });
  });
}
