/**
 * Finished events as ClickHouse takes them, packed: what lies in PostgreSQL until it is shipped. A block names its
 * columns, so one that was packed by an older version can still be sent by a newer one. Blocks are joined by putting
 * one behind the other.
 */
import { gzipSync } from 'node:zlib';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import type { StoredEvent } from '../events/event-store.ts';
import { readableJson, withoutWideIntegers } from '../events/readable-json.ts';

/** Nothing at all where there are no events. Throws, and packs nothing, when one of them cannot be stored. */
export const packBlock = (events: readonly StoredEvent[]): Buffer => packRows(events, eventRow);

/** Rows of any table as one packed list of JSON objects. */
export function packRows<T>(items: readonly T[], toRow: (item: T) => object): Buffer {
  if (items.length === 0) return Buffer.alloc(0);
  const lines = items.map((item) => readableJson(JSON.stringify(toRow(item))));
  // Quick rather than small: blocks live for seconds.
  return gzipSync(`${lines.join('\n')}\n`, { level: 1 });
}

/** JSON text of properties that the engine can read into. */
export const clickhouseJson = (json: string): string => withoutWideIntegers(readableJson(json));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function checkedUuid(uuid: string): string {
  if (!UUID.test(uuid)) throw new Error(`Not a UUID: ${JSON.stringify(uuid.slice(0, 100))}`);
  return uuid;
}

/** What is null is left out: most of an event's optional columns are. */
function eventRow(event: StoredEvent): object {
  const row: Record<string, string | number> = {
    project_id: event.projectId,
    uuid: checkedUuid(event.uuid),
    event: event.event,
    distinct_id: event.distinctId,
    person_id: checkedUuid(event.personId),
    timestamp: Math.trunc(event.timestamp),
    created_at: Math.trunc(event.createdAt),
    properties: clickhouseJson(event.properties),
    elements_chain: event.elementsChain,
  };
  event.groups.forEach((key, index) => {
    if (key !== null) row[`group_${index}`] = key;
  });
  HOT_PROPERTIES.forEach((name, index) => {
    const text = event.hot[index] ?? null;
    if (text !== null) row[name] = text;
  });
  return row;
}
