import { isJsonObject } from '../../../../core/json/json.ts';

const LONGEST = 200;

/** A value as error texts of this wire show it, cut where it is long: clients in the field match on them. */
export const pythonText = (value: unknown): string =>
  (typeof value === 'string' ? value : written(value)).slice(0, LONGEST).toWellFormed();

function written(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return `'${value.slice(0, LONGEST).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.slice(0, LONGEST).map(written).join(', ')}]`;
  if (isJsonObject(value)) {
    return `{${Object.entries(value)
      .slice(0, LONGEST)
      .map(([key, inner]) => `${written(key)}: ${written(inner)}`)
      .join(', ')}}`;
  }
  return String(value);
}
