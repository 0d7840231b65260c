/** Values at the edges of a condition: exactly what it names, just beside it, written in another way, and of other types. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';

type ComparedType = 'boolean' | 'number' | 'text';

/** Of every type, and none; any condition may meet them. */
const ANY_VALUES: readonly Json[] = ['', ' ', 'x', 'null', 0, -1, true, false, null];

/** Each once. */
export function edgeValues(property: JsonObject): Json[] {
  const near = namedValues(property).flatMap((value) => [value, ...nearValues(String(property['operator']), value)]);
  return [...new Set([...near, ...ANY_VALUES])];
}

/** What the condition expects to compare; null if it does not matter to it. */
export function typeInCondition(property: JsonObject): ComparedType | null {
  const { operator } = property;
  if (operator === 'is_set' || operator === 'is_not_set') return null;
  return typeOfValue(namedValues(property)[0] ?? '');
}

/** A pre-release of a version with fewer than three numbers, which is a version to some products only. */
export const isShortPreRelease = (value: Json): boolean => typeof value === 'string' && /^\d+(\.\d+)?-/.test(value);

/** Null has none. */
export function typeOfValue(value: Json): ComparedType | null {
  if (typeof value === 'boolean' || typeof value === 'number') return typeof value as ComparedType;
  return typeof value === 'string' ? 'text' : null;
}

/** The values that the condition compares with; of a pattern, the texts that it lists. */
export function namedValues({ operator, value = null }: JsonObject): Json[] {
  if (operator === 'is_set' || operator === 'is_not_set' || value === null) return [];
  const isPattern = operator === 'regex' || operator === 'not_regex';
  const named = isPattern ? textsIn(String(value)) : Array.isArray(value) ? value : [value];
  const [only] = named;
  const isBoolean = named.length === 1 && (only === 'true' || only === 'false');
  return isBoolean ? [only === 'true'] : named;
}

function textsIn(pattern: string): string[] {
  const [, choice] = /\(\?:(.*)\)\$?$/s.exec(pattern) ?? [];
  return choice === undefined ? [] : choice.split('|').map((text) => text.replace(/\\(.)/g, '$1'));
}

function nearValues(operator: string, value: Json): Json[] {
  if (typeof value === 'boolean') return [!value, String(value), String(value).toUpperCase(), 1, '1'];
  if (typeof value === 'number') return nearNumber(value);
  if (typeof value !== 'string') return [];
  if (operator.startsWith('semver_')) return nearVersion(value);
  if (operator.startsWith('is_date_')) return nearDate(value);
  return nearText(value);
}

function nearNumber(value: number): Json[] {
  const step = Math.max(Math.abs(value), 1) * Number.EPSILON;
  const numbers = [value - 1, value - 0.001, value - step, value + step, value + 0.001, value + 1, -value];
  return [...numbers, String(value), String(value + 1), String(value - 1), `${value}.0`];
}

function nearVersion(value: string): Json[] {
  const [core = '', ...rest] = value.split('-');
  const numbers = core.split('.').map(Number);
  const moved = numbers.flatMap((_, at) =>
    [-1, 1].map((by) => numbers.map((number, i) => Math.max(0, i === at ? number + by : number)).join('.')),
  );
  const whole = [...numbers, 0, 0].slice(0, 3).join('.');
  const preReleases = rest.length > 0 ? [core, `${value}.1`] : [`${whole}-alpha`, `${whole}-0`, `${numbers[0]}-alpha`];
  return [...moved, ...preReleases, `${value}+build`, `v${value}`, numbers.slice(0, 2).join('.'), `${core}.0.0.0`];
}

function nearDate(value: string): Json[] {
  const moment = Date.parse(value);
  const texts = [-1000, -1, 0, 1, 1000].map((by) => new Date(moment + by).toISOString());
  const elsewhere = `${new Date(moment + 7_200_000).toISOString().slice(0, -1)}+02:00`;
  return [...texts, elsewhere, moment - 1, moment, moment + 1, value.slice(0, 10)];
}

function nearText(value: string): Json[] {
  const number = Number(value);
  const numbers = value.trim() !== '' && Number.isFinite(number) ? [number] : [];
  const first = value.slice(0, 1);
  return [
    ...[
      value.toUpperCase(),
      value.toLowerCase(),
      first.toUpperCase() + value.slice(1),
      first.toLowerCase() + value.slice(1),
    ],
    ...[`${value}x`, `x${value}`, value.slice(1), value.slice(0, -1), ` ${value}`, `${value} `, `${value}\n`],
    ...numbers,
  ];
}
