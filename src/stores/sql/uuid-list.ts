/** A list of UUIDs as 16 bytes each. */
import { formatUuid } from '../../lib/ids.ts';

export const UUID_BYTES = 16;

export const packUuids = (uuids: readonly string[]): Buffer => Buffer.from(uuids.join('').replaceAll('-', ''), 'hex');

export function unpackUuids(bytes: Uint8Array): string[] {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: packed.length / UUID_BYTES }, (_, i) =>
    formatUuid(packed.subarray(i * UUID_BYTES, (i + 1) * UUID_BYTES)),
  );
}
