/** Conditions on properties that compare like other products do: texts by every letter, where ours ignore case. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import { patternProblem } from '../../../flags/rules/compile/pattern.ts';
import { NotImportable } from './decision-list.ts';

/** An OR of ANDs of conditions. `[]` is never met, `[[]]` always. */
export type Alternatives = JsonObject[][];

export const NEVER: Alternatives = [];
export const ALWAYS: Alternatives = [[]];

const MAX_ALTERNATIVES = 50;

/** All of them have to be met: all ways to choose one alternative of each. */
export function allOf(parts: readonly Alternatives[]): Alternatives {
  let all: Alternatives = ALWAYS;
  for (const choices of parts) {
    all = all.flatMap((done) => choices.map((choice) => [...done, ...choice]));
    if (all.length > MAX_ALTERNATIVES) throw new NotImportable('its conditions have too many alternatives');
  }
  return all;
}

export const anyOf = (parts: readonly Alternatives[]): Alternatives => parts.flat();

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

export const property = (key: string, operator: string, value: Json): JsonObject => ({
  key,
  operator,
  type: 'person',
  value,
});

type TextMatch = 'is' | 'starts' | 'ends' | 'contains';

/** `isWanted` false: also those who do not have the property. Long lists are several patterns. */
export function textMatches(
  key: string,
  match: TextMatch,
  values: readonly string[],
  isWanted: boolean,
  ignoresCase = false,
): Alternatives {
  const start = match === 'is' || match === 'starts' ? '^' : '';
  const end = match === 'is' || match === 'ends' ? '$' : '';
  const patterns = joined(values.map(escapePattern)).map((choice) =>
    patternMatches(key, `${start}(?:${choice})${end}`, isWanted, ignoresCase),
  );
  return isWanted ? patterns.map((one) => [one]) : [patterns];
}

const MAX_CHOICE_LENGTH = 900;

function joined(texts: readonly string[]): string[] {
  const choices: string[] = [];
  for (const text of texts) {
    const last = choices.at(-1);
    const isFull = last === undefined || last.length + text.length >= MAX_CHOICE_LENGTH;
    if (isFull) choices.push(text);
    else choices[choices.length - 1] = `${last}|${text}`;
  }
  return choices;
}

export function patternMatches(key: string, pattern: string, isWanted: boolean, ignoresCase = false): JsonObject {
  const whole = `${ignoresCase ? '(?i)' : ''}${pattern}`;
  if (patternProblem(whole) !== null)
    throw new NotImportable(`the pattern of ${key.slice(0, 100)} cannot be evaluated here: ${pattern.slice(0, 100)}`);
  return property(key, isWanted ? 'regex' : 'not_regex', whole);
}

export const isSet = (key: string): JsonObject => property(key, 'is_set', 'is_set');
export const isNotSet = (key: string): JsonObject => property(key, 'is_not_set', 'is_not_set');

/** Anything that is not true counts as false here, so false itself is compared as a text. `isWanted` false: also without it. */
export function booleanMatches(key: string, value: boolean, isWanted: boolean): Alternatives {
  if (!value) return textMatches(key, 'is', ['false'], isWanted);
  return isWanted ? [[property(key, 'exact', 'true')]] : [[property(key, 'exact', 'false')], [isNotSet(key)]];
}

/** Also those who do not have it. */
export const notANumber = (key: string): JsonObject =>
  patternMatches(key, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[+-]?[0-9]+)?$', false, true);

/** Of another flag that is imported, too. */
export const flagIs = (flag: string, value: boolean | string): JsonObject => ({
  flag,
  operator: 'flag_evaluates_to',
  type: 'flag',
  value,
});
