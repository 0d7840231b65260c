import { outlineOf } from '../../../core/events/outline-event.ts';
import { type RefusalReason, refusedEvent } from '../../../core/events/refused-event.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import { type ItemLimits, ListFinder } from '../../../core/json/find-list.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { bytesMayHaveLongNumber } from '../../../core/json/long-numbers.ts';
import { countKeys, exceedsJsonLimits } from '../../../core/json/measure-json.ts';
import { parseJson, parseJsonBytes } from '../../../core/json/parse-json.ts';
import { createPause } from '../../../lib/in-batches.ts';
import type { MaybePromise } from '../../../lib/maybe-async.ts';
import { malformed, payloadTooLarge } from './decode-failures.ts';

/** Settings. */
export interface EventLimits {
  maxBodyValues: number;
  maxBatchEvents: number;
  maxEventBytes: number;
  maxEventKeys: number;
}

export interface ParsedEvents {
  body: unknown;
  /** The same as JSON. */
  payload: Buffer;
  /** Why events were replaced by an outline of themselves, one reason for each. */
  refused: RefusalReason[];
}

interface ChunkSizes {
  look: number;
  run: number;
  /** Smaller bodies are parsed at once; by default those that cannot exceed a limit. */
  worth?: number;
  /** Up to this size a body is parsed at once too, and measured afterwards. */
  whole?: number;
}

/** Each takes about a millisecond. */
const CHUNK_SIZES: ChunkSizes = { look: 256 * 1024, run: 64 * 1024, whole: 128 * 1024 };
/** Lists may have more items than objects have keys. */
const VALUES_PER_KEY = 10;

const itemLimits = ({ maxEventBytes, maxEventKeys }: EventLimits): ItemLimits => ({
  bytes: maxEventBytes,
  keys: maxEventKeys,
  values: VALUES_PER_KEY * maxEventKeys,
});

/** Parses the body of a request with events: at once, as long as that takes a millisecond or two. */
export function parseEvents(payload: Buffer, limits: EventLimits, pieces = CHUNK_SIZES): MaybePromise<ParsedEvents> {
  const { worth = minBytesBeyond(limits) } = pieces;
  if (payload.length < worth) return { body: parseJsonBytes(payload), payload, refused: [] };
  const whole = payload.length <= (pieces.whole ?? 0) ? parseWhole(payload, limits) : undefined;
  return whole === undefined ? parseInBatches(payload, limits, pieces) : { body: whole, payload, refused: [] };
}

/**
 * Twenty megabytes would block the thread for a good part of a second, so the body is measured first, and its events are
 * parsed in batches, with pauses in between.
 */
async function parseInBatches(payload: Buffer, limits: EventLimits, pieces: ChunkSizes): Promise<ParsedEvents> {
  const list = await measure(payload, limits, pieces);
  if (list.open === -1) return parseSingle(payload, list, limits);
  if (list.isAmbiguous) return { body: parseAmbiguous(payload, list, limits), payload, refused: [] };
  if (list.close === -1) throw malformed('Invalid JSON: the list of events has no end');
  requireSmallEnvelope(payload, list, limits);
  if (list.oversized.length === 0) return { body: await parseList(payload, list), payload, refused: [] };
  const { without, refused } = await replaceOversized(payload, list, limits);
  return { ...(await parseEvents(without, limits, pieces)), refused };
}

/** A body that exceeds a limit has at least so many bytes. */
const minBytesBeyond = ({ maxEventBytes, maxEventKeys, maxBatchEvents }: EventLimits): number =>
  Math.min(maxEventBytes, '"":0'.length * maxEventKeys, '{},'.length * maxBatchEvents);

/**
 * Measures what was parsed, in a tenth of the time that measuring the bytes takes. Undefined where it is invalid or exceeds
 * a limit: then the bytes tell which part does.
 */
function parseWhole(payload: Buffer, limits: EventLimits): unknown {
  const mostValues = Math.min(limits.maxBodyValues, VALUES_PER_KEY * limits.maxEventKeys);
  if (payload.length > limits.maxEventBytes || payload.length / '0,'.length > mostValues) return undefined;
  const body = parseOrUndefined(payload);
  const batch = isJsonObject(body) ? body['batch'] : body;
  const events = Array.isArray(batch) ? batch : [body];
  const isWithin =
    events.length <= limits.maxBatchEvents && events.every((event) => countKeys(event) <= limits.maxEventKeys);
  return isWithin ? body : undefined;
}

