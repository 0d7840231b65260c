/**
 * What SDKs put on the wire that cannot run here, as data: the shapes and headers are theirs, the values are ours. `KEY`
 * and `PERSONAL` stand for the keys of the project that is asked.
 */
import { gzipSync } from 'node:zlib';
import type { Json, JsonObject } from '../../../src/core/json/json.ts';

export interface RecordedRequest {
  method?: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: Json;
  /** How the language writes JSON. */
  writes?: Writer;
  isPacked?: boolean;
  /** What the SDK looks for in the answer. */
  needs: object;
}

export interface RecordedSdk {
  name: string;
  /** Events that it uploads; sent first. */
  upload: RecordedRequest;
  /** False: its events have no ids, so a repeated upload is stored twice. */
  isKnownAgain: boolean;
  questions: RecordedRequest[];
  /** Event → when it happened, by the server's clock. */
  events: Readonly<Record<string, string>>;
  /** Of `ada`. */
  person: JsonObject;
  /** The ids of `ada` in the end. */
  ids: string[];
  /** Of the company `a1`, where the SDK has groups. */
  group?: JsonObject;
}

/** Sent by every SDK: values that languages serialize differently. */
export const WORDS = 'Grüße </b> & 日本 / ✓ 😀';
/** When recorded events are replayed. */
export const NOW = '2026-01-15T12:00:00.000Z';

type Writer = 'plain' | 'python' | 'go' | 'php' | 'swift';

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
const ascii = (text: string): string => text.replace(/[\u0080-\uffff]/g, escaped);

const WRITERS: Readonly<Record<Writer, (value: Json) => string>> = {
  plain: (value) => JSON.stringify(value),
  python: (value) => ascii(spaced(value)),
  go: (value) => JSON.stringify(value).replace(/[<>&]/g, escaped),
  php: (value) => ascii(JSON.stringify(value)).replaceAll('/', '\\/'),
  swift: (value) => JSON.stringify(value).replaceAll('/', '\\/'),
};

/** Python puts a space after each comma and colon. */
function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
    .join(', ')}}`;
}

/** The very bytes. */
export function bytesOf({ body, writes = 'plain', isPacked }: RecordedRequest, fill: (text: string) => string) {
  if (body === undefined) return null;
  const text = fill(WRITERS[writes](body));
  return isPacked ? gzipSync(text) : Buffer.from(text);
}

/** What all of them need of the definitions for evaluating by themselves. */
export const DEFINITIONS = {
  flags: ['acme', 'colour', 'off', 'on', 'team'].map((key) => ({ key, active: true })),
  group_type_mapping: { '0': 'company' },
  cohorts: {},
};

export const TAKEN = { status: 1 };
