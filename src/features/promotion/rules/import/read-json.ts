import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts';
import { NotImportable } from './decision-list.ts';

/** A list of objects; empty where it is absent. */
export const items = (value: JsonObject, name: string): JsonObject[] => {
  const list = value[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
};

export const field = (value: JsonObject, name: string): JsonObject => {
  const inner = value[name];
  return isJsonObject(inner) ? inner : {};
};

export function text(value: JsonObject, name: string): string {
  const found = value[name];
  if (typeof found === 'string' && found !== '') return found;
  throw new NotImportable(`${name} is missing`);
}
