/** Conditions on properties that compare like other products do: texts by every letter, where ours ignore case. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

export const property = (key: string, operator: string, value: Json): JsonObject => ({
  key,
  operator,
  type: 'person',
  value,
});

type TextMatch = 'is' | 'starts' | 'ends' | 'contains';

/** `isWanted` false: also those who do not have the property. */
export function textMatches(
  key: string,
  match: TextMatch,
  values: readonly string[],
  isWanted: boolean,
  ignoresCase = false,
) {
  const choice = `(?:${values.map(escapePattern).join('|')})`;
  const start = match === 'is' || match === 'starts' ? '^' : '';
  const end = match === 'is' || match === 'ends' ? '$' : '';
  return property(key, isWanted ? 'regex' : 'not_regex', `${ignoresCase ? '(?i)' : ''}${start}${choice}${end}`);
}

export const isSet = (key: string): JsonObject => property(key, 'is_set', 'is_set');
