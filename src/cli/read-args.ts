import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';

type OptionKinds = Readonly<Record<string, 'text' | 'flag' | 'many'>>;

type OptionValues<K extends OptionKinds> = {
  [N in keyof K]: K[N] extends 'text' ? string | null : K[N] extends 'flag' ? boolean : string[];
};

interface ParsedArgs<K extends OptionKinds> {
  words: string[];
  options: OptionValues<K>;
}

/** Words and options after a command. Unknown options and missing values are errors. */
export function readArgs<K extends OptionKinds>(args: readonly string[], kinds: K): ParsedArgs<K> {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'many' } as const,
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    const absent = (kind: OptionKinds[string]) => (kind === 'flag' ? false : kind === 'many' ? [] : null);
    const all = Object.entries(kinds).map(([name, kind]) => [name, values[name] ?? absent(kind)]);
    return { words: positionals, options: Object.fromEntries(all) as OptionValues<K> };
  } catch (error) {
    throw new UsageError((error as Error).message.split('. To specify')[0] ?? '');
  }
}

/** Exactly these words, named as in the help. */
export function readPositionals<N extends string>(words: readonly string[], ...names: N[]): Record<N, string> {
  const missing = names[words.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  const extra = words[names.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is not expected.`);
  return Object.fromEntries(names.map((name, i) => [name, words[i] ?? ''])) as Record<N, string>;
}

export function readInteger(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${name} must be a whole number, not "${text}".`);
}

export const readOptionalInteger = (name: string, text: string | null): number | null =>
  text === null ? null : readInteger(name, text);

/** ISO 8601, in UTC unless it has an offset; a date means its first moment. */
export function readTime(name: string, text: string): number {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isMoment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/.test(text);
  const ms = isDay || isMoment ? Date.parse(isDay || hasZone ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(ms)) {
    throw new UsageError(`${name} must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z, not "${text}".`);
  }
  return ms;
}

export function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text);
  if (found === undefined) throw new UsageError(`${name} must be one of ${allowed.join(', ')}, not "${text}".`);
  return found;
}
