/** Of three texts, one after the other: the first 60 bits, or -1 where they are too long or not ASCII. */
export type ShortSha1 = (prefix: string, text: string, salt: string) => number;

const BLOCKS = 4;
/** One byte ends the message and eight tell its length. */
const LONGEST = BLOCKS * 64 - 9;

/**
 * SHA-1 of short texts, by hand. A call into OpenSSL costs more than the rounds themselves and leaves a hexadecimal text
 * to be parsed: this takes half of the time. `node:crypto` is what the tests hold it against.
 *
 * It is made rather than exported because of its scratch arrays: a bundler turns constants of a module into variables,
 * and to an engine that must look them up at each use the rounds cost twice as much.
 */
export function makeShortSha1(): ShortSha1 {
  // Nothing here waits, so nobody else can be in the scratch meanwhile. Indexes stay in bounds, hence the casts.
  const message = new Int32Array(BLOCKS * 16);
  const schedule = new Int32Array(80);
  const state = new Int32Array(5);

  /** Bytes fill words from the left. */
  const put = (position: number, byte: number): void => {
    message[position >> 2] = (message[position >> 2] as number) | (byte << ((~position & 3) << 3));
  };

  /** False where a character takes more than a byte. */
  function append(text: string, start: number): boolean {
    let seen = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      seen |= code;
      put(start + i, code);
    }
    return seen < 128;
  }

  /** The schedule and rounds of FIPS 180-4, section 6.1.2; four loops, for one that asks where it is takes longer. */
  function compress(from: number): void {
    for (let i = 0; i < 16; i++) schedule[i] = message[from + i] as number;
    for (let i = 16; i < 80; i++) {
      const early = (schedule[i - 16] as number) ^ (schedule[i - 14] as number);
      const mixed = early ^ (schedule[i - 8] as number) ^ (schedule[i - 3] as number);
      schedule[i] = (mixed << 1) | (mixed >>> 31);
    }
    let a = state[0] as number;
    let b = state[1] as number;
    let c = state[2] as number;
    let d = state[3] as number;
    let e = state[4] as number;
    for (let i = 0; i < 20; i++) {
      const next = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + (schedule[i] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (let i = 20; i < 40; i++) {
      const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + (schedule[i] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (let i = 40; i < 60; i++) {
      const next = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e + 0x8f1bbcdc + (schedule[i] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (let i = 60; i < 80; i++) {
      const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + (schedule[i] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    state[0] = (state[0] as number) + a;
    state[1] = (state[1] as number) + b;
    state[2] = (state[2] as number) + c;
    state[3] = (state[3] as number) + d;
    state[4] = (state[4] as number) + e;
  }

  return (prefix, text, salt) => {
    const middle = prefix.length + text.length;
    const length = middle + salt.length;
    if (length > LONGEST) return -1;
    const words = ((length + 72) >> 6) << 4;
    for (let i = 0; i < words; i++) message[i] = 0;
    if (!append(prefix, 0) || !append(text, prefix.length) || !append(salt, middle)) return -1;
    put(length, 0x80);
    message[words - 1] = length << 3;
    state[0] = 0x67452301;
    state[1] = 0xefcdab89;
    state[2] = 0x98badcfe;
    state[3] = 0x10325476;
    state[4] = 0xc3d2e1f0;
    for (let from = 0; from < words; from += 16) compress(from);
    return ((state[0] as number) >>> 0) * 2 ** 28 + ((state[1] as number) >>> 4);
  };
}
