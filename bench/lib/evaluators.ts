/** Flag evaluators to compare: a batch is every flag for every person. */
import { hash } from 'node:crypto';
import { type FeatureDefinition, GrowthBookClient } from '@growthbook/growthbook';
import { FlagdCore } from '@openfeature/flagd-core';
import { PostHog } from 'posthog-node';
import { bucket, encodeKey } from '../../src/features/flags/rules/bucket.ts';
import { prepareFlags } from '../../src/features/flags/rules/compile/prepare-flags.ts';
import { evaluate } from '../../src/features/flags/rules/evaluate/evaluate.ts';
import {
  type FlagPerson,
  flagdConfiguration,
  flagKeys,
  growthBookFeatures,
  type Scenario,
  wireFlags,
} from './flag-scenarios.ts';
import type { Contender } from './race.ts';

export interface Batch {
  scenario: Scenario;
  flags: number;
  people: readonly FlagPerson[];
}

const NO_GROUPS = new Map<number, never>();
const NO_COHORTS = new Set<number>();
const NO_OVERRIDES = new Map<string, string>();

export function cairn({ scenario, flags, people }: Batch): Contender {
  const prepared = prepareFlags({ flags: wireFlags(scenario, flags), cohorts: [], groupTypes: new Map() });
  const run = (): number => {
    let on = 0;
    for (const { id, properties } of people) {
      const results = evaluate(prepared, {
        distinctId: id,
        deviceId: null,
        properties,
        groups: NO_GROUPS,
        staticCohorts: NO_COHORTS,
        overrides: NO_OVERRIDES,
        now: 0,
      });
      for (const { value } of results) if (value !== false) on++;
    }
    return on;
  };
  return { name: 'cairn', run };
}

/** Only the SHA-1 hashes that the rollouts and variants of this batch need, of prepared strings. */
export function bareSha1({ scenario, flags, people }: Batch): Contender {
  const texts = flagKeys(flags).flatMap((key) => {
    return people
      .filter(({ properties }) => scenario !== 'property' || properties.plan === 'pro')
      .flatMap(({ id }) => {
        const isIn = scenario === 'multivariate' && bucket(encodeKey(`${key}.`), id, '') <= 0.5;
        return isIn ? [`${key}.${id}`, `${key}.${id}variant`] : [`${key}.${id}`];
      });
  });
  // V8 joins concatenated strings on first read; do that before measuring.
  const flat = texts.map((text) => Buffer.from(text).toString());
  const run = (): number => flat.reduce((sum, text) => sum + hash('sha1', text, 'hex').length, 0);
  return { name: 'bareSha1', run };
}

export function growthBook({ scenario, flags, people }: Batch): Contender {
  const client = new GrowthBookClient();
  const features = growthBookFeatures(scenario, flags) as Record<string, FeatureDefinition>;
  client.initSync({ payload: { features } });
  const keys = flagKeys(flags);
  const run = (): number => {
    let on = 0;
    for (const { id, properties } of people) {
      const context = { attributes: { id, ...properties } };
      for (const key of keys) if (client.evalFeature(key, context).on) on++;
    }
    return on;
  };
  return { name: 'growthBook', run };
}

export function flagd({ scenario, flags, people }: Batch): Contender {
  const core = new FlagdCore();
  core.setConfigurations(flagdConfiguration(scenario, flags));
  const keys = flagKeys(flags);
  const isMultivariate = scenario === 'multivariate';
  const run = (): number => {
    let on = 0;
    for (const { id, properties } of people) {
      const context = { targetingKey: id, ...properties };
      for (const key of keys) {
        const isOn = isMultivariate
          ? core.resolveStringEvaluation(key, 'off', context).value !== 'off'
          : core.resolveBooleanEvaluation(key, false, context).value;
        if (isOn) on++;
      }
    }
    return on;
  };
  return { name: 'flagd', run };
}

/** Its definitions come from a stubbed fetch; it makes no network requests. */
export async function postHogNode({
  scenario,
  flags,
  people,
}: Batch): Promise<Contender & { stop: () => Promise<void> }> {
  const definitions = wireFlags(scenario, flags).map(({ id, key, active, filters }) => ({ id, key, active, filters }));
  const answer = { flags: definitions, group_type_mapping: {}, cohorts: {} };
  const client = new PostHog('phc_bench', {
    host: 'http://bench.invalid',
    personalApiKey: 'phx_bench',
    fetch: async () => new Response(JSON.stringify(answer), { status: 200 }) as never,
    featureFlagsPollingInterval: 3_600_000,
  });
  await client.reloadFeatureFlags();
  const run = async (): Promise<number> => {
    let on = 0;
    for (const { id, properties } of people) {
      const values = await client.getAllFlags(id, { personProperties: properties, onlyEvaluateLocally: true });
      for (const value of Object.values(values)) if (value !== false) on++;
    }
    return on;
  };
  return { name: 'postHogNode', run, stop: () => client.shutdown() };
}
