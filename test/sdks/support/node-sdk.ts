/** One face for posthog-node of every age: what differs between them is said here, and nowhere else. */
import { createRequire as requireFrom } from 'node:module';
import type { World } from './world.ts';

const require = requireFrom(import.meta.url);

interface Asking {
  groups?: Record<string, string>;
  personProperties?: Record<string, string>;
  groupProperties?: Record<string, Record<string, string>>;
  onlyEvaluateLocally?: boolean;
  sendFeatureFlagEvents?: boolean;
}

/** The methods of the packages themselves; not every age has each. */
export interface NodeSdk {
  capture(message: object): void;
  identify(message: object): void;
  alias(message: object): void;
  groupIdentify(message: object): void;
  getFeatureFlag(key: string, distinctId: string, options?: Asking): Promise<unknown>;
  getFeatureFlagPayload(key: string, distinctId: string, matchValue?: unknown, options?: Asking): Promise<unknown>;
  isFeatureEnabled(key: string, distinctId: string, options?: Asking | boolean): Promise<unknown>;
  getAllFlags(distinctId: string, options?: Asking): Promise<Record<string, unknown>>;
  getAllFlagsAndPayloads(
    distinctId: string,
    options?: Asking,
  ): Promise<{ featureFlags: Record<string, unknown>; featureFlagPayloads: Record<string, unknown> }>;
  reloadFeatureFlags(): Promise<void>;
  optOut?(): unknown;
  disable?(): unknown;
  shutdown(): unknown;
  shutdownAsync?(): Promise<void>;
  on?(event: 'error', listener: (error: unknown) => void): unknown;
}

type Constructor = new (key: string, options: object) => NodeSdk;

/** Asks for nothing again by itself while a test runs. */
const SELDOM = 3_600_000;

export function openNodeSdk(alias: string, { projectKey, relay }: World, options: object = {}): NodeSdk {
  const loaded = require(alias) as Constructor | { PostHog: Constructor };
  const PostHog = 'PostHog' in loaded ? loaded.PostHog : loaded;
  return new PostHog(projectKey, {
    host: relay.url,
    flushAt: 20,
    flushInterval: 60_000,
    fetchRetryDelay: 50,
    featureFlagsPollingInterval: SELDOM,
    ...options,
  });
}

/** Ends with everything sent. */
export async function shutDown(sdk: NodeSdk, world: World): Promise<void> {
  const before = uploads(world);
  await (sdk.shutdownAsync?.() ?? sdk.shutdown());
  // The first version returns no promise: its upload is still running.
  const end = performance.now() + 5000;
  while (uploads(world) === before && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
}

const uploads = ({ relay }: World): number =>
  relay.requestLines().filter((one) => one === 'POST /batch/' || one === 'POST /i/v1/analytics/events').length;
