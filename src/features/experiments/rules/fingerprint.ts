import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

/** What is only shown. */
const SHOWN = ['uuid', 'name', 'fingerprint'];
/** The settings that change the numbers of every metric. */
const SHARED = ['exposure_criteria', 'stats_config', 'only_count_matured_users', 'excluded_variants'] as const;

/** The same for two metrics exactly if the same question was asked of the same time. */
export function metricFingerprint(metric: JsonObject, settings: JsonObject, startDate: number | null): string {
  const asked = Object.fromEntries(Object.entries(metric).filter(([name]) => !SHOWN.includes(name)));
  const shared = SHARED.map((name) => settings[name] ?? null);
  return createHash('sha256')
    .update(stableText([asked, shared, startDate]))
    .digest('hex');
}

/** JSON with the fields of objects in the order of their names. */
function stableText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${stableText(value[name] ?? null)}`);
  return `{${fields.join(',')}}`;
}

/** Metrics of a list, each with its fingerprint. */
export const withFingerprints = (metrics: readonly Json[], settings: JsonObject, startDate: number | null): Json[] =>
  metrics.map((metric) =>
    isJsonObject(metric) ? { ...metric, fingerprint: metricFingerprint(metric, settings, startDate) } : metric,
  );
