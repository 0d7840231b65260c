import type { Entity } from '../../../../core/actions/entity.ts';
import { invalid } from '../../../../core/errors.ts';
import { isJsonObject, type Json } from '../../../../core/json/json.ts';
import { type QuestionFields, readIntegerField, readListField } from '../../rules/fields.ts';
import type { Exclusion, FunnelQuestion, QuestionContext } from '../../rules/question.ts';
import { includesEntity, readEntity, requireKnownAction } from '../../rules/read-entity.ts';

/** Clients expect these errors without the name of a field. */
const wrong = (detail: string) => invalid(undefined, detail);

/** Events that must not happen between two steps. */
export function readExclusions(
  fields: QuestionFields,
  steps: readonly Entity[],
  order: FunnelQuestion['order'],
  context: QuestionContext,
): Exclusion[] {
  const exclusions = (readListField(fields, 'exclusions') ?? []).map((item) => readExclusion(item, steps, context));
  const isPartial = ({ from, to }: Exclusion): boolean => from !== 0 || to !== steps.length - 1;
  if (order === 'unordered' && exclusions.some(isPartial)) {
    throw wrong('Partial Exclusions not allowed in unordered funnels');
  }
  return exclusions;
}

function readExclusion(item: Json, steps: readonly Entity[], context: QuestionContext): Exclusion {
  if (!isJsonObject(item))
    throw invalid('exclusions', 'An exclusion is an object: {id, type, funnel_from_step, funnel_to_step}.');
  const [from, to] = [readStep(item, 'funnel_from_step'), readStep(item, 'funnel_to_step')];
  if (from === undefined || to === undefined) throw wrong('Exclusion event needs to define funnel steps');
  if (from >= to) throw wrong('Exclusion event range is invalid. End of range should be greater than start.');
  if (from < 0 || to >= steps.length)
    throw invalid('exclusions', `Exclusion event range is invalid: the steps are 0 to ${steps.length - 1}.`);
  const entity = readEntity(item, 'exclusions', context);
  requireKnownAction(entity);
  if (steps.slice(from, to + 1).some((step) => includesEntity(entity, step))) {
    throw wrong("Exclusion event can't be the same as funnel step");
  }
  return { entity, from, to };
}

function readStep(item: QuestionFields, name: string): number | undefined {
  try {
    return readIntegerField(item, name, { min: -1e6, max: 1e6 });
  } catch {
    throw wrong('Exclusion event needs to define funnel steps');
  }
}
