/** Changes of flags, from the activity log. */
import type { JsonObject } from '../../../core/json/json.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { Range } from '../../../core/time/range.ts';
import type { Activity, Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { AlertConfig } from '../rules/alert-definition.ts';

export interface FlagChangeDeps {
  metadata: MetadataStore;
}

interface FlagChange {
  at: number;
  text: string;
}

const SCOPE = 'FeatureFlag';
/** Of a range; later ones count, earlier ones are left out. */
const MAX_CHANGES = 1000;

type FlagChangeConfig = Extract<AlertConfig, { type: 'FlagChangeConfig' }>;

export async function listFlagChanges(
  { metadata }: FlagChangeDeps,
  { id, organizationId }: Project,
  config: FlagChangeConfig,
  { from, until }: Range,
): Promise<FlagChange[]> {
  const about = { organizationId, projectId: id, scopes: [SCOPE], after: from, before: until - 1 };
  const { items } = await metadata.activity.list(about, { limit: MAX_CHANGES, offset: 0 });
  const watched = await watchedFlags(metadata, id, config);
  return items.flatMap((entry) => {
    if (watched !== null && !watched.has(Number(entry.itemId))) return [];
    const kind = kindOfChange(entry);
    if (kind === null || !config.kinds.includes(kind)) return [];
    return [{ at: entry.createdAt, text: `${entry.detail.name ?? 'A flag'}: ${WORDS[kind]}` }];
  });
}

/** Null: all. Flags have the tags of now, also when the change took one away. */
async function watchedFlags(
  { flags }: MetadataStore,
  projectId: number,
  { flagIds, tags }: FlagChangeConfig,
): Promise<ReadonlySet<number> | null> {
  if (tags === undefined) return flagIds && new Set(flagIds);
  const tagged = (await flags.listByProject(projectId)).filter((flag) => flag.tags.some((tag) => tags.includes(tag)));
  return new Set([...(flagIds ?? []), ...tagged.map(({ id }) => id)]);
}

const WORDS: Record<FlagChangeConfig['kinds'][number], string> = {
  active: 'enabled or disabled',
  rollout: 'release conditions changed',
  variants: 'variants changed',
  rollback: 'rolled back',
};

function kindOfChange({ detail: { changes, trigger } }: Activity): FlagChangeConfig['kinds'][number] | null {
  if (trigger?.['job_type'] === 'rollback') return 'rollback';
  const change = (field: string) => changes?.find((one) => one.field === field);
  if (change('active') !== undefined) return 'active';
  const filters = change('filters');
  if (filters === undefined) return null;
  const variants = (value: unknown): string =>
    JSON.stringify((isJsonObject(value as JsonObject) ? (value as JsonObject)['multivariate'] : null) ?? null);
  return variants(filters.before) === variants(filters.after) ? 'rollout' : 'variants';
}
