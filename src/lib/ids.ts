import { randomBytes, randomUUID } from 'node:crypto';

/** The one source of randomness: ids and secrets. Tests may pass a seeded one. */
export interface Ids {
  /** A random UUID (v4): for things that need no order. */
  uuid(): string;
  /** A time-ordered UUID (v7) for `now`, so that rows created together are stored together. */
  orderedUuid(now: number): string;
  /** A secret of 256 random bits in base62, with its prefix (`phc_`, `phx_`). */
  token(prefix: string): string;
  /** Ten random bytes, from which a request's events get their ids. */
  seed(): Buffer;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 digits of base62 hold 256 bits. */
const TOKEN_DIGITS = 43;

function base62(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let digits = '';
  for (let i = 0; i < TOKEN_DIGITS; i++) {
    digits = BASE62[Number(rest % 62n)] + digits;
    rest /= 62n;
  }
  return digits;
}

export function uuidV7(now: number, random: Buffer): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(now, 0, 6);
  random.copy(bytes, 6, 0, 10);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return formatUuid(bytes);
}

export function formatUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

const SEED_BYTES = 10;
const POOL_BYTES = SEED_BYTES * 400;
let pool = Buffer.alloc(0);

/** Seeds are taken from a pool: ten random bytes at a time would cost more than the rest of a capture. */
function seed(): Buffer {
  if (pool.length < SEED_BYTES) pool = randomBytes(POOL_BYTES);
  const taken = pool.subarray(0, SEED_BYTES);
  pool = pool.subarray(SEED_BYTES);
  return taken;
}

export const randomIds: Ids = {
  seed,
  uuid: () => randomUUID(),
  orderedUuid: (now) => uuidV7(now, randomBytes(10)),
  token: (prefix) => prefix + base62(randomBytes(32)),
};
