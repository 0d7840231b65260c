/** How a flag takes part in early access: persons who have opted in get it, those who have opted out do not. */
import { invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';

export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;
export type Stage = (typeof STAGES)[number];

/** In these stages, what persons have chosen decides. */
const OPEN_STAGES: readonly Stage[] = ['concept', 'alpha', 'beta', 'general-availability'];

export const isOpen = (stage: Stage): boolean => OPEN_STAGES.includes(stage);

/** Asked for by SDKs that name no stage. */
const DEFAULT_STAGES: readonly Stage[] = ['beta'];

/** The stages of a list that SDKs may see; unknown ones are ignored. */
export const publicStages = (asked: readonly string[]): readonly Stage[] =>
  asked.length === 0 ? DEFAULT_STAGES : OPEN_STAGES.filter((stage) => asked.includes(stage));

/** The filters of a flag with early access, or without. Conditions stay as they are. */
export function withEnrollment(filters: JsonObject, flagKey: string, isEnrolling: boolean): JsonObject {
  const { super_groups: _, feature_enrollment: __, ...rest } = filters;
  if (!isEnrolling) return rest;
  const choice = { key: `$feature_enrollment/${flagKey}`, type: 'person', operator: 'exact', value: ['true'] };
  return { ...rest, super_groups: [{ properties: [choice], rollout_percentage: 100 }] };
}

/** Choices are made by persons, and say yes or no. */
export function checkCanEnroll(filters: JsonObject): void {
  const groups = Array.isArray(filters['groups']) ? filters['groups'] : [];
  const byGroup = [filters, ...groups].some((part) => indexOf(part as JsonObject) !== null);
  if (byGroup)
    throw invalid(
      'feature_flag_id',
      'Persons opt in to early access, and this flag is matched by group. Choose a flag that is matched by person.',
    );
  const { multivariate } = filters as { multivariate?: { variants?: unknown[] } | null };
  if ((multivariate?.variants?.length ?? 0) > 0)
    throw invalid(
      'feature_flag_id',
      'Persons opt in or out, and this flag has variants. Choose a flag without variants.',
    );
}

const indexOf = (part: JsonObject): unknown => part?.['aggregation_group_type_index'] ?? null;

const MAX_KEY_LENGTH = 100;

/** The key of the flag that is made for a feature: `Dark mode (new)` becomes `dark-mode-new`. */
export function keyFromName(name: string): string {
  const key = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_KEY_LENGTH)
    .replace(/-+$/, '');
  if (key !== '') return key;
  throw invalid('name', 'No key can be made of this name: use letters or digits, or choose a flag (feature_flag_id).');
}
