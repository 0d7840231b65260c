import type { Failure } from '../../../core/errors.ts';
import { refusalOf } from '../../../core/events/refused-event.ts';
import { readUuid } from '../../../core/events/uuid.ts';
import { isDeeperThan, MAX_DEPTH } from '../../../core/json/clean-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { truncateText } from '../../../core/json/text.ts';
import { isIllegalId } from '../../../core/persons/illegal-ids.ts';
import { parseTimestamp } from '../../../core/time/parse-timestamp.ts';
import { eachBatch } from '../../../lib/in-batches.ts';
import { V1Error } from './v1-error.ts';
import type { V1Headers } from './v1-headers.ts';

/**
 * Translates V1 events into raw events of the older protocol. V1 is stricter: an invalid event is refused, with a result
 * of its own, instead of being repaired.
 */
interface V1Batch {
  /** Only the valid ones, and those with an invalid uuid. */
  events: JsonObject[];
  /** One for each event of the request, by uuid. */
  results: Record<string, V1Result>;
  historicalMigration: boolean;
}

export interface V1Result {
  result: 'ok' | 'warning' | 'drop' | 'retry';
  details?: string;
}

/** About a millisecond. */
const BATCH_SIZE = 250;

export async function readV1Batch(body: unknown, headers: V1Headers): Promise<V1Batch> {
  if (!isJsonObject(body)) throw new V1Error('request_parsing_error', 'The body must be a JSON object.');
  const entries = entriesOf(body['batch']);
  const events: JsonObject[] = [];
  const results = new Map<string, V1Result>();
  const read = (entry: JsonObject): void => {
    const { uuid, isValid } = uuidOf(entry);
    if (results.has(uuid)) throw new V1Error('invalid_batch', `Two events have the uuid ${uuid}.`);
    const refusal = refusalOf(entry);
    const fault = refusal?.reason ?? (isValid ? faultOf(entry) : 'invalid_event');
    results.set(uuid, fault === undefined ? { result: 'ok' } : { result: 'drop', details: fault });
    if (fault === undefined) events.push(translate(entry, uuid, headers));
    // Accepted to be dropped, so that a warning tells the project.
    else if (refusal !== undefined) events.push(entry);
    else if (!isValid) events.push({ event: entry['event'] ?? null, uuid });
  };
  await eachBatch(entries, BATCH_SIZE, (batch) => batch.forEach(read));
  return { events, results: Object.fromEntries(results), historicalMigration: body['historical_migration'] === true };
}

/** Failures that V1 shares with the older protocol, with V1's error codes. */
export function toV1Error(failure: Failure): V1Error {
  const tag = failure.kind === 'too_large' ? 'payload_too_large' : TAGS.get(failure.kind);
  if (failure.code === 'no_data') return new V1Error('empty_body', 'The body is empty.', { cause: failure });
  return new V1Error(tag ?? 'request_parsing_error', failure.message, { cause: failure });
}

const TAGS = new Map<Failure['kind'], V1Error['tag']>([
  ['unsupported_media_type', 'unsupported_encoding'],
  ['unauthenticated', 'invalid_api_token'],
  ['unavailable', 'service_unavailable'],
]);

function entriesOf(batch: Json | undefined): JsonObject[] {
  if (!Array.isArray(batch)) throw new V1Error('invalid_batch', '"batch" must be a list of events.');
  if (batch.length === 0) throw new V1Error('empty_batch', '"batch" holds no event.');
  if (!batch.every(isJsonObject)) throw new V1Error('invalid_batch', 'Every event must be a JSON object.');
  return batch;
}

/** Results are keyed by uuid, so every event needs one; an event whose uuid is none is refused alone, under its text. */
function uuidOf({ uuid: given }: JsonObject): { uuid: string; isValid: boolean } {
  const text = typeof given === 'string' ? given.trim() : '';
  if (text === '') throw new V1Error('invalid_batch', 'Every event must have a "uuid" that is a UUID.');
  const uuid = readUuid(text);
  return { uuid: uuid ?? truncateText(text, MAX_NAME_LENGTH), isValid: uuid !== undefined };
}

const MAX_NAME_LENGTH = 200;
const OPTION_TYPES: Readonly<Record<string, string>> = {
  cookieless_mode: 'boolean',
  disable_skew_correction: 'boolean',
  process_person_profile: 'boolean',
  product_tour_id: 'string',
};

/** Events about persons make no sense with person processing disabled. */
const NEEDS_PERSON: ReadonlySet<unknown> = new Set([
  '$identify',
  '$create_alias',
  '$merge_dangerously',
  '$groupidentify',
]);

function faultOf(entry: JsonObject): string | undefined {
  const { event, distinct_id: id, timestamp, properties, options } = entry;
  const isNamed = typeof event === 'string' && event.trim() !== '' && event.length <= MAX_NAME_LENGTH;
  const isTimed = typeof timestamp === 'string' && parseTimestamp(timestamp) !== undefined;
  const hasProperties = properties === undefined || properties === null || isJsonObject(properties);
  // Too deep to be serialized for the log. Other protocols log the body as it came and check this later.
  const isDeep = isDeeperThan(entry, MAX_DEPTH);
  if (!isNamed || !isTimed || !hasProperties || !isUsableId(id) || isDeep) return 'invalid_event';
  if (!areOptions(options)) return 'invalid_options';
  const isPersonless = isJsonObject(options) && options['process_person_profile'] === false;
  return isPersonless && NEEDS_PERSON.has(event) ? 'person_processing_disabled' : undefined;
}

const ALSO_ILLEGAL: ReadonlySet<string> = new Set([
  ...['anonymous-user', 'backend', 'system', 'user', '00000000-0000-0000-0000-000000000000'],
  ...['[object object]', 'nan', 'none', 'null'],
]);

function isUsableId(value: Json | undefined): boolean {
  const id = typeof value === 'string' ? value.trim() : '';
  return id !== '' && id.length <= MAX_NAME_LENGTH && !isIllegalId(id) && !ALSO_ILLEGAL.has(id.toLowerCase());
}

/** Unknown options are ignored; known ones must have the right type. */
function areOptions(options: Json | undefined): boolean {
  if (options === undefined || options === null) return true;
  if (!isJsonObject(options)) return false;
  return Object.entries(OPTION_TYPES).every(([name, type]) => {
    const value = options[name];
    return value === undefined || value === null || typeof value === type;
  });
}

function translate(entry: JsonObject, uuid: string, { sdk }: V1Headers): JsonObject {
  const given = isJsonObject(entry['properties']) ? entry['properties'] : {};
  const options = isJsonObject(entry['options']) ? entry['options'] : {};
  const properties: JsonObject = { $lib: sdk.name, $lib_version: sdk.version, ...given };
  put(properties, '$session_id', entry['session_id']);
  put(properties, '$window_id', entry['window_id']);
  put(properties, '$process_person_profile', options['process_person_profile']);
  put(properties, '$cookieless_mode', options['cookieless_mode']);
  put(properties, '$product_tour_id', options['product_tour_id']);
  if (options['disable_skew_correction'] === true) properties['$ignore_sent_at'] = true;
  const distinctId = String(entry['distinct_id']).trim();
  // `$distinct_id` takes precedence over an id in the properties, which V1 ignores.
  const { event = null, timestamp = null } = entry;
  return { event, uuid, $distinct_id: distinctId, distinct_id: distinctId, timestamp, properties };
}

function put(properties: JsonObject, key: string, value: Json | undefined): void {
  if (value !== undefined && value !== null) properties[key] = value;
}
