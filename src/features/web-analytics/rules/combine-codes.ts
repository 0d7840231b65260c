/**
 * Columns of codes as one, so that rows are gone through once for several tables: a visitor's sessions are mostly of the
 * same device, browser, system and place, and there are few of these together.
 */
import { largest } from './count-groups.ts';

interface CombinedCodes {
  codes: Int32Array;
  /** The code of each column, by combined code; null where it is the same. */
  columns: ReadonlyMap<string, Int32Array | null>;
}

/** More would not fit into the cache of a processor while rows are put into their order. */
const MAX_COMBINED = 8192;
/** Of combined codes and codes of the next column. */
const MAX_PAIRS = 4_000_000;
/** Codes below it are used as they are, though some have no row. */
const MAX_PLAIN = 512;

/** Columns that would be too many codes together are left as they are. */
export function combineCodes(columns: ReadonlyMap<string, Int32Array>): CombinedCodes[] {
  const combined = new Map<string, Int32Array>();
  const others: CombinedCodes[] = [];
  let all: Pairs | null = null;
  for (const [name, codes] of columns) {
    const pairs: Pairs | null = all === null ? single(codes) : pair(all, codes);
    if (pairs === null) {
      others.push({ codes, columns: new Map([[name, null]]) });
      continue;
    }
    for (const [before, codeOf] of combined)
      combined.set(
        before,
        pairs.firsts.map((code) => codeOf[code] as number),
      );
    combined.set(name, pairs.seconds);
    all = pairs;
  }
  return all === null ? others : [{ codes: all.codes, columns: combined }, ...others];
}

const NONE = Int32Array.of(0);

interface Pairs {
  /** Of each row. */
  codes: Int32Array;
  /** What each code stands for. */
  firsts: Int32Array;
  seconds: Int32Array;
}

/** The first column, whose codes are the seconds of pairs. */
function single(codes: Int32Array): Pairs | null {
  const size = largest(codes) + 1;
  if (size > MAX_PLAIN) return pair({ codes: new Int32Array(codes.length), firsts: NONE, seconds: NONE }, codes);
  return { codes, firsts: new Int32Array(size), seconds: Int32Array.from({ length: size }, (_, code) => code) };
}

/** A code for each pair that there is; null if there are too many. */
function pair(before: Pairs, second: Int32Array): Pairs | null {
  const width = largest(second) + 1;
  const count = before.firsts.length;
  if (count * width > MAX_PAIRS) return null;
  const first = before.codes;
  /** One more than the code of a pair; 0 where it has none yet. */
  const known = new Int32Array(count * width);
  const codes = new Int32Array(second.length);
  const [firsts, seconds] = [new Int32Array(MAX_COMBINED), new Int32Array(MAX_COMBINED)];
  let size = 0;
  for (let row = 0; row < second.length; row++) {
    const at = (first[row] as number) * width + (second[row] as number);
    let code = known[at] as number;
    if (code === 0) {
      if (size === MAX_COMBINED) return null;
      firsts[size] = first[row] as number;
      seconds[size] = second[row] as number;
      code = ++size;
      known[at] = code;
    }
    codes[row] = code - 1;
  }
  return { codes, firsts: firsts.slice(0, size), seconds: seconds.slice(0, size) };
}
