import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { variantsOf } from '../../flags/rules/filters-shape.ts';

/** The variants of a flag with their shares in percent. */
export const flagVariants = (filters: JsonObject): { key: string; weight: number }[] =>
  variantsOf(filters).flatMap(({ key, rollout_percentage: share }) =>
    typeof key === 'string' ? [{ key, weight: typeof share === 'number' ? share : 0 }] : [],
  );

/** An experiment needs two or more variants, one of them `control`. */
export function canBeMeasured(filters: JsonObject): boolean {
  const keys = flagVariants(filters).map(({ key }) => key);
  return keys.length >= 2 && keys.includes('control');
}

/** The variants as the parameters of an experiment have them. */
export const flagVariantsAsSent = (filters: JsonObject): JsonObject[] =>
  flagVariants(filters).map(({ key, weight }) => ({ key, rollout_percentage: weight, split_percent: weight }));

const DEFAULT_VARIANTS: readonly Json[] = [
  { key: 'control', rollout_percentage: 50 },
  { key: 'test', rollout_percentage: 50 },
];

const MAX_VARIANTS = 20;

/** The flag that is made for an experiment: everybody, split between the variants, off until the launch. */
export function newFlag({ parameters = {} }: JsonObject) {
  const given = isJsonObject(parameters) ? parameters : {};
  const variants = given['feature_flag_variants'] ?? DEFAULT_VARIANTS;
  if (!Array.isArray(variants) || variants.length < 2 || variants.length > MAX_VARIANTS)
    throw invalid('parameters__feature_flag_variants', `An experiment has 2 to ${MAX_VARIANTS} variants.`);
  const read = variants.map((variant) => {
    const {
      key = null,
      name = null,
      rollout_percentage: share = null,
      split_percent: split = null,
    } = isJsonObject(variant) ? variant : {};
    return { key, name, rollout_percentage: split ?? share };
  });
  if (!read.some(({ key }) => key === 'control'))
    throw invalid('parameters__feature_flag_variants', 'One of the variants has to be "control".');
  const { rollout_percentage: rollout = 100, aggregation_group_type_index: index = null } = given;
  return {
    active: false,
    ensureExperienceContinuity: given['ensure_experience_continuity'] === true,
    filters: {
      groups: [{ properties: [], rollout_percentage: rollout }],
      multivariate: { variants: read },
      ...(index === null ? {} : { aggregation_group_type_index: index }),
      payloads: given['feature_flag_payloads'] ?? {},
    },
  };
}
