/**
 * Look-around that the engines of the stores can answer too: `^(?!A)(?=B)rest` is found in a text if `^rest` and `^B` are
 * and `^A` is not, since all of them begin at the same place. `rest(?<!A)$` is the same from the end.
 */
import { compilePattern, MAX_PATTERN_LENGTH } from '../compile-pattern.ts';
import { type PatternNode, type PlacedNode, parsePattern, UnsupportedPattern } from './parse-pattern.ts';

/** A pattern without look-around, which must be found or must not. */
interface PatternTest {
  pattern: string;
  isNegative: boolean;
}

const LEADING_FLAGS = /^\(\?[is]+\)/;
const FLAGS = /\(\?[ims]*-?[ims]+\)/;

/** Alternatives, in one of which all tests have to hold; null if the pattern has another form. */
export function splitPattern(pattern: string): PatternTest[][] | null {
  const [flags = ''] = LEADING_FLAGS.exec(pattern) ?? [];
  if (pattern.length > MAX_PATTERN_LENGTH || FLAGS.test(pattern.slice(flags.length))) return null;
  try {
    const node = parsePattern(pattern);
    const options = node.kind === 'either' ? node.options : [node];
    const split = options.map((option) => splitSequence(pattern, flags, option));
    return split.flat().every((test) => compilePattern(test.pattern, MAX_PATTERN_LENGTH)) ? split : null;
  } catch (error) {
    if (error instanceof UnsupportedPattern) return null;
    throw error;
  }
}

type Look = Extract<PatternNode, { kind: 'look' }>;

const isLook = (node: PatternNode | undefined, isBehind: boolean): node is PlacedNode & Look =>
  node?.kind === 'look' && node.isBehind === isBehind;

const isAssert = (node: PatternNode | undefined, what: 'start' | 'end'): boolean =>
  node?.kind === 'assert' && node.what === what;

function splitSequence(pattern: string, flags: string, sequence: PlacedNode): PatternTest[] {
  const items = sequence.kind === 'sequence' ? [...sequence.items] : [sequence];
  const tests: PatternTest[] = [];
  const test = (look: Look, before: string, after: string): void => {
    const body = pattern.slice(look.bodyFrom, look.bodyTo);
    if (hasLook(look.body)) throw new UnsupportedPattern('look-around inside of look-around');
    tests.push({ pattern: `${flags}${before}${grouped(body)}${after}`, isNegative: look.isNegative });
  };
  const start = isAssert(items[0], 'start') && isLook(items[1], false) ? '^' : '';
  if (start !== '') items.shift();
  for (; start !== '' && isLook(items[0], false); items.shift()) test(items[0], '^', '');
  const end = isAssert(items.at(-1), 'end') && isLook(items.at(-2), true) ? '$' : '';
  if (end !== '') items.pop();
  for (let last = items.at(-1); end !== '' && isLook(last, true); last = items.at(-1)) {
    test(last, '', '$');
    items.pop();
  }
  if (items.some(hasLook)) throw new UnsupportedPattern('look-around in the middle');
  const rest = pattern.slice(items[0]?.from ?? 0, items.at(-1)?.to ?? 0);
  return [...tests, { pattern: `${flags}${start}${grouped(rest)}${end}`, isNegative: false }];
}

/** DuckDB finds `^(?:)` in empty texts only. */
const grouped = (pattern: string): string => (pattern === '' ? '' : `(?:${pattern})`);

function hasLook(node: PatternNode): boolean {
  switch (node.kind) {
    case 'look':
      return true;
    case 'repeat':
      return hasLook(node.item);
    case 'sequence':
      return node.items.some(hasLook);
    case 'either':
      return node.options.some(hasLook);
    default:
      return false;
  }
}
