/**
 * Parses the patterns that RE2 refuses because of look-around: literals, classes, groups, alternatives, repetitions,
 * anchors, inline flags and the four kinds of look-around. What depends on captured texts (back-references, atomic groups)
 * is refused, since no bound on its time could be kept.
 */

/** `from` and `to` are the place in the pattern. */
export type PatternNode =
  | { kind: 'char'; test: (char: number) => boolean }
  | { kind: 'assert'; what: 'start' | 'end' | 'line start' | 'line end' | 'boundary' | 'no boundary' }
  | { kind: 'sequence'; items: PlacedNode[] }
  | { kind: 'either'; options: PlacedNode[] }
  | { kind: 'repeat'; item: PatternNode; min: number; max: number }
  | { kind: 'look'; body: PatternNode; isBehind: boolean; isNegative: boolean; bodyFrom: number; bodyTo: number };

export type PlacedNode = PatternNode & { from: number; to: number };

/** Thrown inside of this folder for what is not supported. */
export class UnsupportedPattern extends Error {}

interface Flags {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
}

const MAX_DEPTH = 100;
/** As in RE2. */
const MAX_REPETITIONS = 1000;

export function parsePattern(pattern: string): PlacedNode {
  const parser = new Parser(pattern);
  const node = parser.alternatives({ ignoreCase: false, multiline: false, dotAll: false }, 0);
  if (!parser.isAtEnd) throw new UnsupportedPattern('unbalanced )');
  return node;
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  alternatives(flags: Flags, depth: number): PlacedNode {
    if (depth > MAX_DEPTH) throw new UnsupportedPattern('nested too deeply');
    const from = this.#at;
    // Flags in the middle of a group hold to its end, also for later alternatives.
    const own = { ...flags };
    const options = [this.#sequence(own, depth)];
    while (this.#take('|')) options.push(this.#sequence(own, depth));
    const [only] = options;
    return options.length === 1 && only ? only : { kind: 'either', options, from, to: this.#at };
  }

  #sequence(flags: Flags, depth: number): PlacedNode {
    const from = this.#at;
    const items: PlacedNode[] = [];
    while (!this.isAtEnd && !this.#sees('|') && !this.#sees(')')) {
      const start = this.#at;
      const atom = this.#atom(flags, depth);
      if (atom) items.push({ ...this.#repeated(atom), from: start, to: this.#at });
    }
    return { kind: 'sequence', items, from, to: this.#at };
  }

  /** Null for flags, which match nothing by themselves. */
  #atom(flags: Flags, depth: number): PatternNode | null {
    const char = this.#next();
    switch (char) {
      case '(':
        return this.#group(flags, depth);
      case '[':
        return this.#class(flags);
      case '.':
        return { kind: 'char', test: flags.dotAll ? () => true : (one) => one !== NEWLINE };
      case '^':
        return { kind: 'assert', what: flags.multiline ? 'line start' : 'start' };
      case '$':
        return { kind: 'assert', what: flags.multiline ? 'line end' : 'end' };
      case '\\':
        return this.#escape(flags);
      case '*':
      case '+':
      case '?':
        throw new UnsupportedPattern('nothing to repeat');
      default:
        return literalNode(char, flags);
    }
  }

  #group(flags: Flags, depth: number): PatternNode | null {
    const look = LOOKS.find(([opening]) => this.#take(opening));
    if (look) return this.#look(look, flags, depth);
    if (!this.#take('?')) return this.#rest(flags, depth);
    if (this.#take(':')) return this.#rest(flags, depth);
    if (this.#takeMatch(/^P?<[A-Za-z_]\w*>/)) return this.#rest(flags, depth);
    const [sent] = this.#takeMatch(/^[ims]*(?:-[ims]+)?[:)]/) ?? [];
    if (sent === undefined) throw new UnsupportedPattern('a kind of group');
    const changed = withFlags(flags, sent.slice(0, -1));
    if (sent.endsWith(':')) return this.#rest(changed, depth);
    Object.assign(flags, changed);
    return null;
  }

  #look([opening, isBehind, isNegative]: (typeof LOOKS)[number], flags: Flags, depth: number): PatternNode {
    const bodyFrom = this.#at;
    const body = this.#rest(flags, depth);
    if (/^[*+?{]/.test(this.#text.slice(this.#at))) throw new UnsupportedPattern(`a repeated (${opening}`);
    return { kind: 'look', body, isBehind, isNegative, bodyFrom, bodyTo: this.#at - 1 };
  }

  #rest(flags: Flags, depth: number): PatternNode {
    const node = this.alternatives(flags, depth + 1);
    if (!this.#take(')')) throw new UnsupportedPattern('a group that is not closed');
    return node;
  }

  #repeated(item: PatternNode): PatternNode {
    const [sent, simple, least = '', comma, most = ''] = this.#takeMatch(/^(?:([*+?])|\{(\d+)(,)?(\d*)\})/) ?? [];
    if (sent === undefined) return item;
    const min = simple === undefined ? Number(least) : simple === '+' ? 1 : 0;
    const bounded = comma === undefined ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    const max = simple === undefined ? bounded : simple === '?' ? 1 : Number.POSITIVE_INFINITY;
    if (min > MAX_REPETITIONS || (Number.isFinite(max) && max > MAX_REPETITIONS) || min > max) {
      throw new UnsupportedPattern(`the repetition ${sent}`);
    }
    // Whether few or many are tried first makes no difference to whether there is a match.
    this.#take('?');
    if (/^[*+?]/.test(this.#text.slice(this.#at))) throw new UnsupportedPattern('a possessive or double repetition');
    return { kind: 'repeat', item, min, max };
  }

  #escape(flags: Flags): PatternNode {
    const [, assertion] = this.#takeMatch(/^([bBAz])/) ?? [];
    if (assertion !== undefined) return { kind: 'assert', what: ASSERTIONS[assertion] ?? 'start' };
    const set = this.#takeSet();
    if (set) return { kind: 'char', test: set };
    return literalNode(this.#escapedChar(), flags);
  }

  #takeSet(): ((char: number) => boolean) | null {
    const [, name] = this.#takeMatch(/^([dDwWsS])/) ?? [];
    if (name === undefined) return null;
    const test = SETS[name.toLowerCase()] ?? (() => false);
    return name === name.toLowerCase() ? test : (char) => !test(char);
  }

  #escapedChar(): string {
    const [, two, braced, four] =
      this.#takeMatch(/^(?:x([0-9a-fA-F]{2})|[xu]\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4}))/) ?? [];
    const code = Number.parseInt(two ?? braced ?? four ?? '', 16);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    const [control] = this.#takeMatch(/^[tnrfv]/) ?? [];
    if (control !== undefined) return CONTROLS[control] ?? control;
    const char = this.#next();
    if (/^[A-Za-z0-9]$/.test(char)) throw new UnsupportedPattern(`\\${char}`);
    return char;
  }

  #class(flags: Flags): PatternNode {
    const isNegated = this.#take('^');
    if (this.#sees(']')) throw new UnsupportedPattern('an empty class');
    const tests: ((char: number) => boolean)[] = [];
    while (!this.#take(']')) tests.push(this.#classItem());
    const has = (char: number): boolean => tests.some((test) => test(char));
    const ignoring = flags.ignoreCase ? anyCase(has) : has;
    return { kind: 'char', test: isNegated ? (char) => !ignoring(char) : ignoring };
  }

  #classItem(): (char: number) => boolean {
    if (this.isAtEnd || this.#sees('[:')) throw new UnsupportedPattern('this class');
    const set = this.#text[this.#at] === '\\' && this.#takeAfter('\\', () => this.#takeSet());
    if (set) return set;
    const low = codeOf(this.#classChar());
    if (!/^-[^\]]/.test(this.#text.slice(this.#at, this.#at + 2))) return (char) => char === low;
    this.#take('-');
    const high = codeOf(this.#classChar());
    if (high < low) throw new UnsupportedPattern('a range in reverse');
    return (char) => char >= low && char <= high;
  }

  #classChar(): string {
    const char = this.#next();
    if (char !== '\\') return char;
    if (this.#take('b')) throw new UnsupportedPattern('\\b in a class');
    return this.#escapedChar();
  }

  /** Takes the prefix only if what follows can be read. */
  #takeAfter<T>(prefix: string, read: () => T | null): T | null {
    const before = this.#at;
    const result = this.#take(prefix) ? read() : null;
    if (result === null) this.#at = before;
    return result;
  }

  #sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  #takeMatch(start: RegExp): RegExpExecArray | null {
    const found = start.exec(this.#text.slice(this.#at, this.#at + MAX_TOKEN_LENGTH));
    if (found) this.#at += found[0].length;
    return found;
  }

  #next(): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) throw new UnsupportedPattern('an end in the middle');
    const char = String.fromCodePoint(code);
    this.#at += char.length;
    return char;
  }
}

const MAX_TOKEN_LENGTH = 100;
const NEWLINE = 10;

const LOOKS: readonly (readonly [opening: string, isBehind: boolean, isNegative: boolean])[] = [
  ['?=', false, false],
  ['?!', false, true],
  ['?<=', true, false],
  ['?<!', true, true],
];

const ASSERTIONS: Readonly<Record<string, 'boundary' | 'no boundary' | 'start' | 'end'>> = {
  b: 'boundary',
  B: 'no boundary',
  A: 'start',
  z: 'end',
};
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v' };

const codeOf = (char: string): number => char.codePointAt(0) ?? 0;
const isDigit = (char: number): boolean => char >= 48 && char <= 57;
export const isWord = (char: number): boolean =>
  isDigit(char) || (char >= 97 && char <= 122) || (char >= 65 && char <= 90) || char === 95;
/** As in RE2: ASCII only, without the vertical tab. */
const isSpace = (char: number): boolean => char === 32 || char === 9 || char === 10 || char === 12 || char === 13;
const SETS: Readonly<Record<string, (char: number) => boolean>> = { d: isDigit, w: isWord, s: isSpace };

const anyCase =
  (has: (char: number) => boolean): ((char: number) => boolean) =>
  (char) => {
    const text = String.fromCodePoint(char);
    return has(char) || has(codeOf(text.toLowerCase())) || has(codeOf(text.toUpperCase()));
  };

function literalNode(char: string, { ignoreCase }: Flags): PatternNode {
  const code = codeOf(char);
  const is = (other: number): boolean => other === code;
  return { kind: 'char', test: ignoreCase ? anyCase(is) : is };
}

function withFlags(flags: Flags, sent: string): Flags {
  const [on = '', off = ''] = sent.split('-');
  const value = (letter: string, before: boolean): boolean =>
    off.includes(letter) ? false : on.includes(letter) || before;
  return {
    ignoreCase: value('i', flags.ignoreCase),
    multiline: value('m', flags.multiline),
    dotAll: value('s', flags.dotAll),
  };
}
