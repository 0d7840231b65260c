import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { partitionFor, splitByPartition, subjectChanges, subjectHash } from './split-by-partition.ts';

const entry = (events: readonly JsonObject[]) => ({
  projectId: 3,
  receivedAt: 1,
  events: events.length,
  context: '{}',
  seed: Buffer.from('0123456789'),
  payload: Buffer.from(JSON.stringify({ api_key: 'k', batch: events })),
});
const newSeed = (): Buffer => Buffer.from('9876543210');
const cut = (events: readonly JsonObject[], partitions = 16) =>
  splitByPartition(entry(events), events, partitions, newSeed);

it('keeps a request about one person as it came', async () => {
  const events = [
    { event: 'a', distinct_id: 'ada' },
    { event: 'b', properties: { distinct_id: 'ada' } },
  ];
  const [only, ...others] = await cut(events);
  expect(others).toEqual([]);
  expect(only?.entry).toEqual({ ...entry(events), partition: partitionFor(3, events[0] ?? {}, 16) });
});

it('parses the payload where the events are not passed', async () => {
  const events = [{ event: 'a', distinct_id: 'ada' }];
  expect(await splitByPartition(entry(events), undefined, 16, newSeed)).toEqual(await cut(events));
});

it('keeps every event in order, and those of a distinct id together', async () => {
  const anEvent = fc.record({ event: fc.string(), distinct_id: fc.integer({ min: 0, max: 30 }).map((n) => `id ${n}`) });
  await fc.assert(
    fc.asyncProperty(fc.array(anEvent, { minLength: 1, maxLength: 60 }), async (events) => {
      const cuts = await cut(events, 8);
      const kept = cuts.flatMap((one) => one.events);
      expect(kept).toHaveLength(events.length);
      for (const id of new Set(events.map(({ distinct_id }) => distinct_id))) {
        const own = (list: readonly JsonObject[]) => list.filter(({ distinct_id }) => distinct_id === id);
        expect(cuts.filter((one) => own(one.events).length > 0)).toHaveLength(1);
        expect(own(kept)).toEqual(own(events));
      }
      for (const one of cuts.length > 1 ? cuts : []) {
        expect(parseJson(one.entry.payload.toString())).toEqual(one.events);
        expect(one.entry.events).toBe(one.events.length);
      }
      expect(new Set(cuts.map((one) => one.entry.seed.toString())).size).toBe(Math.min(cuts.length, 2));
    }),
  );
});

it('lists for each entry whose flags it may change', async () => {
  const ids = Array.from({ length: 12 }, (_, n) => `id ${n}`);
  const events = ids.map((id) => ({ event: '$set', distinct_id: id, properties: { $set: { a: 1 } } }));
  const notes = subjectChanges(await cut(events), ids);
  expect(notes.flatMap(([, , marks]) => marks ?? []).sort()).toEqual(ids.map(subjectHash).sort());
  for (const [partition, projectId, marks] of notes) {
    expect(projectId).toBe(3);
    const own = ids.filter((id) => partitionFor(3, { distinct_id: id }, 16) === partition);
    expect([...(marks ?? [])].sort()).toEqual(own.map(subjectHash).sort());
  }
  expect(subjectChanges(await cut(events), [])).toEqual([]);
});

it('lists for each entry which ids it merges', async () => {
  const identify = { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon' } };
  const set = { event: '$set', distinct_id: 'bo', properties: { $set: { a: 1 } } };
  const [ada, anon, bo] = ['ada', 'anon', 'bo'].map(subjectHash);
  const place = partitionFor(3, identify, 16);
  expect(subjectChanges(await cut([identify]), ['ada', 'anon'])).toEqual([[place, 3, [ada, anon], [[ada, anon]]]]);
  const notes = subjectChanges(await cut([set, identify]), ['bo', 'ada', 'anon']);
  expect(notes).toContainEqual([partitionFor(3, set, 16), 3, [bo]]);
  expect(notes).toContainEqual([place, 3, [ada, anon], [[ada, anon]]]);
});
