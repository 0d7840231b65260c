/** Conditions as sentences. */
import { formatNumber } from '../../../lib/format.ts';
import { audienceOfCondition, type Condition, type Filters, type Property, propertiesOf, shareOf } from './filters.ts';
import { formOf, labelOf, operatorOf, textsOf } from './operators.ts';
import { variantsOf } from './variants.ts';

/** What ids in conditions stand for. Without a name, they are shown as ids. */
export interface Names {
  cohorts: ReadonlyMap<number, string>;
  /** 'companies', by the index of the kind. */
  groups: ReadonlyMap<number, string>;
  flags: ReadonlyMap<number, string>;
}

export const NO_NAMES: Names = { cohorts: new Map(), groups: new Map(), flags: new Map() };

/** 'persons', 'companies' */
export const audienceWord = (index: number | null, names: Names): string =>
  index === null ? 'persons' : (names.groups.get(index) ?? `groups of kind ${index}`);

/** 'plan is pro or team' */
export function propertyWords(property: Property, names: Names): string {
  if (property.type === 'cohort') return cohortWords(property, names);
  if (property.type === 'flag') return flagWords(property, names);
  const operator = operatorOf(property);
  const key = textsOf(property.key)[0] ?? '…';
  const form = formOf(operator);
  if (form === 'none') return `${key} ${labelOf(operator)}`;
  const texts = textsOf(property.value);
  const values = form === 'range' ? texts.join(' and ') : texts.join(' or ');
  return `${key} ${labelOf(operator)} ${values === '' ? '…' : values}`;
}

/** What has been named, or an id; nothing yet is three dots. */
const named = (id: unknown, names: ReadonlyMap<number, string>): string =>
  id === '' || id === undefined || id === null ? '…' : (names.get(Number(id)) ?? `with id ${id}`);

function cohortWords({ operator, value, cohort_name }: Property, names: Names): string {
  const name = typeof cohort_name === 'string' ? cohort_name : named(value, names.cohorts);
  return `${operator === 'not_in' ? 'not in' : 'in'} the cohort ${name}`;
}

const flagWords = ({ key, value }: Property, names: Names): string =>
  `the flag ${named(key, names.flags)} is ${value === true ? 'on' : value === false ? 'off' : `on ${value}`}`;

/** 'persons in the cohort Beta where plan is pro and seats is more than 5' */
export function whomWords(filters: Filters, condition: Condition, names: Names): string {
  const audience = audienceWord(audienceOfCondition(filters, condition), names);
  const properties = propertiesOf(condition);
  const say = (property: Property): string => propertyWords(property, names);
  const cohorts = properties.filter(({ type }) => type === 'cohort').map(say);
  const asked = properties.filter(({ type }) => type !== 'cohort').map(say);
  if (properties.length === 0) return `all ${audience}`;
  return [audience, cohorts.join(' and '), asked.length > 0 ? `where ${asked.join(' and ')}` : '']
    .filter((part) => part !== '')
    .join(' ');
}

/** '25 % of persons where plan is pro get the variant test.' */
export function conditionSentence(filters: Filters, condition: Condition, names: Names): string {
  const share = shareOf(condition);
  const whom = whomWords(filters, condition, names);
  const subject = share === 100 ? whom : `${formatNumber(share)} % of ${whom}`;
  const override = typeof condition.variant === 'string' && condition.variant !== '' ? condition.variant : null;
  const what = override !== null ? `the variant ${override}` : variantsOf(filters).length > 0 ? 'a variant' : 'it';
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} get ${what}.`;
}

/** Why somebody has the value they have; null for a reason that is not known here. */
export function reasonWords(reason: string, index: number | null): string | null {
  const number = (index ?? 0) + 1;
  const words: Record<string, string> = {
    condition_match: `They fit condition ${number} and are in its share.`,
    no_condition_match: 'They fit no condition.',
    out_of_rollout_bound: `They fit condition ${number}, but are not in its share.`,
    no_group_type: 'The flag is for groups, and no group was given.',
    super_condition_value: 'Early access decides: they chose to take part, or not to.',
    holdout_condition_value: 'They are in a holdout.',
    disabled: 'The flag is switched off.',
  };
  return words[reason] ?? null;
}
