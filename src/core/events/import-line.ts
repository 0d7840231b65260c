/**
 * Reads one line of an export as an event or a person: what `cairn export` writes, and PostHog's batch exports and API,
 * where properties may be JSON text, times have no zone, and there is a line for each distinct id of a person.
 */
import { isJsonNumber, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { parseTimestamp } from '../time/parse-timestamp.ts';
import { toDistinctId } from './distinct-id.ts';
import { readUuid } from './uuid.ts';

export interface ImportedPerson {
  /** Null where the line has no valid one. */
  uuid: string | null;
  distinctIds: string[];
  createdAt: number | null;
  isIdentified: boolean | null;
  properties: JsonObject;
}

export type ImportLine =
  | { kind: 'event'; event: JsonObject }
  | { kind: 'person'; person: ImportedPerson }
  | { kind: 'bad'; reason: string };

const invalidLine = (reason: string): ImportLine => ({ kind: 'bad', reason });

export function readImportLine(text: string, fallbackUuid: string): ImportLine {
  let line: unknown;
  try {
    line = parseJson(text);
  } catch {
    return invalidLine('it is not JSON');
  }
  if (!isJsonObject(line)) return invalidLine('it is not a JSON object');
  const properties = readJsonObject(line['properties']);
  if (properties === undefined) return invalidLine('its properties are not a JSON object');
  if (line['event'] !== undefined) return readEvent(line, properties, fallbackUuid);
  return isPerson(line) ? readPerson(line, properties) : invalidLine('it is neither an event nor a person');
}

const isPerson = (line: JsonObject): boolean =>
  line['distinct_ids'] !== undefined || (line['person_id'] !== undefined && line['distinct_id'] !== undefined);

function readEvent(line: JsonObject, properties: JsonObject, fallbackUuid: string): ImportLine {
  const { event, distinct_id: distinctId, created_at: createdAt } = line;
  const time = line['timestamp'] ?? createdAt;
  if (parseTimestamp(time) === undefined) return invalidLine('its timestamp cannot be read');
  const uuid = readUuid(line['uuid'] ?? line['id'] ?? fallbackUuid);
  if (uuid === undefined) return invalidLine('its uuid is invalid');
  const whole = { ...extraProperties(line), ...properties };
  const arrived = createdAt === undefined ? {} : { created_at: createdAt };
  const who = distinctId === undefined ? {} : { distinct_id: distinctId };
  return {
    kind: 'event',
    event: { uuid, event: event ?? null, ...who, timestamp: time ?? null, ...arrived, properties: whole },
  };
}

/** Columns of exports that are properties when events are sent. */
function extraProperties(line: JsonObject): JsonObject {
  const found: JsonObject = {};
  const { elements_chain: chain, ip } = line;
  if (typeof chain === 'string' && chain !== '') found['$elements_chain'] = chain;
  if (typeof ip === 'string' && ip !== '') found['$ip'] = ip;
  for (const [column, name] of [['set', '$set'] as const, ['set_once', '$set_once'] as const]) {
    const update = readJsonObject(line[column]);
    if (update !== undefined && Object.keys(update).length > 0) found[name] = update;
  }
  return found;
}

function readPerson(line: JsonObject, properties: JsonObject): ImportLine {
  const given = line['distinct_ids'] ?? [line['distinct_id'] ?? null];
  const distinctIds = Array.isArray(given) ? given.flatMap((id) => personId(id) ?? []) : [];
  if (distinctIds.length === 0) return invalidLine('it is a person without distinct ids');
  if (isDeleted(line['is_deleted'])) return invalidLine('it is a person that was deleted');
  const { person_id: id, is_identified: identified } = line;
  return {
    kind: 'person',
    person: {
      uuid: readUuid(id) ?? null,
      distinctIds: [...new Set(distinctIds)],
      createdAt: parseTimestamp(line['created_at']) ?? null,
      isIdentified: typeof identified === 'boolean' ? identified : null,
      properties,
    },
  };
}

/** As for events, but what is no id is left out. */
const personId = (id: Json): string | undefined =>
  (typeof id === 'string' && id !== '') || isJsonNumber(id) ? toDistinctId(id) : undefined;

const isDeleted = (value: Json | undefined): boolean => value === true || value === 1;

/** An object or its JSON text; empty where it is absent or null. Undefined for anything else. */
function readJsonObject(value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null || value === '') return {};
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string') return undefined;
  try {
    const read = parseJson(value);
    return isJsonObject(read) ? (read as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** When an imported event arrived at its origin; not later than here. */
export const arrivalOf = (raw: JsonObject, acceptedAt: number): number =>
  Math.min(parseTimestamp(raw['created_at']) ?? acceptedAt, acceptedAt);
