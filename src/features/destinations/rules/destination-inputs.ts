/** What a webhook of events is set to: PostHog's `inputs`, each `{value}`. */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { checkTemplate } from './template.ts';

const METHODS = ['POST', 'PUT', 'PATCH'] as const;
type Method = (typeof METHODS)[number];

export interface DestinationInputs {
  url: string;
  method: Method;
  /** Null: all of the event, its person and its project. */
  body: Json;
  /** Names as they were sent. */
  headers: readonly Header[];
  /** Whether events are sent together when several wait. */
  batch: boolean;
}

export interface Header {
  name: string;
  value: string;
}

/** Instead of a secret; sent back, it stands for the one that is stored. */
const HIDDEN = '******';

const INPUTS = ['url', 'method', 'body', 'headers', 'batch'];
const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 4096;
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,100}$/;
/** Visible characters, spaces and tabs: nothing that ends a line. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** What the sender sets itself, and what is about the connection. */
const OWN_HEADERS =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|webhook-.*)$/i;
/** Everything else may be a key. */
const PUBLIC_HEADERS = new Set(['accept', 'content-type', 'user-agent']);

export const isSecretHeader = (name: string): boolean => !PUBLIC_HEADERS.has(name.toLowerCase());

/** Those that are not given stay as they are. */
export function readInputs(given: Json | undefined, before: DestinationInputs | null): DestinationInputs {
  if (given === undefined && before !== null) return before;
  if (!isJsonObject(given)) throw invalid('inputs', 'inputs is an object such as {"url": {"value": "https://…"}}.');
  const unknown = Object.keys(given).find((name) => !INPUTS.includes(name) && !isUnused(given[name]));
  if (unknown !== undefined)
    throw invalid('inputs', `inputs has ${INPUTS.join(', ')}; ${unknown} is not supported.`, 'unsupported');
  const value = (name: string): Json | undefined => inputValue(given, name);
  return {
    url: readUrl(value('url'), before),
    method: readMethod(value('method'), before),
    body: readBody(value('body'), before),
    headers: readHeaders(value('headers'), before),
    batch: readBatch(value('batch'), before),
  };
}

const isUnused = (input: Json | undefined): boolean =>
  input === null ||
  (isJsonObject(input) && (input['value'] ?? null) === null) ||
  (isJsonObject(input) && input['value'] === false);

/** `{value}`, or the value itself. */
function inputValue(inputs: JsonObject, name: string): Json | undefined {
  const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  if (isJsonObject(input) && Object.hasOwn(input, 'value')) return input['value'];
  return isJsonObject(input) && name !== 'body' && name !== 'headers' ? undefined : input;
}

function readUrl(url: Json | undefined, before: DestinationInputs | null): string {
  if (url === undefined && before !== null) return before.url;
  if (typeof url !== 'string' || url === '')
    throw invalid('inputs', 'inputs.url is the address of the webhook.', 'required');
  if (/[{}]/.test(url))
    throw invalid('inputs', 'inputs.url is not a template: it is the same for all events.', 'unsupported');
  return url;
}

function readMethod(method: Json | undefined, before: DestinationInputs | null): Method {
  if (method === undefined || method === null || method === '') return before?.method ?? 'POST';
  const known = METHODS.find((one) => one === method);
  if (known === undefined) throw invalid('inputs', `inputs.method is ${METHODS.join(', ')}.`);
  return known;
}

function readBody(body: Json | undefined, before: DestinationInputs | null): Json {
  if (body === undefined) return before?.body ?? null;
  if (body === null || body === '') return null;
  checkTemplate(body, 'inputs');
  return body;
}

function readBatch(batch: Json | undefined, before: DestinationInputs | null): boolean {
  if (batch === undefined || batch === null) return before?.batch ?? false;
  if (typeof batch !== 'boolean') throw invalid('inputs', 'inputs.batch is true or false.');
  return batch;
}

function readHeaders(headers: Json | undefined, before: DestinationInputs | null): readonly Header[] {
  if (headers === undefined) return before?.headers ?? [];
  if (headers === null) return [];
  if (!isJsonObject(headers)) throw invalid('inputs', 'inputs.headers is an object of names and values.');
  const entries = Object.entries(headers).filter(([name]) => name !== '');
  if (entries.length > MAX_HEADERS) throw invalid('inputs', `A request has at most ${MAX_HEADERS} headers of yours.`);
  return entries.map(([name, value]) => readHeader(name, value, before));
}

function readHeader(name: string, value: Json, before: DestinationInputs | null): Header {
  if (!HEADER_NAME.test(name)) throw invalid('inputs', `${JSON.stringify(name)} is not the name of a header.`);
  if (OWN_HEADERS.test(name)) throw invalid('inputs', `The header ${name} is set by the server.`);
  if (typeof value !== 'string' || value.length > MAX_HEADER_LENGTH || !HEADER_VALUE.test(value))
    throw invalid('inputs', `The header ${name} is a text in one line, of at most ${MAX_HEADER_LENGTH} characters.`);
  if (value !== HIDDEN || !isSecretHeader(name)) return { name, value };
  const known = before?.headers.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (!known) throw invalid('inputs', `The header ${name} has no value yet: ${HIDDEN} stands for one that is stored.`);
  return { name, value: known.value };
}

/** As the API shows them. `url` is shortened for whoever is no admin. */
export function presentInputs(inputs: DestinationInputs, url: string): JsonObject {
  const headers = inputs.headers.map(({ name, value }): [string, Json] => [
    name,
    isSecretHeader(name) ? HIDDEN : value,
  ]);
  return {
    url: { value: url },
    method: { value: inputs.method },
    body: { value: inputs.body },
    headers: { value: Object.fromEntries(headers) },
    batch: { value: inputs.batch },
  };
}
