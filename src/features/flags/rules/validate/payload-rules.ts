import { isJsonObject, type Json } from '../../../../core/json/json.ts';
import { invalidFlagFilters } from './filter-errors.ts';

/** Payloads are JSON values, or JSON in a string as consoles send it; both are stored unchanged. */
export function checkPayloads(payloads: Json | undefined, variants: ReadonlySet<string>): void {
  if (payloads === null || payloads === undefined) return;
  if (!isJsonObject(payloads)) throw invalidFlagFilters('Payloads must be passed as a dictionary');
  const keys = Object.keys(payloads);
  if (variants.size > 0 && !keys.every((key) => variants.has(key))) {
    throw invalidFlagFilters('Payload keys must match a variant key for multivariate flags');
  }
  if (variants.size === 0 && !keys.every((key) => key === 'true')) {
    throw invalidFlagFilters("Payload keys must be 'true' for boolean flags");
  }
  if (!Object.values(payloads).every(isReadable)) throw invalidFlagFilters('Payload value is not valid JSON');
}

function isReadable(payload: Json): boolean {
  if (typeof payload !== 'string') return true;
  try {
    JSON.parse(payload);
    return true;
  } catch {
    return false;
  }
}
