/**
 * What happens to a statement before it is parsed. Placeholders such as `{name}` become parameters, names that begin with
 * a dollar sign are quoted, and `quantile(0.9)(x)` becomes `quantile_cont(x, 0.9)`.
 *
 * Nothing here decides what is allowed: the tree of the result does (`check-tree.ts`).
 */
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import { filtersSql, timeSql } from './filters-sql.ts';
import { SqlRefusal } from './refusal.ts';

export type SqlScalar = string | number | boolean | null;

export interface Placeholders {
  values: Readonly<Record<string, unknown>>;
  variables: Readonly<Record<string, unknown>>;
  /** Ms UTC; what `{filters}` stands for. */
  range: { from: number | null; to: number | null };
  /** Also part of `{filters}`. */
  properties: Filter;
}

export const NO_PLACEHOLDERS: Placeholders = {
  values: {},
  variables: {},
  range: { from: null, to: null },
  properties: NO_FILTER,
};

interface PreparedText {
  sql: string;
  /** By the names of the parameters, `p1` and so on. */
  parameters: Readonly<Record<string, SqlScalar>>;
}

export const MAX_TEXT_BYTES = 64 * 1024;
const MAX_LIST = 10_000;

export function prepareText(text: string, placeholders: Placeholders): PreparedText {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw new SqlRefusal('too_long', 'A statement may have at most 64 kB.');
  // The engine's parser stops at it, and would not see what follows.
  if (text.includes('\0'))
    throw new SqlRefusal('syntax', 'The statement contains a NUL character.', text.indexOf('\0'));
  const parameters: Record<string, SqlScalar> = {};
  const bind = (value: SqlScalar): string => {
    const name = `p${Object.keys(parameters).length + 1}`;
    parameters[name] = value;
    return `$${name}`;
  };
  const tokens = tokenize(text);
  const replaced = tokens.map((token, at) => replace(token, { tokens, at, placeholders, bind }));
  return { sql: moveParameters(tokens, replaced).join(''), parameters };
}

/** `$1` → `{p1}`, whose values have these names. Also how many there are. */
export function namePlaceholders(text: string): { sql: string; count: number } {
  const tokens = tokenize(text);
  let count = 0;
  const sql = tokens.map(({ kind, text: part }, at) => {
    const number = tokens[at + 1]?.text ?? '';
    if (kind === 'other' && part === '$' && /^\d{1,4}$/.test(number)) return '{p';
    const isNumber = tokens[at - 1]?.text === '$' && tokens[at - 1]?.kind === 'other' && /^\d{1,4}$/.test(part);
    if (!isNumber) return part;
    count = Math.max(count, Number(part));
    return `${part}}`;
  });
  return { sql: sql.join(''), count };
}

/** `operator(pg_catalog.~)` → `~`, `::pg_catalog.text` → `::text` and `as pg_catalog.text)` → `as text)`, as psql writes them. */
export function plainPostgres(text: string): string {
  const tokens = tokenize(text);
  const parts = tokens.map(({ text: part }) => part);
  tokens.forEach(({ text: part }, at) => {
    const [open, schema, dot] = parts.slice(at + 1, at + 4);
    const isTyped = (part === ':' && open === ':') || (part.toLowerCase() === 'as' && tokens[at + 1]?.kind === 'space');
    if (isTyped && schema === 'pg_catalog' && dot === '.') parts.fill('', at + 2, at + 4);
    if (part.toLowerCase() !== 'operator' || open !== '(' || schema !== 'pg_catalog' || dot !== '.') return;
    const end = closing(tokens, at + 1);
    if (end !== null) parts.fill('', at, at + 4).fill('', end, end + 1);
  });
  return parts.join('');
}

/** At semicolons outside of texts and comments; without empty ones. */
export function splitStatements(text: string): string[] {
  const statements = [''];
  for (const { kind, text: part } of tokenize(text)) {
    if (kind === 'other' && part === ';') statements.push('');
    else statements[statements.length - 1] += part;
  }
  return statements.filter((statement) => tokenize(statement).some(({ kind }) => kind !== 'space'));
}

interface Token {
  kind: 'text' | 'space' | 'name' | 'dollar' | 'placeholder' | 'other';
  text: string;
  at: number;
}

/** In this order. Strings and comments are kept whole; the rest is names, numbers and single characters. */
const PATTERNS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['space', /\s+|--[^\n]*/y],
  ['text', /[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"/y],
  ['placeholder', /\{\s*[A-Za-z_][\w.]*\s*\}/y],
  ['dollar', /\$[A-Za-z_]\w*/y],
  ['name', /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y],
  ['other', /\d[\w.]*|[\s\S]/y],
];

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const token = text.startsWith('/*', at)
      ? ({ kind: 'space', text: text.slice(at, endOfComment(text, at)), at } as const)
      : nextToken(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function nextToken(text: string, at: number): Token {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return { kind, text: found, at };
  }
  return { kind: 'other', text: text.charAt(at), at };
}

/** Comments can be nested. */
function endOfComment(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text.startsWith('/*', at)) {
      depth++;
      at++;
    } else if (text.startsWith('*/', at)) {
      depth--;
      at++;
      if (depth === 0) return at + 1;
    }
  }
  throw new SqlRefusal('syntax', 'A comment is not closed.', start);
}

