/**
 * The few fields of an event that say whose it is and what it was, read without parsing the event: it is too large for
 * that. Yields now and then, so that the caller can pause.
 */
import { parseExact } from '../json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../json/json-characters.ts';

const WANTED: ReadonlySet<string> = new Set([
  ...['event', 'distinct_id', '$distinct_id', 'uuid', 'timestamp', 'token', '$token', 'api_key', 'project_id'],
  ...['type', 'userId', 'anonymousId', 'messageId', 'writeKey'],
]);
/** In `properties`. */
const WANTED_PROPERTIES: ReadonlySet<string> = new Set(['token', 'distinct_id']);

/** Longer names and values are none of these. */
const MAX_NAME_BYTES = 40;
const MAX_VALUE_BYTES = 500;
const STEP_BYTES = 256 * 1024;

export function* outlineOf(json: Buffer): Generator<void, JsonObject> {
  const outline = new Outline(json);
  let isText = false;
  let next = STEP_BYTES;
  for (let i = 0; i < json.length; i++) {
    if (i >= next) {
      next = i + STEP_BYTES;
      yield;
    }
    const byte = json[i] as number;
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) {
        isText = false;
        outline.endText(i);
      }
    } else if (byte === QUOTE) {
      isText = true;
      outline.beginText(i);
    } else outline.read(byte, i);
  }
  return outline.fields;
}

class Outline {
  readonly fields: JsonObject = {};
  readonly #json: Buffer;
  #depth = 0;
  #isInProperties = false;
  #textAt = 0;
  /** The name of the current member. */
  #name: string | undefined;
  /** Where its value begins; -1 before. */
  #valueAt = -1;

  constructor(json: Buffer) {
    this.#json = json;
  }

  beginText(at: number): void {
    this.#textAt = at;
  }

  endText(at: number): void {
    if (!this.#isWatched() || this.#valueAt !== -1) return;
    const isShort = at - this.#textAt <= MAX_NAME_BYTES;
    this.#name = isShort ? this.#json.toString('utf8', this.#textAt + 1, at) : undefined;
  }

  read(byte: number, at: number): void {
    switch (byte) {
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#isInProperties ||= this.#depth === 1 && byte === OPEN_OBJECT && this.#name === 'properties';
        if (++this.#depth === 2 && this.#isInProperties) this.#endMember();
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (this.#isWatched()) this.#endMember(at);
        if (--this.#depth === 1) this.#isInProperties = false;
        break;
      case COLON:
        if (this.#isWatched() && this.#valueAt === -1) this.#valueAt = at + 1;
        break;
      case COMMA:
        if (this.#isWatched()) this.#endMember(at);
    }
  }

  #isWatched(): boolean {
    return this.#depth === 1 || (this.#depth === 2 && this.#isInProperties);
  }

  #endMember(end = -1): void {
    const [name, from] = [this.#name, this.#valueAt];
    this.#name = undefined;
    this.#valueAt = -1;
    if (name === undefined || from === -1 || end - from > MAX_VALUE_BYTES || end < from) return;
    const isWanted = (this.#depth === 1 ? WANTED : WANTED_PROPERTIES).has(name);
    const value = isWanted ? parseScalar(this.#json.toString('utf8', from, end)) : undefined;
    if (value !== undefined) this.#holder()[name] = value;
  }

  #holder(): JsonObject {
    if (this.#depth === 1) return this.fields;
    const properties = this.fields['properties'];
    if (isJsonObject(properties)) return properties;
    const created: JsonObject = {};
    this.fields['properties'] = created;
    return created;
  }
}

function parseScalar(text: string): Json | undefined {
  try {
    const value = parseExact(text);
    return typeof value === 'object' ? undefined : value;
  } catch {
    return undefined;
  }
}
