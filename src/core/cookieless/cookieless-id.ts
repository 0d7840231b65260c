/** What stands for a cookieless visitor: hashes under the salt of the day. Without the salt nothing leads back. */
import { createHash, createHmac } from 'node:crypto';

/** The distinct id that posthog-js sends for all of them. It never becomes a person. */
export const COOKIELESS_ID = '$posthog_cookieless';

interface VisitorTraits {
  projectId: number;
  address: string;
  /** The site, see `rootDomain`. */
  site: string;
  userAgent: string;
  /** What the site adds to tell visitors apart. */
  extra: string;
}

const ID_BYTES = 16;

/** The hash that all ids of a visitor are derived from; the only one that needs the salt. */
export function cookielessBase(salt: Buffer, traits: VisitorTraits): string {
  const { projectId, address, site, userAgent, extra } = traits;
  const hmac = createHmac('sha256', salt).update(`${projectId}-${address}-${site}-${userAgent}-${extra}`);
  return text(hmac.digest().subarray(0, ID_BYTES));
}

/** Whoever signs out is somebody new, so the id depends on how often the visitor has signed in. */
export const cookielessVisitorId = (base: string, signIns: number): string =>
  `cookieless_${text(hash(base, `visitor ${signIns}`))}`;

export const cookielessDeviceId = (base: string): string => `cookielessd_${base}`;

/** A UUIDv7 of the time at which the session begins. */
export function cookielessSessionId(base: string, signIns: number, startedAt: number): string {
  const bytes = Buffer.from(hash(base, `session ${signIns} ${startedAt}`));
  bytes.writeUIntBE(Math.max(0, startedAt), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const hash = (base: string, use: string): Buffer =>
  createHash('sha256').update(base).update(' ').update(use).digest().subarray(0, ID_BYTES);

const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
