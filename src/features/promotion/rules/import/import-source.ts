/** The products whose flags can be imported, and a helpful error for data that is of none or of another one. */
import { invalid } from '../../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts';
import { field, items } from './read-json.ts';

export const IMPORT_SOURCES = ['unleash', 'growthbook', 'launchdarkly', 'posthog', 'flagd'] as const;
export type ImportSource = (typeof IMPORT_SOURCES)[number];

const NAMES: Record<ImportSource, string> = {
  unleash: 'Unleash',
  growthbook: 'GrowthBook',
  launchdarkly: 'LaunchDarkly',
  posthog: 'PostHog',
  flagd: 'flagd',
};

const FLAGS_ARE_IN: Record<ImportSource, string> = {
  unleash: '"features", with "featureStrategies" and "featureEnvironments"',
  growthbook: '"features"',
  launchdarkly: '"items" or "flags"',
  posthog: '"results" or "flags"',
  flagd: '"flags"',
};

const flagsByKey = (data: JsonObject): JsonObject[] => Object.values(field(data, 'flags')).filter(isJsonObject);

const HAS_FORM_OF: Record<ImportSource, (data: JsonObject) => boolean> = {
  unleash: (data) => Array.isArray(data['features']) && ('featureStrategies' in data || 'featureEnvironments' in data),
  growthbook: (data) => isJsonObject(data['features']) || isEncrypted(data),
  launchdarkly: (data) =>
    [...items(data, 'items'), ...flagsByKey(data)].some(({ variations }) => Array.isArray(variations)),
  posthog: (data) => Array.isArray(data['results']) || Array.isArray(data['flags']),
  flagd: (data) => flagsByKey(data).some(({ variants }) => isJsonObject(variants)),
};

const isEncrypted = (data: JsonObject): boolean => typeof data['encryptedFeatures'] === 'string';

/** Null if it looks like none of them, or like several. */
function recognizeSource(data: JsonObject): ImportSource | null {
  const found = IMPORT_SOURCES.filter((source) => HAS_FORM_OF[source](data));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** For data of which no flag could be read. */
export function requireSource(source: ImportSource, data: JsonObject, hasFlags: boolean): void {
  const other = recognizeSource(data);
  if (other !== null && other !== source) {
    const message = `This looks like an export of ${NAMES[other]}, not of ${NAMES[source]}. Import it as ${NAMES[other]}.`;
    throw invalid('data', message, 'other_source');
  }
  if (hasFlags) return;
  if (isEncrypted(data)) {
    const message =
      'The payload is encrypted. Turn off the encryption of the SDK connection, and get its payload again.';
    throw invalid('data', message, 'encrypted');
  }
  const where = FLAGS_ARE_IN[source];
  throw invalid('data', `There are no flags in it. An export of ${NAMES[source]} has them in ${where}.`, 'no_flags');
}
