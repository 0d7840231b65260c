/** TypeScript types of a project's flags: keys, values and payloads, for the SDKs that code uses. The same flags, the same text. */
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { payloadSchema, schemaType, stringLiteral } from './payload-schema.ts';
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
    flags.map((flag) => `${commentOf(flag, stale)}  ${stringLiteral(flag.key)}: ${typeOf(flag)};\n`).join('');
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

/** What SDKs tell about a flag. */
${EXPORT} interface FeatureFlagAnswer<K extends FeatureFlagKey> {
  readonly key: K;
  readonly enabled: boolean;
  readonly variant?: Extract<FeatureFlags[K], string>;
  readonly payload?: FeatureFlagPayloads[K];
}

/** A key that is only known when the program runs. */
type AnyKey<K extends string> = K & (string extends K ? unknown : never);
/** A key in the code that is no flag. */
type WrongKey<K extends string> = K & (string extends K ? never : K extends FeatureFlagKey ? never : unknown);

// Signatures of the SDK stay, so that a wrong key is no error by itself: it gives void, which cannot be tested or compared.
// @ts-ignore: where the package is not installed
import type {} from ${stringLiteral('posthog-js')};
// @ts-ignore
declare module 'posthog-js' {
  interface PostHog {
    getFeatureFlag<K extends FeatureFlagKey>(key: K, options?: BrowserOptions): FeatureFlags[K] | undefined;
    getFeatureFlag<K extends string>(key: WrongKey<K>, options?: BrowserOptions): void;
    getFeatureFlagPayload<K extends FeatureFlagKey>(key: K): FeatureFlagPayloads[K] | undefined;
    getFeatureFlagPayload<K extends string>(key: WrongKey<K>): void;
    getFeatureFlagResult<K extends FeatureFlagKey>(key: K, options?: BrowserOptions): FeatureFlagAnswer<K> | undefined;
    getFeatureFlagResult<K extends string>(key: WrongKey<K>, options?: BrowserOptions): void;
    isFeatureEnabled<K extends string>(key: WrongKey<K>, options?: BrowserOptions & { defaultValue?: boolean }): void;
  }
}
interface BrowserOptions {
  send_event?: boolean;
  fresh?: boolean;
}

// The client's signatures are replaced: a wrong key is an error. Those of evaluateFlags() stay, as above.
// @ts-ignore: where the package is not installed
import type { FlagEvaluationOptions, IPostHog } from ${stringLiteral('posthog-node')};
// @ts-ignore
declare module 'posthog-node' {
  interface PostHog {
    getFeatureFlag<K extends FeatureFlagKey>(
      key: K,
      distinctId: string,
      options?: FlagEvaluationOptions,
    ): Promise<FeatureFlags[K] | undefined>;
    getFeatureFlag<K extends string>(
      key: AnyKey<K>,
      distinctId: string,
      options?: FlagEvaluationOptions,
    ): Promise<boolean | string | undefined>;
    getFeatureFlagPayload<K extends FeatureFlagKey>(
      key: K,
      distinctId: string,
      matchValue?: FeatureFlags[K],
      options?: FlagEvaluationOptions,
    ): Promise<FeatureFlagPayloads[K] | undefined>;
    getFeatureFlagPayload<K extends string>(
      key: AnyKey<K>,
      distinctId: string,
      matchValue?: boolean | string,
      options?: FlagEvaluationOptions,
    ): ReturnType<IPostHog['getFeatureFlagPayload']>;
    getFeatureFlagResult<K extends FeatureFlagKey>(
      key: K,
      distinctId: string,
      options?: FlagEvaluationOptions,
    ): Promise<FeatureFlagAnswer<K> | undefined>;
    getFeatureFlagResult<K extends FeatureFlagKey>(
      key: K,
      options?: FlagEvaluationOptions,
    ): Promise<FeatureFlagAnswer<K> | undefined>;
    getFeatureFlagResult<K extends string>(
      key: AnyKey<K>,
      distinctId: string,
      options?: FlagEvaluationOptions,
    ): ReturnType<IPostHog['getFeatureFlagResult']>;
    getFeatureFlagResult<K extends string>(
      key: AnyKey<K>,
      options?: FlagEvaluationOptions,
    ): ReturnType<IPostHog['getFeatureFlagResult']>;
    isFeatureEnabled<K extends string>(
      key: K extends FeatureFlagKey ? K : AnyKey<K>,
      distinctId: string,
      options?: FlagEvaluationOptions,
    ): Promise<boolean | undefined>;
  }
  interface FeatureFlagEvaluations {
    getFlag<K extends FeatureFlagKey>(key: K, options?: SnapshotOptions): FeatureFlags[K] | undefined;
    getFlag<K extends string>(key: WrongKey<K>, options?: SnapshotOptions): void;
    getFlagPayload<K extends FeatureFlagKey>(key: K): FeatureFlagPayloads[K] | undefined;
    getFlagPayload<K extends string>(key: WrongKey<K>): void;
    isEnabled<K extends string>(key: WrongKey<K>, options?: SnapshotOptions & { defaultValue?: boolean }): void;
  }
}
interface SnapshotOptions {
  sendFeatureFlagEvents?: boolean;
}

// The way that OpenFeature documents: keys that are not here are errors.
// @ts-ignore: where the package is not installed
import type {} from ${stringLiteral('@openfeature/core')};
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

const union = (texts: readonly string[]): string =>
  texts.length === 0 ? 'never' : texts.map(stringLiteral).join(' | ');

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
function valuesOf(flag: PortableFlag): (string | boolean)[] {
  const isOptIn = Boolean(flag.filters['feature_enrollment'] || flag.filters['super_groups']);
  return [...variantKeys(flag), ...(isOptIn ? [true] : []), false];
}

const valueType = (flag: PortableFlag): string =>
  isBooleanFlag(flag)
    ? 'boolean'
    : valuesOf(flag)
        .map((value) => (typeof value === 'string' ? stringLiteral(value) : String(value)))
        .join(' | ');

function payloadType({ filters }: PortableFlag): string {
  const schema = payloadSchema(filters);
  return schema === null ? 'null' : `${schemaType(schema)} | null`;
}

/** The same as a JSON Schema: of an object with the values of all flags; those of payloads are in `$defs`. */
export function generateFlagSchema(flags: readonly PortableFlag[], { version, stale }: TypeOptions): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: `Definitions version ${version}. Written by "cairn flags types": run it again instead of editing.`,
    type: 'object',
    properties: Object.fromEntries(flags.map((flag) => [flag.key, valueSchema(flag, stale)])),
    additionalProperties: false,
    $defs: {
      payloads: {
        type: 'object',
        properties: Object.fromEntries(flags.map(({ key, filters }) => [key, orNull(payloadSchema(filters))])),
        additionalProperties: false,
      },
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const valueSchema = (flag: PortableFlag, stale: ReadonlySet<string>): JsonObject => ({
  ...(flag.name === '' ? {} : { description: flag.name }),
  ...(stale.has(flag.key) ? { deprecated: true } : {}),
  ...(isBooleanFlag(flag) ? { type: 'boolean' } : { enum: valuesOf(flag) }),
});

const orNull = (schema: JsonObject | null): JsonObject =>
  schema === null ? { type: 'null' } : { anyOf: [schema, { type: 'null' }] };
