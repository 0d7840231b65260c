import { hash } from 'node:crypto';

/** What `hex4` returns is at least this where a character is no digit. */
const NO_DIGIT = 1 << 16;
const DIGITS = new Int32Array(128).fill(NO_DIGIT);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Four hex digits as a number. Ids are read several times for each event: this takes a third of the time of a loop. */
export const hex4 = (text: string, at: number): number =>
  (hex1(text, at) << 12) | (hex1(text, at + 1) << 8) | (hex1(text, at + 2) << 4) | hex1(text, at + 3);

const hex1 = (text: string, at: number): number => DIGITS[text.charCodeAt(at)] ?? NO_DIGIT;

/** Any 128 bits with hyphens; version and variant bits are not checked. */
export const isUuid = (text: string): boolean =>
  hasHyphens(text) &&
  (hex4(text, 0) | hex4(text, 4) | hex4(text, 9) | hex4(text, 14)) < NO_DIGIT &&
  (hex4(text, 19) | hex4(text, 24) | hex4(text, 28) | hex4(text, 32)) < NO_DIGIT;

const HYPHEN = 45;

const hasHyphens = (text: string): boolean =>
  text.length === 36 &&
  text.charCodeAt(8) === HYPHEN &&
  text.charCodeAt(13) === HYPHEN &&
  text.charCodeAt(18) === HYPHEN &&
  text.charCodeAt(23) === HYPHEN;

const FORMS = /^(?:urn:uuid:|\{)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i;

/**
 * A uuid in any of the forms that languages print: also without hyphens, in braces or as a URN. With hyphens and in lower
 * case; undefined for anything else.
 */
export function readUuid(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (isUuid(value)) return value.toLowerCase();
  const groups = FORMS.exec(value)?.slice(1);
  if (groups === undefined || value.startsWith('{') !== value.endsWith('}')) return undefined;
  return groups.join('-').toLowerCase();
}

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

/** UUIDv5 (RFC 9562): the same name always gives the same id. */
function uuidV5(namespace: Buffer, name: string): string {
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'hex');
  const variant = (0x8 | (Number.parseInt(hex.charAt(16), 16) & 0x3)).toString(16);
  const [high, low] = [hex.slice(13, 16), hex.slice(17, 20)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${high}-${variant}${low}-${hex.slice(20, 32)}`;
}

/** PostHog's namespace: the same person has the same id there. */
const PERSON_NAMESPACE = bytesOf('932979b4-65c3-4424-8467-0b66ec27bc22');
/** Cairn's own. */
const EVENT_NAMESPACE = bytesOf('6f1a3c62-4d0b-5e3f-9a57-c2b8a4e1d970');

/** The id of the person that a distinct id creates; personless events are stored under it too. */
export const personUuid = (projectId: number, distinctId: string): string =>
  uuidV5(PERSON_NAMESPACE, `${projectId}:${distinctId}`);

type IdField = 'messageId' | '$insert_id';

/** The id of an event that has only a `messageId` or `$insert_id`. `rest`: what else has to be the same in a repeat. */
export const eventUuid = (projectId: number, field: IdField, id: string, rest: readonly string[]): string =>
  uuidV5(EVENT_NAMESPACE, JSON.stringify([projectId, field, id, ...rest]));

/** The same as it was when such an id alone identified an event: those ids are still stored. Also for generated events. */
export const uuidOfIdAlone = (projectId: number, field: IdField, id: string): string =>
  uuidV5(EVENT_NAMESPACE, `${projectId}:${field}:${id}`);

/** The id of an imported event without one: the same line at the same position of a file is the same event. */
export const importedUuid = (projectId: number, at: number, line: string): string =>
  uuidV5(EVENT_NAMESPACE, `${projectId}:line:${at}:${line}`);
