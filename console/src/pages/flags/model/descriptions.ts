/** Release conditions as text. */
import { propertyLabel } from '../../../lib/friendly-names.ts';
import { formatRollout } from '../../../lib/numbers.ts';
import {
  audienceOfCondition,
  type Condition,
  type Filters,
  type Property,
  propertiesOf,
  rolloutOf,
} from './filters.ts';
import { formOf, labelOf, operatorOf, valuesOf } from './operators.ts';
import { variantsOf } from './variants.ts';

/** Names for the IDs in conditions; without one, the ID is shown. */
export interface Names {
  cohorts: ReadonlyMap<number, string>;
  /** Plural names by group type index. */
  groups: ReadonlyMap<number, string>;
  flags: ReadonlyMap<number, string>;
}

export const PERSONS = 'persons';

/** 'persons', 'companies' */
export const audienceName = (index: number | null, names: Names): string =>
  index === null ? PERSONS : (names.groups.get(index) ?? `groups of type ${index}`);

/** 'plan equals pro or team' */
export function describeProperty(property: Property, names: Names): string {
  if (property.type === 'cohort') return describeCohort(property, names);
  if (property.type === 'flag') return describeFlag(property, names);
  const operator = operatorOf(property);
  const key = propertyLabel(valuesOf(property.key)[0] ?? '…');
  const form = formOf(operator);
  if (form === 'none') return `${key} ${labelOf(operator)}`;
  const list = valuesOf(property.value);
  const values = list.join(form === 'range' ? ' and ' : ' or ');
  return `${key} ${labelOf(operator)} ${values === '' ? '…' : values}`;
}

const nameOr = (id: unknown, names: ReadonlyMap<number, string>): string =>
  id === '' || id === undefined || id === null ? '…' : (names.get(Number(id)) ?? `with ID ${id}`);

function describeCohort({ operator, value, cohort_name }: Property, names: Names): string {
  const name = typeof cohort_name === 'string' ? cohort_name : nameOr(value, names.cohorts);
  return `${operator === 'not_in' ? 'not in' : 'in'} cohort ${name}`;
}

const describeFlag = ({ key, value }: Property, names: Names): string =>
  `flag ${nameOr(key, names.flags)} is ${value === true ? 'on' : value === false ? 'off' : value}`;

/** 'persons in cohort Beta where plan equals pro and seats is greater than 5' */
function describeAudience(filters: Filters, condition: Condition, names: Names): string {
  const audience = audienceName(audienceOfCondition(filters, condition), names);
  const properties = propertiesOf(condition);
  const describe = (property: Property): string => describeProperty(property, names);
  const cohorts = properties.filter(({ type }) => type === 'cohort').map(describe);
  const others = properties.filter(({ type }) => type !== 'cohort').map(describe);
  if (properties.length === 0) return `all ${audience}`;
  return [audience, cohorts.join(' and '), others.length > 0 ? `where ${others.join(' and ')}` : '']
    .filter((part) => part !== '')
    .join(' ');
}

/** '25% of persons where plan equals pro get variant test.' */
export function describeCondition(filters: Filters, condition: Condition, names: Names): string {
  const rollout = rolloutOf(condition);
  const audience = describeAudience(filters, condition, names);
  const subject = rollout === 100 ? audience : `${formatRollout(rollout)} of ${audience}`;
  const override = typeof condition.variant === 'string' && condition.variant !== '' ? condition.variant : null;
  const what = override !== null ? `variant ${override}` : variantsOf(filters).length > 0 ? 'a variant' : 'the flag';
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} get ${what}.`;
}
