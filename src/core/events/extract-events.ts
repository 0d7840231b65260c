import { Failure } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { pythonTypeName } from '../json/python-type-name.ts';

/** What a capture request holds, whatever its shape. */
export interface ExtractedEvents {
  events: JsonObject[];
  /** The project key in the envelope, the single event, or the first event of a list. */
  key: unknown;
  projectId: unknown;
  /** Present in envelopes and single events only; not yet checked. */
  sentAt: unknown;
  historicalMigration: boolean;
  /** A single object, the only shape in which `/engage/` accepts an event without a name. */
  isSingle: boolean;
}

/** The events of a parsed body: one object, a list, or an envelope with a `batch`. */
export function extractEvents(body: unknown): ExtractedEvents {
  if (isEmpty(body)) throw noData();
  if (Array.isArray(body)) return fromList(body);
  if (!isJsonObject(body)) throw notDictionaries(body);
  return isTruthy(body['batch']) ? fromEnvelope(body, body['batch']) : fromSingle(body);
}

export const noData = (): Failure =>
  new Failure(
    'invalid',
    'No data found. Make sure to use a POST request when sending the payload in the body of the request.',
    { code: 'no_data' },
  );

export const invalidPayload = (detail: string): Failure => new Failure('invalid', detail, { code: 'invalid_payload' });

function fromList(list: unknown[]): ExtractedEvents {
  const events = allObjects(list);
  const first = events[0] ?? {};
  return {
    events,
    key: projectKeyOf(first),
    projectId: first['project_id'],
    sentAt: undefined,
    historicalMigration: false,
    isSingle: false,
  };
}

function fromEnvelope(envelope: JsonObject, batch: unknown): ExtractedEvents {
  if (!Array.isArray(batch)) throw notDictionaries(batch);
  const events = allObjects(batch);
  const first = events[0] ?? {};
  return {
    events,
    key: projectKeyOf(envelope) ?? projectKeyOf(first),
    projectId: envelope['project_id'] ?? first['project_id'],
    sentAt: envelope['sent_at'],
    historicalMigration: envelope['historical_migration'] === true,
    isSingle: false,
  };
}

function fromSingle(event: JsonObject): ExtractedEvents {
  // An envelope with an empty batch is no event without a name.
  if (Array.isArray(event['batch']) && event['event'] === undefined) throw noData();
  return {
    events: [event],
    key: projectKeyOf(event),
    projectId: event['project_id'],
    sentAt: event['sent_at'],
    historicalMigration: event['historical_migration'] === true,
    isSingle: true,
  };
}

/** The project key in a body, under any of its names. */
export function projectKeyOf(holder: JsonObject): unknown {
  const properties = holder['properties'];
  const nested = isJsonObject(properties) ? properties['token'] : undefined;
  return holder['$token'] ?? holder['token'] ?? holder['api_key'] ?? nested;
}

function allObjects(list: unknown[]): JsonObject[] {
  if (list.length === 0) throw noData();
  for (const item of list) {
    if (item === null) throw invalidPayload('Invalid payload: some events are null');
    if (!isJsonObject(item)) throw notDictionaries(item);
  }
  return list as JsonObject[];
}

const notDictionaries = (value: unknown): Failure =>
  invalidPayload(`Invalid payload: All events must be dictionaries not '${pythonTypeName(unwrap(value))}'!`);

/** PostHog iterates over a string or object given as `batch`, so its error names the type of a letter or key. */
const unwrap = (value: unknown): unknown => (isJsonObject(value) ? 'key' : value);

const isTruthy = (value: unknown): boolean =>
  isJsonObject(value) ? Object.keys(value).length > 0 : Array.isArray(value) ? value.length > 0 : Boolean(value);

const isEmpty = (body: unknown): boolean => body === undefined || !isTruthy(body);
