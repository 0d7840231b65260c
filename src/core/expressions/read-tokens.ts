import { expressionError } from './expression.ts';

export interface Token {
  /** `name` may be a keyword; `quoted` is a name that cannot be one. */
  kind: 'name' | 'quoted' | 'number' | 'text' | 'symbol' | 'end';
  /** As it was written. */
  source: string;
  /** The name, the text without quotes and escapes, or the symbol. */
  value: string;
  at: number;
}

const SPACE = /(?:\s|--[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SYMBOL = /==|!=|<>|<=|>=|=~|!~|\|\||\?\?|[-=<>+*/%()[\],.]/y;
const QUOTED = /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`\\]|\\[\s\S]|``)*`/y;

/** The last token is the end. */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const token = readToken(text, at);
    tokens.push(token);
    at = skipSpace(text, at + token.source.length);
  }
  tokens.push({ kind: 'end', source: '', value: '', at: text.length });
  return tokens;
}

const skipSpace = (text: string, at: number): number => at + (matchAt(SPACE, text, at)?.length ?? 0);

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function readToken(text: string, at: number): Token {
  const name = matchAt(NAME, text, at);
  if (name !== undefined) return { kind: 'name', source: name, value: name, at };
  const number = matchAt(NUMBER, text, at);
  if (number !== undefined) return { kind: 'number', source: number, value: number, at };
  const quoted = matchAt(QUOTED, text, at);
  if (quoted !== undefined) return readQuoted(quoted, at);
  if (text.startsWith('/*', at)) throw expressionError(at, '/*', 'this comment has no end.');
  const symbol = matchAt(SYMBOL, text, at);
  if (symbol !== undefined) return { kind: 'symbol', source: symbol, value: symbol, at };
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const isQuote = character === "'" || character === '"' || character === '`';
  throw expressionError(at, character, isQuote ? 'this quote is never closed.' : 'no such character is used here.');
}

function readQuoted(source: string, at: number): Token {
  const quote = source.slice(0, 1);
  const value = source.slice(1, -1).replace(/\\([\s\S])|''|""|``/g, (found, escaped?: string) => {
    if (escaped !== undefined) return ESCAPES[escaped] ?? found;
    return found.startsWith(quote) ? quote : found;
  });
  if (value.includes('\0')) throw expressionError(at, source, 'texts cannot contain the null character.');
  return { kind: quote === "'" ? 'text' : 'quoted', source, value, at };
}

/** A backslash before any other character stays, as `like` and patterns need it. */
const ESCAPES: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '\\': '\\',
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  0: '\0',
};