function parseOrUndefined(payload: Buffer): unknown {
  try {
    return parseJsonBytes(payload);
  } catch {
    return undefined;
  }
}

async function measure(payload: Buffer, limits: EventLimits, pieces: ChunkSizes): Promise<ListFinder> {
  const pause = createPause();
  const list = new ListFinder(payload, pieces.run, itemLimits(limits));
  let isMore = true;
  while (isMore) {
    isMore = list.scan(pieces.look);
    if (list.values > limits.maxBodyValues || list.items > limits.maxBatchEvents) throw payloadTooLarge();
    await pause();
  }
  return list;
}

/** One event without a list around it. */
async function parseSingle(payload: Buffer, list: ListFinder, limits: EventLimits): Promise<ParsedEvents> {
  const reason = reasonFor(payload.length, list, limits);
  if (reason === undefined) return { body: parseJsonBytes(payload), payload, refused: [] };
  const body = await refuse(payload, list.keys, reason);
  return { body, payload: Buffer.from(stringifyExact(body)), refused: [reason] };
}

function reasonFor(bytes: number, { keys, values }: ListFinder, limits: EventLimits): RefusalReason | undefined {
  if (bytes > limits.maxEventBytes) return 'event_too_large';
  const isTooMany = keys > limits.maxEventKeys || values > VALUES_PER_KEY * limits.maxEventKeys;
  return isTooMany ? 'event_has_too_many_keys' : undefined;
}

async function refuse(event: Buffer, keys: number, reason: RefusalReason): Promise<JsonObject> {
  const pause = createPause();
  const steps = outlineOf(event);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await pause();
  return refusedEvent(step.value, { reason, bytes: event.length, keys });
}

async function replaceOversized(payload: Buffer, list: ListFinder, { maxEventBytes }: EventLimits) {
  const [parts, refused]: [Buffer[], RefusalReason[]] = [[], []];
  let at = 0;
  for (const { from, to, keys } of list.oversized) {
    const reason = to - from > maxEventBytes ? 'event_too_large' : 'event_has_too_many_keys';
    const outline = await refuse(payload.subarray(from, to), keys, reason);
    parts.push(payload.subarray(at, from), Buffer.from(stringifyExact(outline)));
    refused.push(reason);
    at = to;
  }
  return { without: Buffer.concat([...parts, payload.subarray(at)]), refused };
}

/** It is parsed at once. */
function requireSmallEnvelope(payload: Buffer, list: ListFinder, limits: EventLimits): void {
  const isSmall =
    payload.length - (list.close - list.open) <= limits.maxEventBytes &&
    list.values - list.listValues <= VALUES_PER_KEY * limits.maxEventKeys;
  if (!isSmall) throw malformed('what is around the events is larger than an event may be');
}

/** Which list holds the events is only known when all is parsed. */
function parseAmbiguous(payload: Buffer, list: ListFinder, limits: EventLimits): unknown {
  if (reasonFor(payload.length, list, limits) !== undefined) {
    throw malformed('a body of this size must have "batch" once, and no escapes in the names beside it');
  }
  return parseJsonBytes(payload);
}

async function parseList(payload: Buffer, list: ListFinder): Promise<unknown> {
  const pause = createPause();
  const end = list.close;
  // What is around the list first: errors there are found before the work begins.
  const around = parseJson(payload.toString('utf8', 0, list.open + 1) + payload.toString('utf8', end));
  const items: unknown[] = [];
  let from = list.open + 1;
  for (const cut of [...list.separators, end]) {
    const isOnly = from === list.open + 1 && cut === end;
    for (const item of parseRun(payload.subarray(from, cut), isOnly)) items.push(item);
    from = cut + 1;
    await pause();
  }
  return isJsonObject(around) ? Object.assign(around, { batch: items }) : items;
}

/** The only run of a list may be empty; between commas there must be something. */
function parseRun(run: Buffer, isOnly: boolean): unknown[] {
  const items = parseJson(`[${run.toString()}]`, bytesMayHaveLongNumber(run)) as unknown[];
  if (items.length === 0 && !isOnly) throw malformed('Invalid JSON: there is nothing after a comma');
  return items;
}

/** A parser takes a microsecond or two for each. */
const SMALL_BODY_LIMITS = { containers: 5_000, values: 10_000 };

/** For requests that are not about events. */
export function parseSmallBody(payload: Buffer): unknown {
  if (exceedsJsonLimits(payload, SMALL_BODY_LIMITS))
    throw malformed('Invalid JSON: more lists, objects or values than this server takes');
  return parseJsonBytes(payload);
}
