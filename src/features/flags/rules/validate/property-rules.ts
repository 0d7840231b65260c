import type { Json, JsonObject } from '../../../../core/json/json.ts';
import { parseId } from '../../../../core/parse-id.ts';
import { invalidFlagFilters, pythonText } from './filter-errors.ts';
import { checkComparison } from './operator-rules.ts';

const PERSON_TYPES: readonly Json[] = ['person', 'cohort', 'flag'];

/** The allowed types depend on what the condition is for: persons, or a group type. */
export function checkPropertyType(property: JsonObject, aggregation: number | null): void {
  // The default type is that of an event property.
  const type = property['type'] ?? 'event';
  if (aggregation === null) {
    if (PERSON_TYPES.includes(type)) return;
    throw notValid('person-aggregated conditions can only use person, cohort, and flag properties');
  }
  if (type !== 'group') throw notValid('group-aggregated conditions can only use group properties');
  if (property['group_type_index'] !== aggregation) {
    throw notValid("group properties must match the condition set's group type");
  }
}

const notValid = (why: string) => invalidFlagFilters(`Filters are not valid (${why})`);

export function checkProperty(property: JsonObject): void {
  const { type, key } = property;
  if (type === 'cohort') checkCohortOperator(property);
  else if (type === 'flag') checkDependency(property);
  else if (typeof key !== 'string' || key === '') {
    throw invalidFlagFilters(`A condition must name the property it compares as its key, got ${pythonText(key)}`);
  } else checkComparison(property);
}

function checkCohortOperator({ operator = null }: JsonObject): void {
  if (operator === null || operator === 'exact' || operator === 'in' || operator === 'not_in') return;
  throw invalidFlagFilters(`Cohort properties must use the 'in' or 'not_in' operator`, 'invalid_operator');
}

function checkDependency({ key, operator, value }: JsonObject): void {
  if (operator !== 'flag_evaluates_to') {
    throw invalidFlagFilters("Flag properties must use the 'flag_evaluates_to' operator");
  }
  if (parseId(key) === null) {
    throw invalidFlagFilters(
      `Flag dependencies must reference flag IDs (integers), not flag keys. Invalid reference: '${pythonText(key)}'`,
    );
  }
  if (typeof value !== 'boolean' && typeof value !== 'string') {
    throw invalidFlagFilters(
      `Invalid value for operator flag_evaluates_to: ${pythonText(value)}. Use true, false or the key of a variant.`,
      'invalid_value',
    );
  }
}