interface Replacing {
  tokens: readonly Token[];
  at: number;
  placeholders: Placeholders;
  bind(value: SqlScalar): string;
}

function replace(token: Token, replacing: Replacing): string {
  if (token.kind === 'dollar') return `"${token.text}"`;
  if (token.kind === 'other' && token.text === '$') {
    throw new SqlRefusal('syntax', 'Use {name} for values; $1 and $$ are not supported.', token.at);
  }
  if (token.kind === 'other' && token.text === '?') {
    throw new SqlRefusal('syntax', 'Use {name} for values; ? is not supported.', token.at);
  }
  if (isAnyCall(token, replacing)) return 'any_value';
  return token.kind === 'placeholder' ? replacePlaceholder(token, replacing) : token.text;
}

/** `any(x)` of ClickHouse; the parser knows the word only from `x = any(list)`. */
const isAnyCall = ({ kind, text }: Token, { tokens, at }: Replacing): boolean =>
  kind === 'name' &&
  text.toLowerCase() === 'any' &&
  neighbour(tokens, at, 1) === '(' &&
  !/^(?:[=<>~]|like|ilike)$/i.test(neighbour(tokens, at, -1) ?? '');

function replacePlaceholder(token: Token, { tokens, at, placeholders, bind }: Replacing): string {
  const name = token.text.slice(1, -1).trim();
  if (name === 'filters') return conditions(placeholders, bind);
  const variable = name.startsWith('variables.') ? name.slice('variables.'.length) : null;
  const source = variable === null ? placeholders.values : placeholders.variables;
  const key = variable ?? name;
  if (!Object.hasOwn(source, key)) {
    throw new SqlRefusal('bad_parameter', `There is no value for ${token.text}; give one in "values".`, token.at);
  }
  const value = source[key];
  if (isScalar(value)) return bind(value);
  if (!Array.isArray(value) || !value.every(isScalar) || value.length > MAX_LIST) {
    throw new SqlRefusal(
      'bad_parameter',
      `The value for ${token.text} must be a text, a number, a boolean, null, or a list of at most ${MAX_LIST} of them.`,
      token.at,
    );
  }
  const list = value.length === 0 ? 'null' : value.map(bind).join(', ');
  return isEnclosed(tokens, at) ? list : `(${list})`;
}

const isScalar = (value: unknown): value is SqlScalar =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

/** As in `in ({list})`. */
const isEnclosed = (tokens: readonly Token[], at: number): boolean =>
  neighbour(tokens, at, -1) === '(' && neighbour(tokens, at, 1) === ')';

function neighbour(tokens: readonly Token[], from: number, step: 1 | -1): string | undefined {
  let at = from + step;
  while (tokens[at]?.kind === 'space') at += step;
  return tokens[at]?.text;
}

function conditions({ range: { from, to }, properties }: Placeholders, bind: (value: SqlScalar) => string): string {
  const all = [
    ...(from === null ? [] : [`timestamp >= ${timeSql(from, bind)}`]),
    ...(to === null ? [] : [`timestamp < ${timeSql(to, bind)}`]),
    filtersSql(properties, bind),
  ];
  return `(${all.join(' and ')})`;
}

/** `name(a)(b)` → `name(b, a)`, as ClickHouse writes quantiles; its `quantile` is a value between two others, too. */
function moveParameters(tokens: readonly Token[], replaced: readonly string[]): string[] {
  const result = [...replaced];
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]?.kind !== 'name' || tokens[at + 1]?.text !== '(') continue;
    const firstEnd = closing(tokens, at + 1);
    if (firstEnd === null || tokens[firstEnd + 1]?.text !== '(') continue;
    const secondEnd = closing(tokens, firstEnd + 1);
    if (secondEnd === null) continue;
    const parameters = result.slice(at + 2, firstEnd).join('');
    const values = result.slice(firstEnd + 2, secondEnd).join('');
    result.fill('', at + 1, secondEnd);
    result[at + 1] = `(${values}, ${parameters}`;
    if (tokens[at]?.text.toLowerCase() === 'quantile') result[at] = 'quantile_cont';
  }
  return result;
}

function closing(tokens: readonly Token[], open: number): number | null {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]?.text === '(') depth++;
    if (tokens[at]?.text === ')') depth--;
    if (depth === 0) return at;
  }
  return null;
}
