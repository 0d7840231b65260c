import { type Failure, invalid } from '../../../../core/errors.ts';
import { isJsonObject } from '../../../../core/json/json.ts';

const MAX_TEXT_LENGTH = 200;

export const invalidFlagFilters = (detail: string, code?: string): Failure => invalid('filters', detail, code);

/** A value in the notation of error messages that clients match on, cut if it is long. */
export const pythonText = (value: unknown): string =>
  (typeof value === 'string' ? value : formatted(value)).slice(0, MAX_TEXT_LENGTH).toWellFormed();

function formatted(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string')
    return `'${value.slice(0, MAX_TEXT_LENGTH).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.slice(0, MAX_TEXT_LENGTH).map(formatted).join(', ')}]`;
  if (isJsonObject(value)) {
    return `{${Object.entries(value)
      .slice(0, MAX_TEXT_LENGTH)
      .map(([key, inner]) => `${formatted(key)}: ${formatted(inner)}`)
      .join(', ')}}`;
  }
  return String(value);
}
