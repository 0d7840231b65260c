/** Hashing and comparing passwords and keys. */
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** A key has 256 random bits, so a plain digest protects it; and it must be found by its digest. */
export const digest = (secret: string | Buffer): string => createHash('sha256').update(secret).digest('hex');

/** Compares in constant time. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(digest(one), 'hex'), Buffer.from(digest(other), 'hex'));

export const signature = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('base64url');

/** For hashes whose inputs could be guessed; a new one each day. */
export const newDaySalt = (): Buffer => randomBytes(16);

const COST = { N: 16_384, r: 8, p: 5, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;

/** `scrypt$N$r$p$salt$key`: the parameters are part of the hash, so that they can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password.normalize('NFKC'), salt, KEY_BYTES, COST);
  return formatHash(salt, key);
}

/** Takes the same time without a hash, so that nobody learns which email addresses have an account. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (hash ?? DUMMY_HASH).split('$');
  const expected = Buffer.from(key, 'base64');
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: COST.maxmem };
  const actual = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), expected.length, cost);
  // A damaged hash without a key would match anything.
  return expected.length === KEY_BYTES && timingSafeEqual(actual, expected) && hash !== null;
}

const formatHash = (salt: Buffer, key: Buffer): string =>
  ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join('$');

/** The hash of no password: checking against it costs the same. */
const DUMMY_HASH = formatHash(randomBytes(16), randomBytes(KEY_BYTES));
