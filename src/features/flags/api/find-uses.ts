import { MINUTE_MS } from '../../../core/time/units.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { reportedUsage } from '../usage/reported-usage.ts';
import type { UsageInterval, Use } from '../usage/usage-report.ts';
import type { FlagRouteDeps } from './deps.ts';

export interface UsageQuestion {
  from: number;
  to: number;
  interval: UsageInterval;
  by: 'value' | 'source' | 'origin';
  origin: 'server' | 'sdk';
}

/** Evaluations of a flag, by this server and as SDKs reported them; `by` origin: both. */
export async function findUses(
  deps: FlagRouteDeps,
  project: Project,
  flag: FeatureFlag,
  { from, to, interval, by, origin }: UsageQuestion,
): Promise<Use[]> {
  const counted = async (): Promise<Use[]> =>
    // From the bucket that contains the start.
    (await deps.metadata.flagUsage.list(project.id, flag.id, from - (from % MINUTE_MS), to)).map((use) => ({
      ...use,
      origin: 'server',
    }));
  const reported = async (): Promise<Use[]> =>
    (await reportedUsage(deps, project.id, flag.key, { from, to }, interval)).map((use) => ({ ...use, origin: 'sdk' }));
  const [here, elsewhere] = await Promise.all([
    by === 'origin' || origin === 'server' ? counted() : [],
    by === 'origin' || origin === 'sdk' ? reported() : [],
  ]);
  return [...here, ...elsewhere];
}
