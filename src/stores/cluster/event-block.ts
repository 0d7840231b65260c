/**
 * Processed events in ClickHouse's format, gzipped: stored in PostgreSQL until they are shipped. A block names its
 * columns, so a newer version can send blocks of an older one. Blocks can be concatenated.
 */
import { gzipSync } from 'node:zlib';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import type { StoredEvent } from '../events/event-store.ts';
import { readableJson, withoutWideIntegers } from '../events/readable-json.ts';

/** Empty for no events. Throws if one of them cannot be stored. */
export const packBlock = (events: readonly StoredEvent[]): Buffer => packRows(events, eventRow);

/** Rows of any table as gzipped JSON lines. */
export function packRows<T>(items: readonly T[], toRow: (item: T) => object): Buffer {
  if (items.length === 0) return Buffer.alloc(0);
  const lines = items.map((item) => readableJson(JSON.stringify(toRow(item))));
  // Fast rather than small: blocks live for seconds.
  return gzipSync(`${lines.join('\n')}\n`, { level: 1 });
}

/** JSON text of properties that ClickHouse can parse. */
export const clickhouseJson = (json: string): string => withoutWideIntegers(readableJson(json));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function checkedUuid(uuid: string): string {
  if (!UUID.test(uuid)) throw new Error(`Not a UUID: ${JSON.stringify(uuid.slice(0, 100))}`);
  return uuid;
}

/** Nulls are left out: most optional columns are null. */
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
