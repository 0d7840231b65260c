/**
 * The published evaluators of other products, for proof that imported flags have equal values. They are optional
 * packages: only whoever asks for the proof needs one of them. None of them sends or fetches anything.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as GrowthBookSdk from '@growthbook/growthbook';
import type * as LaunchDarklySdk from '@launchdarkly/node-server-sdk';
import type * as FlagdSdk from '@openfeature/flagd-core';
import type * as UnleashSdk from 'unleash-client';
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import type { ComparedUser } from '../rules/import/compare-users.ts';
import type { ImportSource } from '../rules/import/import-source.ts';
import { launchDarklySdkData } from '../rules/import/launchdarkly.ts';
import { field } from '../rules/import/read-json.ts';
import { unleashSdkFeatures } from '../rules/import/unleash.ts';

export interface VendorEvaluator {
  /** The package. */
  name: string;
  evaluate(key: string, user: ComparedUser): Promise<VendorValue>;
  close(): Promise<void>;
}

/** `variant`: the value of the flag itself. `value`: what callers get, where that is something else. */
export type VendorValue = { variant: boolean | string; payload: Json } | { value: unknown };

type Open = (data: JsonObject, environment: string, now: number) => Promise<Omit<VendorEvaluator, 'name'>>;

const EVALUATORS: Partial<Record<ImportSource, { name: string; open: Open }>> = {
  unleash: { name: 'unleash-client', open: openUnleash },
  growthbook: { name: '@growthbook/growthbook', open: openGrowthBook },
  launchdarkly: { name: '@launchdarkly/node-server-sdk', open: openLaunchDarkly },
  flagd: { name: '@openfeature/flagd-core', open: openFlagd },
};

export async function openEvaluator(
  source: ImportSource,
  data: JsonObject,
  environment: string,
  now: number,
): Promise<VendorEvaluator> {
  const found = EVALUATORS[source];
  if (!found) throw invalid('source', `There is nothing to compare: flags of ${source} are hashed as here.`);
  return { name: found.name, ...(await found.open(data, environment, now)) };
}

/** By a name that is no text in the code, so that it is not bundled. */
async function load<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw invalid('source', `To compare values, install the evaluator of this product: npm install ${name}`);
  }
}

const nothing = async (): Promise<void> => undefined;

async function openUnleash(data: JsonObject, environment: string, now: number) {
  const { InMemStorageProvider, Unleash } = await load<typeof UnleashSdk>('unleash-client');
  const unleash = new Unleash({
    url: 'http://127.0.0.1:9/',
    appName: 'cairn',
    disableMetrics: true,
    refreshInterval: 0,
    storageProvider: new InMemStorageProvider(),
    bootstrap: {
      data: unleashSdkFeatures(data, environment) as never,
      segments: (Array.isArray(data['segments']) ? data['segments'] : []) as never,
    },
  });
  unleash.on('error', () => undefined);
  unleash.on('warn', () => undefined);
  await new Promise<void>((resolve) => unleash.once('ready', () => resolve()));
  return {
    async evaluate(key: string, { distinctId, properties }: ComparedUser): Promise<VendorValue> {
      const given = Object.entries(properties).filter(([, value]) => value !== null);
      const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
      const context = { userId: distinctId, properties: texts, currentTime: new Date(now) };
      const { enabled, name, payload } = unleash.getVariant(key, context);
      if (!enabled) return { variant: unleash.isEnabled(key, context), payload: null };
      const { type = 'string', value = null } = (payload ?? {}) as { type?: string; value?: string | null };
      return { variant: name, payload: type === 'json' ? JSON.parse(String(value)) : value };
    },
    close: async () => unleash.destroy(),
  };
}

async function openGrowthBook(data: JsonObject) {
  const { GrowthBookClient } = await load<typeof GrowthBookSdk>('@growthbook/growthbook');
  const client = new GrowthBookClient().initSync({ payload: data as never });
  const features = field(data, 'features');
  return {
    async evaluate(key: string, { distinctId, properties }: ComparedUser): Promise<VendorValue> {
      const { value } = client.evalFeature(key, { attributes: { id: distinctId, ...properties } });
      // Blocked by a prerequisite: a boolean flag is false then.
      const isOff = value === null && typeof field(features, key)['defaultValue'] === 'boolean';
      return { value: isOff ? false : value };
    },
    close: nothing,
  };
}

async function openLaunchDarkly(data: JsonObject, environment: string) {
  const { init, integrations } = await load<typeof LaunchDarklySdk>('@launchdarkly/node-server-sdk');
  const folder = await mkdtemp(join(tmpdir(), 'cairn-flags-'));
  const path = join(folder, 'flags.json');
  await writeFile(path, JSON.stringify(launchDarklySdkData(data, environment)));
  const client = init('sdk-key', {
    updateProcessor: new integrations.FileDataSourceFactory({ paths: [path] }).getFactory(),
    sendEvents: false,
    diagnosticOptOut: true,
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined },
  });
  await client.waitForInitialization({ timeout: 10 });
  return {
    evaluate: async (key: string, { distinctId, properties }: ComparedUser): Promise<VendorValue> => ({
      value: await client.variation(key, { kind: 'user', ...properties, key: distinctId }, null),
    }),
    async close() {
      client.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function openFlagd(data: JsonObject) {
  const { FlagdCore } = await load<typeof FlagdSdk>('@openfeature/flagd-core');
  const core = new FlagdCore();
  core.setConfigurations(JSON.stringify(data));
  return {
    evaluate: async (key: string, { distinctId, properties }: ComparedUser): Promise<VendorValue> => ({
      value: core.getFlag(key)?.evaluate({ targetingKey: distinctId, ...properties } as never).value,
    }),
    close: nothing,
  };
}

export const isVariant = (value: VendorValue): value is { variant: boolean | string; payload: Json } =>
  isJsonObject(value as Json) && 'variant' in value;
