import { createHash } from 'node:crypto';

/** Any 128 bits in the usual hyphenated form; version and variant bits are the client's business. */
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

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

/** UUIDv5 (RFC 9562): the same name gives the same id, everywhere and at every replay. */
function uuidV5(namespace: Buffer, name: string): string {
  const hash = createHash('sha1').update(namespace).update(name, 'utf8').digest();
  hash[6] = 0x50 | ((hash[6] ?? 0) & 0x0f);
  hash[8] = 0x80 | ((hash[8] ?? 0) & 0x3f);
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Fixed by the wire: other servers of this protocol give the same person the same id. */
const PERSON_NAMESPACE = bytesOf('932979b4-65c3-4424-8467-0b66ec27bc22');
/** Our own, for events that bring a message id but no uuid. */
const EVENT_NAMESPACE = bytesOf('6f1a3c62-4d0b-5e3f-9a57-c2b8a4e1d970');

/** The id of the person that `distinctId` gives rise to; personless events are filed under it too. */
export const personUuid = (projectId: number, distinctId: string): string =>
  uuidV5(PERSON_NAMESPACE, `${projectId}:${distinctId}`);

/** The id of an event that is known by another name: its `messageId` or `$insert_id`. */
export const eventUuid = (projectId: number, field: 'messageId' | '$insert_id', id: string): string =>
  uuidV5(EVENT_NAMESPACE, `${projectId}:${field}:${id}`);

/** The id of an imported event that brings none: the same line at the same place of a file is the same event. */
export const importedUuid = (projectId: number, at: number, line: string): string =>
  uuidV5(EVENT_NAMESPACE, `${projectId}:line:${at}:${line}`);
