import { describe, expect, it } from 'vitest';
import { eventUuid } from '../../core/events/uuid.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { derivedUuid } from '../accept/request-context.ts';
import { findPendingEvent } from './find-pending-event.ts';

const UUID = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

const anEntry = (seq: number, body: unknown, over: Partial<LogEntry> = {}): LogEntry => ({
  seq,
  projectId: 1,
  receivedAt: 1_768_464_000_000,
  events: 1,
  context: '{}',
  seed: Buffer.from('0123456789'),
  payload: Buffer.from(JSON.stringify(body)),
  ...over,
});

const find = (entries: readonly LogEntry[], uuid: string, position = 0) =>
  findPendingEvent(
    {
      progress: async () => progressAt(position),
      log: { read: (seq) => entries.filter((entry) => entry.seq > seq).slice(0, 2), close: () => undefined },
    },
    1,
    uuid,
  ).then((entry) => entry?.seq ?? null);

const others = [1, 2, 3, 4].map((seq) => anEntry(seq, { event: 'ping', uuid: `${UUID.slice(0, -1)}${seq}` }));

describe('searching for a pending event', () => {
  const derived = anEntry(5, [{ event: 'a' }, { event: 'b' }], { events: 2 });
  it.each<[string, LogEntry, string]>([
    ['an id of its own', anEntry(5, { event: 'ping', uuid: UUID }), UUID],
    ['an id in capitals', anEntry(5, { batch: [{ event: 'ping', uuid: UUID.toUpperCase() }] }), UUID],
    ['an id without hyphens', anEntry(5, { event: 'ping', uuid: UUID.replaceAll('-', '').toUpperCase() }), UUID],
    ['a message id', anEntry(5, { event: 'ping', messageId: 'm' }), eventUuid(1, 'messageId', 'm', ['ping', '', ''])],
    [
      'the older name of it',
      anEntry(5, { event: 'ping', message_id: 'm' }),
      eventUuid(1, 'messageId', 'm', ['ping', '', '']),
    ],
    ['an insert id', anEntry(5, { properties: { $insert_id: 'i' } }), eventUuid(1, '$insert_id', 'i', ['', '', ''])],
    ['an id that we gave', derived, derivedUuid(derived, 1)],
  ])('finds it by %s', async (_name, entry, uuid) => {
    expect(await find([...others, entry], uuid)).toBe(5);
  });

  it('skips what is processed, of another project, or only mentions the uuid', async () => {
    const entry = anEntry(5, { event: 'ping', uuid: UUID });
    expect(await find([entry], UUID, 5)).toBeNull();
    expect(await find([{ ...entry, projectId: 2 }], UUID)).toBeNull();
    expect(await find([anEntry(5, { event: 'ping', properties: { parent: UUID } })], UUID)).toBeNull();
  });

  it('answers unavailable when the backlog is too large', async () => {
    const big = anEntry(1, {}, { payload: Buffer.alloc(200_000_000, 120) });
    await expect(find([big], UUID)).rejects.toMatchObject({ kind: 'unavailable', retryAfter: 5 });
  });
});
