/** GrowthBook's conditions on attributes, which are written like queries of MongoDB, as alternatives. */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { getPattern } from '../../../flags/rules/compile/pattern.ts';
import {
  ALWAYS,
  type Alternatives,
  allOf,
  anyOf,
  booleanMatches,
  isNotSet,
  isSet,
  NEVER,
  patternMatches,
  property,
  textMatches,
} from './conditions.ts';
import { NotImportable } from './decision-list.ts';

/** What a condition is read with. */
interface Reading {
  savedGroups: JsonObject;
  /** Ids of the groups that are being read, to stop circles. */
  within: readonly string[];
}

export const readGrowthBookCondition = (condition: JsonObject, savedGroups: JsonObject): Alternatives =>
  readCondition(condition, true, { savedGroups, within: [] });

/** `isMet` false: those who do not meet it. */
function readCondition(condition: JsonObject, isMet: boolean, reading: Reading): Alternatives {
  const parts = Object.entries(condition).map(([key, wanted]) =>
    key.startsWith('$') ? readLogic(key, wanted, isMet, reading) : readAttribute(key, wanted, isMet, reading),
  );
  return isMet ? allOf(parts) : anyOf(parts);
}

function readLogic(key: string, wanted: Json, isMet: boolean, reading: Reading): Alternatives {
  const parts = Array.isArray(wanted) ? wanted.filter(isJsonObject) : [];
  const each = (met: boolean): Alternatives[] => parts.map((part) => readCondition(part, met, reading));
  switch (key) {
    case '$or':
      // Of no conditions it is met.
      if (parts.length === 0) return isMet ? ALWAYS : NEVER;
      return isMet ? anyOf(each(true)) : allOf(each(false));
    case '$nor':
      if (parts.length === 0) return isMet ? NEVER : ALWAYS;
      return isMet ? allOf(each(false)) : anyOf(each(true));
    case '$and':
      return isMet ? allOf(each(true)) : anyOf(each(false));
    case '$not':
      return readCondition(isJsonObject(wanted) ? wanted : {}, !isMet, reading);
    case '$savedGroup':
      return readSavedGroup(isJsonObject(wanted) ? wanted : {}, isMet, reading);
    default:
      throw new NotImportable(`a condition with ${key.slice(0, 50)}`);
  }
}

function readSavedGroup({ id, attributeKey }: JsonObject, isMet: boolean, reading: Reading): Alternatives {
  const group = typeof id === 'string' ? reading.savedGroups[id] : undefined;
  if (typeof id !== 'string' || !isJsonObject(group) || reading.within.includes(id)) return isMet ? NEVER : ALWAYS;
  if (group['type'] === 'list') {
    const key = attributeKey ?? group['attributeKey'];
    if (typeof key !== 'string') return isMet ? NEVER : ALWAYS;
    return isOneOf(attributeName(key), group['values'] ?? null, isMet);
  }
  const condition = group['condition'];
  if (group['type'] !== 'condition' || !isJsonObject(condition)) return isMet ? NEVER : ALWAYS;
  return readCondition(condition, isMet, { ...reading, within: [...reading.within, id] });
}

function attributeName(name: string): string {
  if (name.includes('.')) throw new NotImportable(`a condition on the nested attribute ${name.slice(0, 100)}`);
  return name === 'id' ? 'distinct_id' : name;
}

/** A number without an operator is compared as one, and an absent attribute as 0. */
function readAttribute(name: string, wanted: Json, isMet: boolean, reading: Reading): Alternatives {
  const key = attributeName(name);
  if (wanted === 0)
    return isMet ? [...equals(key, 0, true), [isNotSet(key)]] : [[property(key, 'not_between', [0, 0]), isSet(key)]];
  if (!isJsonObject(wanted)) return equals(key, wanted, isMet);
  const parts = Object.entries(wanted).map(([operator, value]) => readOperator(key, operator, value, isMet, reading));
  return isMet ? allOf(parts) : anyOf(parts);
}

interface NumberOperator {
  met: string;
  unmet: string;
  holds(value: number, wanted: number): boolean;
}

