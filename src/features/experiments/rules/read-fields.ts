/** Fields of settings that were sent as JSON. What is wrong is refused with the name of its field. */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

export function listIn(settings: JsonObject, name: string): Json[] {
  const value = settings[name] ?? [];
  if (!Array.isArray(value)) throw invalid(name, `${name} is a list.`);
  return value;
}

export const textOr = (value: Json | undefined, fallback: string): string =>
  typeof value === 'string' ? value : fallback;

export function choice<const T extends string>(
  given: JsonObject,
  name: string,
  choices: readonly [T, ...T[]],
  attr: string,
): T {
  const value = given[name] ?? choices[0];
  const found = choices.find((one) => one === value);
  if (found === undefined) throw invalid(`${attr}__${name}`, `${name} is one of ${choices.join(', ')}.`);
  return found;
}

export function objectIn(given: JsonObject, name: string): JsonObject {
  const value = given[name] ?? {};
  if (!isJsonObject(value)) throw invalid(name, `${name} is an object.`);
  return value;
}

export function numberIn(
  given: JsonObject,
  name: string,
  range: { min: number; max: number; attr: string },
): number | null {
  const value = given[name] ?? null;
  if (value === null) return null;
  if (typeof value === 'number' && value >= range.min && value <= range.max) return value;
  throw invalid(`${range.attr}__${name}`, `${name} is a number from ${range.min} to ${range.max}.`);
}
