/** Unleash's constraints as alternatives. An inverted one is also met by those who do not have the field. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import {
  ALWAYS,
  type Alternatives,
  anyOf,
  isNotSet,
  NEVER,
  notANumber,
  patternMatches,
  property,
  textMatches,
} from './conditions.ts';
import { NotImportable } from './decision-list.ts';
import { text } from './read-json.ts';

/** Fields of Unleash's context that no user has. */
const NOT_OF_USERS = ['currentTime', 'environment', 'appName', 'remoteAddress'];

export function contextKey(name: string): string {
  if (NOT_OF_USERS.includes(name)) throw new NotImportable(`a constraint on ${name}`);
  return name === 'userId' ? 'distinct_id' : name;
}

const NUMBERS: Readonly<Record<string, [met: string, unmet: string]>> = {
  NUM_GT: ['gt', 'lte'],
  NUM_GTE: ['gte', 'lt'],
  NUM_LT: ['lt', 'gte'],
  NUM_LTE: ['lte', 'gt'],
  NUM_EQ: ['between', 'not_between'],
};
const TEXTS: Readonly<Record<string, 'starts' | 'ends' | 'contains'>> = {
  STR_STARTS_WITH: 'starts',
  STR_ENDS_WITH: 'ends',
  STR_CONTAINS: 'contains',
};
const VERSIONS: Readonly<Record<string, [met: string, unmet: string]>> = {
  SEMVER_EQ: ['semver_eq', 'semver_neq'],
  SEMVER_GT: ['semver_gt', 'semver_lte'],
  SEMVER_LT: ['semver_lt', 'semver_gte'],
  SEMVER_GTE: ['semver_gte', 'semver_lt'],
  SEMVER_LTE: ['semver_lte', 'semver_gt'],
};

export function readConstraint(constraint: JsonObject, now: number): Alternatives {
  const operator = String(constraint['operator']);
  const isMet = constraint['inverted'] !== true;
  if (operator === 'DATE_AFTER' || operator === 'DATE_BEFORE')
    return passedDate(operator, constraint['value'], isMet, now);
  const key = contextKey(text(constraint, 'contextName'));
  const ignoresCase = constraint['caseInsensitive'] === true;
  if (operator === 'IN') return isOneOf(key, 'is', constraint, isMet, false);
  if (operator === 'NOT_IN') return isOneOf(key, 'is', constraint, !isMet, false);
  const match = TEXTS[operator];
  if (match !== undefined) return isOneOf(key, match, constraint, isMet, ignoresCase);
  if (operator === 'REGEX') return [[patternMatches(key, String(constraint['value'] ?? ''), isMet, ignoresCase)]];
  const number = NUMBERS[operator];
  if (number !== undefined) return compareNumber(key, number, Number(constraint['value'] ?? Number.NaN), isMet);
  const version = VERSIONS[operator];
  if (version !== undefined) return compareVersion(key, version, String(constraint['value'] ?? ''), isMet);
  throw new NotImportable(`the constraint ${operator.slice(0, 50)} on ${key.slice(0, 100)}`);
}

function isOneOf(
  key: string,
  match: 'is' | 'starts' | 'ends' | 'contains',
  constraint: JsonObject,
  isMet: boolean,
  ignoresCase: boolean,
): Alternatives {
  const values = (Array.isArray(constraint['values']) ? constraint['values'] : [])
    .filter((value) => typeof value === 'string' && value !== '')
    .map((value) => String(value).trim());
  if (values.length === 0) return isMet ? NEVER : ALWAYS;
  return textMatches(key, match, values, isMet, ignoresCase);
}

function compareNumber(key: string, [met, unmet]: [string, string], value: number, isMet: boolean): Alternatives {
  if (!Number.isFinite(value)) return isMet ? NEVER : ALWAYS;
  const wanted: Json = met === 'between' ? [value, value] : value;
  return isMet ? [[property(key, met, wanted)]] : [[property(key, unmet, wanted)], [notANumber(key)]];
}

const VERSION = '^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?$';

/** Unleash reads whole versions only, where ours may be shorter; with a `v` only those of the constraint. */
function compareVersion(key: string, [met, unmet]: [string, string], given: string, isMet: boolean): Alternatives {
  const value = given.trim().replace(/^v/, '');
  if (!new RegExp(VERSION).test(value)) return isMet ? NEVER : ALWAYS;
  const whole = patternMatches(key, VERSION, true);
  if (isMet) return [[whole, property(key, met, value)]];
  return anyOf([[[whole, property(key, unmet, value)]], [[patternMatches(key, VERSION, false)]], [[isNotSet(key)]]]);
}

/** A date that has passed is the same for ever; one in the future is a schedule. */
function passedDate(operator: string, value: Json | undefined, isMet: boolean, now: number): Alternatives {
  const moment = Date.parse(String(value));
  if (Number.isNaN(moment)) return isMet ? NEVER : ALWAYS;
  if (moment >= now)
    throw new NotImportable(
      `a constraint on currentTime: schedule the change for ${String(value).slice(0, 50)} instead`,
    );
  return (operator === 'DATE_AFTER') === isMet ? ALWAYS : NEVER;
}