const NUMBERS: Readonly<Record<string, NumberOperator>> = {
  $gt: { met: 'gt', unmet: 'lte', holds: (value, wanted) => value > wanted },
  $gte: { met: 'gte', unmet: 'lt', holds: (value, wanted) => value >= wanted },
  $lt: { met: 'lt', unmet: 'gte', holds: (value, wanted) => value < wanted },
  $lte: { met: 'lte', unmet: 'gt', holds: (value, wanted) => value <= wanted },
};

function readOperator(key: string, operator: string, value: Json, isMet: boolean, reading: Reading): Alternatives {
  const number = NUMBERS[operator];
  if (number !== undefined && typeof value === 'number') {
    const compared = property(key, isMet ? number.met : number.unmet, value);
    // An attribute that is absent is compared as 0.
    return number.holds(0, value) === isMet ? [[compared], [isNotSet(key)]] : [[compared]];
  }
  switch (operator) {
    case '$eq':
      return equals(key, value, isMet);
    case '$ne':
      return equals(key, value, !isMet);
    case '$exists':
      return [[Boolean(value) === isMet ? isSet(key) : isNotSet(key)]];
    case '$in':
      return isOneOf(key, value, isMet);
    case '$nin':
      return isOneOf(key, value, !isMet);
    case '$ini':
      return isOneOf(key, value, isMet, true);
    case '$nini':
      return isOneOf(key, value, !isMet, true);
    case '$inGroup':
      return isOneOf(key, groupValues(value, reading), isMet);
    case '$notInGroup':
      return isOneOf(key, groupValues(value, reading), !isMet);
    case '$regex':
    case '$regexi':
      return matchesPattern(key, value, operator === '$regexi', isMet);
    case '$not':
      return readAttribute(key === 'distinct_id' ? 'id' : key, value, !isMet, reading);
    default:
      throw new NotImportable(`the operator ${operator.slice(0, 50)} on ${key.slice(0, 100)}`);
  }
}

function groupValues(id: Json, { savedGroups }: Reading): Json {
  const group = typeof id === 'string' ? savedGroups[id] : undefined;
  if (group === undefined) return [];
  const values = isJsonObject(group) && group['type'] === 'list' ? group['values'] : group;
  if (Array.isArray(values)) return values;
  throw new NotImportable(`the saved group ${String(id).slice(0, 100)} is not a list`);
}

/** An absent attribute is searched as the text `null`, which no author of a pattern means. */
function matchesPattern(key: string, value: Json, ignoresCase: boolean, isMet: boolean): Alternatives {
  const condition = patternMatches(key, String(value), isMet, ignoresCase);
  if (getPattern(new Map(), String(condition['value']))?.('null') !== false)
    throw new NotImportable(`a pattern on ${key.slice(0, 100)} that also finds absent attributes`);
  return [[condition]];
}

function isOneOf(key: string, list: Json, isMet: boolean, ignoresCase = false): Alternatives {
  if (!Array.isArray(list)) return isMet ? NEVER : ALWAYS;
  const isPlain = list.every((one) => typeof one === 'string' || typeof one === 'number');
  if (!isPlain) throw new NotImportable(`a list for ${key.slice(0, 100)} with other values than texts and numbers`);
  if (list.length === 0) return isMet ? NEVER : ALWAYS;
  return textMatches(key, 'is', list.map(String), isMet, ignoresCase);
}

function equals(key: string, value: Json, isMet: boolean): Alternatives {
  if (typeof value === 'string' && value !== 'null') return textMatches(key, 'is', [value], isMet);
  if (typeof value === 'number') {
    if (isMet) return [[property(key, 'between', [value, value])]];
    return [[property(key, 'not_between', [value, value])]];
  }
  if (typeof value === 'boolean') return booleanMatches(key, value, isMet);
  if (value === null) return [[isMet ? isNotSet(key) : isSet(key)]];
  throw new NotImportable(`a comparison of ${key.slice(0, 100)} with ${JSON.stringify(value).slice(0, 50)}`);
}
