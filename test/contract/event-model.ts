import fc from 'fast-check';
import { HOT_PROPERTIES } from '../../src/core/events/hot-properties.ts';
import type { Json } from '../../src/core/json/json.ts';
import type { PersonOverride, SqlRow, StoredEvent } from '../../src/stores/events/event-store.ts';
import { anEvent } from './events.ts';

/** The row of the view `events` that one event must give while nobody merged. */
export function expectedRow(event: StoredEvent): SqlRow {
  const groups = event.groups.map((key, i) => [`group_${i}`, key] as const);
  const hot = HOT_PROPERTIES.map((name, i) => [name, event.hot[i] ?? null] as const);
  return {
    project_id: event.projectId,
    uuid: event.uuid,
    event: event.event,
    distinct_id: event.distinctId,
    person_id: event.personId,
    timestamp: event.timestamp,
    created_at: event.createdAt,
    properties: event.properties,
    elements_chain: event.elementsChain,
    ...Object.fromEntries(groups),
    ...Object.fromEntries(hot),
  };
}

/** Text of every length and alphabet, with NUL and without lone surrogates, which no UTF-8 can hold. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 14 }),
  fc.constantFrom('', '\0', 'twelve bytes', 'thirteen byte', 'né', '😀😀😀', 'x'.repeat(3000)),
);
const optionalText = fc.option(text);
const hotValue: fc.Arbitrary<Json> = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const time = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });

const anyEvent: fc.Arbitrary<StoredEvent> = fc
  .record({
    projectId: fc.integer({ min: 1, max: 2_147_483_647 }),
    uuid: fc.uuid(),
    event: text,
    distinctId: text,
    personId: fc.uuid(),
    timestamp: time,
    createdAt: time,
    properties: fc.dictionary(fc.oneof(text, fc.constantFrom(...HOT_PROPERTIES)), hotValue, { maxKeys: 8 }),
    elementsChain: text,
    groups: fc.tuple(optionalText, optionalText, optionalText, optionalText, optionalText),
  })
  .map((fields) => anEvent(fields));

export const anyEvents: fc.Arbitrary<StoredEvent[]> = fc.uniqueArray(anyEvent, {
  minLength: 1,
  maxLength: 30,
  selector: ({ uuid }) => uuid,
});

/** Batches of merges among six persons. */
export const mergeSequences: fc.Arbitrary<[number, number][][]> = fc.array(
  fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 4 }),
  { maxLength: 5 },
);

/** Who owns each person's events after one more override: the rule said as simply as possible. */
export function applyOverride(owners: Map<string, string>, { from, to }: PersonOverride): Map<string, string> {
  const target = owners.get(to) === from ? to : (owners.get(to) ?? to);
  const moved = [...owners].map(([id, owner]): [string, string] => [
    id,
    owner === from || id === from ? target : owner,
  ]);
  return new Map(moved);
}
