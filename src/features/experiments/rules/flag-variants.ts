import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { variantsOf, withExplicitGroups } from '../../flags/rules/filters-shape.ts';

/** The variants of a flag with their shares in percent; one may have several parts of the whole. */
export function flagVariants(filters: JsonObject): { key: string; weight: number }[] {
  const weights = new Map<string, number>();
  for (const { key, rollout_percentage: share } of variantsOf(filters))
    if (typeof key === 'string') weights.set(key, (weights.get(key) ?? 0) + (typeof share === 'number' ? share : 0));
  return Array.from(weights, ([key, weight]) => ({ key, weight }));
}

/** The largest share of people that a release condition lets in, in percent. */
export function flagRollout(filters: JsonObject): number {
  const { groups } = withExplicitGroups(filters);
  const shares = (Array.isArray(groups) ? groups : []).map((group) => {
    const { rollout_percentage: share = null } = isJsonObject(group) ? group : {};
    return typeof share === 'number' ? share : 100;
  });
  return Math.max(0, ...shares);
}

/**
 * The people of one variant get another one; everybody else keeps theirs. Variants are ranges of a hash in their order,
 * so the range stays where it is, and is that of the other variant.
 */
export function withVariantReplaced(filters: JsonObject, variant: string, by: string): JsonObject {
  const variants = variantsOf(filters).flatMap((one) => {
    const { key, rollout_percentage: share = 0 } = one;
    if (key !== variant || share === 0) return [one];
    const moved = { key: by, name: null, rollout_percentage: share, rolled_back_from: variant };
    return [{ ...one, rollout_percentage: 0 }, moved];
  });
  return { ...filters, multivariate: { ...(filters['multivariate'] as JsonObject), variants } };
}

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

/** Variants as they were sent; `split_percent` wins, and `Control` is taken as `control`. */
function readVariants(given: Json): JsonObject[] {
  const attr = 'parameters__feature_flag_variants';
  if (!Array.isArray(given) || given.length < 2 || given.length > MAX_VARIANTS)
    throw invalid(attr, `An experiment has 2 to ${MAX_VARIANTS} variants.`);
  const read = given.map((variant) => {
    const {
      key = null,
      name = null,
      rollout_percentage: share = null,
      split_percent: split = null,
    } = isJsonObject(variant) ? variant : {};
    return { key, name, rollout_percentage: split ?? share };
  });
  if (read.some(({ key }) => key === 'control')) return read;
  const at = read.findIndex(({ key }) => typeof key === 'string' && key.toLowerCase() === 'control');
  if (at < 0) throw invalid(attr, 'One of the variants has to be "control".');
  return read.map((variant, index) => (index === at ? { ...variant, key: 'control' } : variant));
}

function readRollout(given: Json): number {
  if (typeof given === 'number' && given >= 0 && given <= 100) return given;
  throw invalid('parameters__rollout_percentage', 'rollout_percentage is a number from 0 to 100.');
}

/** The flag that is made for an experiment: everybody, split between the variants, off until the launch. */
export function newFlag({ parameters = {} }: JsonObject) {
  const given = isJsonObject(parameters) ? parameters : {};
  const variants = readVariants(given['feature_flag_variants'] ?? [...DEFAULT_VARIANTS]);
  const { rollout_percentage: rollout = 100, aggregation_group_type_index: index = null } = given;
  return {
    active: false,
    ensureExperienceContinuity: given['ensure_experience_continuity'] === true,
    filters: {
      groups: [{ properties: [], rollout_percentage: readRollout(rollout) }],
      multivariate: { variants },
      ...(index === null ? {} : { aggregation_group_type_index: index }),
      payloads: given['feature_flag_payloads'] ?? {},
    },
  };
}

/** The filters of a flag with the variants and the rollout of these parameters; what is absent stays. */
export function withFlagParameters(filters: JsonObject, parameters: JsonObject): JsonObject {
  const { feature_flag_variants: sent, rollout_percentage: rollout } = parameters;
  const variants = sent === undefined ? null : readVariants(sent);
  const isSame =
    variants === null || JSON.stringify(variants.map(shareOf)) === JSON.stringify(variantsOf(filters).map(shareOf));
  const split = isSame ? filters : { ...filters, multivariate: { variants } };
  if (rollout === undefined || rollout === null) return split;
  const percentage = readRollout(rollout);
  const groups = withExplicitGroups(split)['groups'];
  const [first, ...rest] = Array.isArray(groups) ? groups : [];
  if (first === undefined || !isJsonObject(first) || (first['rollout_percentage'] ?? 100) === percentage) return split;
  return { ...split, groups: [{ ...first, rollout_percentage: percentage }, ...rest] };
}

const shareOf = ({ key = null, rollout_percentage: share = null }: JsonObject): Json[] => [key, share];
