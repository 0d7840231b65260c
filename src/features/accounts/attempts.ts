/**
 * Limits attempts by name, such as an account or a network, in a sliding window. The times are in the metadata store, so the
 * limits hold for all nodes together and after a restart, and no flood of other names makes them forgotten.
 */
import type { Clock } from '../../lib/clock.ts';
import { digest } from '../../lib/secrets.ts';
import { throttled } from '../../lib/throttle.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

export interface Limit {
  /** Addresses of people and networks may be part of it: only its digest is stored. */
  name: string;
  max: number;
  windowMs: number;
}

interface AttemptDeps {
  metadata: Pick<MetadataStore, 'throttles' | 'transaction'>;
  clock: Clock;
}

/** Counts an attempt under all of the limits, or throws if one of them is reached. Parallel attempts are counted. */
export async function countAttempt({ metadata, clock }: AttemptDeps, limits: readonly Limit[]): Promise<void> {
  const now = clock.now();
  // Most attempts of a flood end here, without a transaction.
  await refuseBeyond(metadata.throttles, limits, now);
  await metadata.transaction(async ({ throttles }) => {
    await refuseBeyond(throttles, limits, now);
    for (const limit of limits) {
      const attempts = [...(await recentAttempts(throttles, limit, now)), now];
      await throttles.set(digest(limit.name), attempts.slice(-limit.max), now + limit.windowMs);
    }
  });
}

/** Forgets the attempts, after a success. */
export async function forgetAttempts({ metadata }: AttemptDeps, names: readonly string[]): Promise<void> {
  for (const name of names) await metadata.throttles.delete(digest(name));
}

type Throttles = MetadataStore['throttles'];

async function refuseBeyond(throttles: Throttles, limits: readonly Limit[], now: number): Promise<void> {
  const waits = await Promise.all(
    limits.map(async (limit) => {
      const oldest = (await recentAttempts(throttles, limit, now)).at(-limit.max);
      return oldest === undefined ? 0 : Math.ceil((oldest + limit.windowMs - now) / 1000);
    }),
  );
  const wait = Math.max(...waits);
  if (wait > 0) throw throttled(wait);
}

const recentAttempts = async (throttles: Throttles, { name, windowMs }: Limit, now: number): Promise<number[]> =>
  (await throttles.get(digest(name))).filter((at) => at > now - windowMs);
