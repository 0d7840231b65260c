import { isJsonObject, type Json } from '../../../../core/json/json.ts';
import { invalidFilters } from './flag-rule.ts';

/** Payloads are JSON values, or texts that hold JSON as consoles write them; both are kept as they are. */
export function checkPayloads(payloads: Json | undefined, variants: ReadonlySet<string>): void {
  if (payloads === null || payloads === undefined) return;
  if (!isJsonObject(payloads)) throw invalidFilters('Payloads must be passed as a dictionary');
  const keys = Object.keys(payloads);
  if (variants.size > 0 && !keys.every((key) => variants.has(key))) {
    throw invalidFilters('Payload keys must match a variant key for multivariate flags');
  }
  if (variants.size === 0 && !keys.every((key) => key === 'true')) {
    throw invalidFilters("Payload keys must be 'true' for boolean flags");
  }
  if (!Object.values(payloads).every(isReadable)) throw invalidFilters('Payload value is not valid JSON');
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
