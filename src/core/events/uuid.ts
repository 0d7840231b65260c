import { hash } from 'node:crypto';

/** Any 128 bits with hyphens; version and variant bits are not checked. */
export function isUuid(text: string): boolean {
  if (text.length !== 36) return false;
  for (let i = 0; i < 36; i++) {
    const isRight =
      i === 8 || i === 13 || i === 18 || i === 23 ? text.charCodeAt(i) === 45 : isHexDigit(text.charCodeAt(i));
    if (!isRight) return false;
  }
  return true;
}

function isHexDigit(code: number): boolean {
  const lower = code | 32;
  return (code >= 48 && code <= 57) || (lower >= 97 && lower <= 102);
}

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
