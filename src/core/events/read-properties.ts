import { cleanJson, cleanObject, isDeeperThan, MAX_DEPTH } from './clean-json.ts';
import { elementsChain } from './elements-chain.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { cleanText } from './text.ts';

/** An event's properties, copied once and cleaned on the way, with the ones that have a meaning of their own apart. */
export interface ReadProperties {
  /** Ours to add to. */
  properties: JsonObject;
  elementsChain: string;
  clientIp: Json | undefined;
  processPersonProfile: Json | undefined;
  set: JsonObject | undefined;
  setOnce: JsonObject | undefined;
  unset: Json | undefined;
}

/** Read into fields of `ReadProperties`. They never enter the copy: deleting them again would cost far more. */
const APART: ReadonlySet<string> = new Set([
  '$set',
  '$set_once',
  '$unset',
  '$elements',
  '$elements_chain',
  '$ip',
  '$process_person_profile',
  '__proto__',
]);

/** Undefined where something is nested too deeply to be kept. */
export function readProperties(raw: JsonObject): ReadProperties | undefined {
  const source = isJsonObject(raw['properties']) ? raw['properties'] : {};
  if (isTooDeep(source) || isTooDeep(pick(raw, '$set', '$set_once'))) return undefined;
  return {
    properties: copyCleaned(source),
    elementsChain: readChain(source),
    clientIp: source['$ip'],
    processPersonProfile: source['$process_person_profile'],
    set: mergeSets(source['$set'], raw['$set']),
    setOnce: mergeSets(source['$set_once'], raw['$set_once']),
    unset: readUnset(source['$unset']),
  };
}

function isTooDeep(object: JsonObject): boolean {
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (typeof value === 'object' && isDeeperThan(value, MAX_DEPTH)) return true;
  }
  return false;
}

const pick = (raw: JsonObject, ...keys: string[]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, raw[key] ?? null]));

function copyCleaned(source: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(source)) {
    if (!APART.has(key)) copy[cleanText(key)] = cleanJson(source[key] ?? null);
  }
  return copy;
}

/** The top level wins over `properties`, key by key. */
function mergeSets(inner: Json | undefined, outer: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(outer)) return isJsonObject(inner) ? cleanObject(inner) : undefined;
  return isJsonObject(inner) ? { ...cleanObject(inner), ...cleanObject(outer) } : cleanObject(outer);
}

const readUnset = (value: Json | undefined): Json | undefined =>
  Array.isArray(value) || isJsonObject(value) ? cleanJson(value) : undefined;

/** Newer clients send the chain ready-made, older ones the elements. */
function readChain(source: JsonObject): string {
  const { $elements_chain: chain, $elements: elements } = source;
  if (typeof chain === 'string' && chain !== '') return cleanText(chain);
  return elements === undefined ? '' : cleanText(elementsChain(elements));
}
