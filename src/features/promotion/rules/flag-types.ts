/** TypeScript types of a project's flags: keys, values and payloads, for the SDKs that code uses. The same flags, the same text. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import type { PortableFlag } from './portable-flag.ts';

interface TypeOptions {
  /** Of the definitions; it is in the first line. */
  version: number;
  /** Keys of flags that code need not ask for any more. */
  stale: ReadonlySet<string>;
}

/** Of the file that is written, not of this one. */
const EXPORT = 'export';

export function generateFlagTypes(flags: readonly PortableFlag[], { version, stale }: TypeOptions): string {
  const fields = (typeOf: (flag: PortableFlag) => string): string =>
    flags.map((flag) => `${commentOf(flag, stale)}  ${quote(flag.key)}: ${typeOf(flag)};\n`).join('');
  const keys = (isOfKind: (flag: PortableFlag) => boolean): string =>
    union(flags.filter(isOfKind).map((flag) => flag.key));
  return `// Definitions version ${version}. Written by "cairn flags types": run it again instead of editing.

/** Every feature flag, with the values that it can have. */
${EXPORT} interface FeatureFlags {
${fields(valueType)}}

/** What comes with a flag that is on. */
${EXPORT} interface FeatureFlagPayloads {
${fields(payloadType)}}

${EXPORT} type FeatureFlagKey = keyof FeatureFlags;

// @ts-ignore: where the package is not installed
import type {} from ${quote('posthog-js')};
// @ts-ignore
declare module 'posthog-js' {
  interface PostHog {
    getFeatureFlag<K extends FeatureFlagKey>(key: K, options?: { send_event?: boolean }): FeatureFlags[K] | undefined;
    getFeatureFlagPayload<K extends FeatureFlagKey>(key: K): FeatureFlagPayloads[K] | undefined;
  }
}

// @ts-ignore: where the package is not installed
import type {} from ${quote('posthog-node')};
// @ts-ignore
declare module 'posthog-node' {
  interface PostHog {
    getFeatureFlag<K extends FeatureFlagKey>(
      key: K,
      distinctId: string,
      options?: { groups?: Record<string, string> },
    ): Promise<FeatureFlags[K] | undefined>;
  }
}

// The way that OpenFeature documents: keys that are not here are errors.
// @ts-ignore: where the package is not installed
import type {} from ${quote('@openfeature/core')};
// @ts-ignore
declare module '@openfeature/core' {
  // @ts-ignore: it replaces the type of the package
  export type BooleanFlagKey = ${keys(isBooleanFlag)};
  // @ts-ignore: it replaces the type of the package
  export type StringFlagKey = ${keys((flag) => !isBooleanFlag(flag))};
  // @ts-ignore: it replaces the type of the package
  export type ObjectFlagKey = ${keys(({ filters }) => isJsonObject(filters['payloads']))};
}
`;
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const union = (texts: readonly string[]): string => (texts.length === 0 ? 'never' : texts.map(quote).join(' | '));

function commentOf({ key, name }: PortableFlag, stale: ReadonlySet<string>): string {
  const text = name.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  const lines = [
    ...(text === '' ? [] : [text]),
    ...(stale.has(key) ? ['@deprecated It is stale: remove it from code.'] : []),
  ];
  return lines.length === 0 ? '' : `  /** ${lines.join(' ')} */\n`;
}

const variantKeys = ({ filters: { multivariate } }: PortableFlag): string[] => {
  const variants = isJsonObject(multivariate) ? multivariate['variants'] : [];
  const list = Array.isArray(variants) ? variants.filter(isJsonObject) : [];
  return [...new Set(list.map(({ key }) => String(key)))];
};

const isBooleanFlag = (flag: PortableFlag): boolean => variantKeys(flag).length === 0;

/** Early access turns a flag with variants on without one. */
function valueType(flag: PortableFlag): string {
  const variants = variantKeys(flag);
  if (variants.length === 0) return 'boolean';
  const isOptIn = Boolean(flag.filters['feature_enrollment'] || flag.filters['super_groups']);
  return [...variants.map(quote), ...(isOptIn ? ['true'] : []), 'false'].join(' | ');
}

function payloadType({ filters: { payloads } }: PortableFlag): string {
  const values = isJsonObject(payloads) ? Object.values(payloads) : [];
  const types = [...new Set(values.map((value) => jsonType(parsePayload(value), 0)))].sort();
  return types.length === 0 ? 'null' : `${types.join(' | ')} | null`;
}

/** Payloads are JSON, JSON in a text as consoles store it, or plain text. */
function parsePayload(value: Json): Json {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const MAX_TYPE_DEPTH = 12;

function jsonType(value: Json, depth: number): string {
  if (value === null) return 'null';
  if (depth > MAX_TYPE_DEPTH) return 'unknown';
  if (Array.isArray(value)) {
    const items = [...new Set(value.map((item) => jsonType(item, depth + 1)))].sort();
    return items.length === 0 ? 'unknown[]' : `(${items.join(' | ')})[]`;
  }
  if (isJsonObject(value)) return objectType(value, depth);
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function objectType(value: JsonObject, depth: number): string {
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{ ${fields.map(([key, item]) => `${quote(key)}: ${jsonType(item, depth + 1)}`).join('; ')} }`;
}
