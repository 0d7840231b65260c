/** The differences between two states of a flag, as text. */
import { formatRollout } from '../../../lib/numbers.ts';
import { audienceName, describeCondition, type Names } from './descriptions.ts';
import { sameJson } from './draft.ts';
import { audienceOf, type Condition, conditionsOf, type Filters, isObject, type JsonObject } from './filters.ts';
import { describeHoldout } from './overrides.ts';
import { describeRollback, isRollback, rollbackEntries } from './rollbacks.ts';
import { keyOf, payloadOf, variantRollout, variantsOf } from './variants.ts';

export interface Difference {
  what: string;
  before: string | null;
  after: string | null;
}

const changed = (what: string, before: string | null = null, after: string | null = null): Difference => ({
  what,
  before,
  after,
});

type State = Readonly<Record<string, unknown>>;

/** Fields that one of the two does not have are ignored. */
export function differencesOf(before: State, after: State, names: Names): Difference[] {
  const differs = (field: string): boolean =>
    Object.hasOwn(before, field) && Object.hasOwn(after, field) && !sameJson(before[field], after[field]);
  return Object.entries(FIELDS).flatMap(([field, describe]) =>
    differs(field) ? describe(before[field], after[field], names) : [],
  );
}

const onOff = (on: string, off: string) => (_: unknown, after: unknown) => [changed(after === true ? on : off)];
const text = (what: string) => (before: unknown, after: unknown) => [
  changed(what, String(before ?? ''), String(after ?? '')),
];

const FIELDS: Record<string, (before: unknown, after: unknown, names: Names) => Difference[]> = {
  deleted: onOff('Deleted', 'Restored'),
  active: onOff('Enabled', 'Disabled'),
  performed_rollback: (_, after) => (after === true ? [changed('Rolled back automatically')] : []),
  key: text('Key'),
  name: text('Description'),
  tags: (before, after) => [changed('Tags', listed(before), listed(after))],
  is_remote_configuration: onOff('Changed to remote config', 'No longer remote config'),
  filters: (before, after, names) => filterDifferences(asFilters(before), asFilters(after), names),
  ensure_experience_continuity: onOff('Persists across authentication', 'No longer persists across authentication'),
  evaluation_runtime: text('Evaluation runtime'),
  bucketing_identifier: text('Bucket by'),
  rollback_conditions: (before, after) => [
    changed('Automatic rollback when', rollbackList(before), rollbackList(after)),
  ],
};

const asFilters = (value: unknown): Filters => (isObject(value) ? value : {});
const listed = (value: unknown): string => (Array.isArray(value) && value.length > 0 ? value.join(', ') : 'None');
const rollbackList = (value: unknown): string =>
  rollbackEntries(value)
    .map((entry) => (isRollback(entry) ? describeRollback(entry) : JSON.stringify(entry)))
    .join('; or ') || 'Never';

function filterDifferences(before: Filters, after: Filters, names: Names): Difference[] {
  const found = [
    ...audienceDifference(before, after, names),
    ...conditionDifferences(before, after, names),
    ...variantDifferences(before, after),
    ...payloadDifferences(before, after),
    ...holdoutDifference(before, after),
    ...otherDifferences(before, after),
  ];
  return found.length > 0 ? found : [changed('Reformatted without a change in behavior')];
}

function audienceDifference(before: Filters, after: Filters, names: Names): Difference[] {
  const [from, to] = [audienceOf(before), audienceOf(after)];
  return from === to ? [] : [changed('Match by', audienceName(from, names), audienceName(to, names))];
}

interface IndexedCondition {
  index: number;
  condition: Condition;
}

const indexed = (filters: Filters): IndexedCondition[] =>
  conditionsOf(filters).map((condition, index) => ({ index, condition }));

function conditionDifferences(before: Filters, after: Filters, names: Names): Difference[] {
  const [removed, added] = withoutPairs(indexed(before), indexed(after));
  const describe = (filters: Filters, { condition }: IndexedCondition): string =>
    describeCondition(filters, condition, names);
  if (removed.length === 0 && added.length === 0) {
    const isMoved = !sameJson(conditionsOf(before), conditionsOf(after));
    return isMoved ? [changed('Order of conditions changed', order(before, names), order(after, names))] : [];
  }
  const changes = added.map((one) => {
    const former = removed.find(({ index }) => index === one.index);
    const what = former ? `Condition ${one.index + 1}` : `Condition ${one.index + 1} added`;
    return changed(what, former ? describe(before, former) : null, describe(after, one));
  });
  const lost = removed.filter(({ index }) => !added.some((one) => one.index === index));
  return [...changes, ...lost.map((one) => changed(`Condition ${one.index + 1} removed`, describe(before, one)))];
}

const order = (filters: Filters, names: Names): string =>
  conditionsOf(filters)
    .map((condition, index) => `${index + 1}. ${describeCondition(filters, condition, names)}`)
    .join(' ');

/** Conditions that are in only one of the lists, whatever their position. */
function withoutPairs(
  before: readonly IndexedCondition[],
  after: readonly IndexedCondition[],
): [IndexedCondition[], IndexedCondition[]] {
  const removed = [...before];
  const added = after.filter(({ condition }) => {
    const pair = removed.findIndex((one) => sameJson(one.condition, condition));
    if (pair >= 0) removed.splice(pair, 1);
    return pair < 0;
  });
  return [removed, added];
}

function variantDifferences(before: Filters, after: Filters): Difference[] {
  const [from, to] = [variantsOf(before), variantsOf(after)];
  if (sameJson(from, to)) return [];
  const describe = (filters: Filters): string =>
    variantsOf(filters)
      .map((variant) => `${keyOf(variant)} ${formatRollout(variantRollout(variant))}`)
      .join(', ') || 'None (boolean)';
  const [was, is] = [describe(before), describe(after)];
  return [was === is ? changed('Variant descriptions') : changed('Variants', was, is)];
}

function payloadDifferences(before: Filters, after: Filters): Difference[] {
  const keysOf = ({ payloads }: Filters): string[] => (isObject(payloads) ? Object.keys(payloads) : []);
  return [...new Set([...keysOf(before), ...keysOf(after)])].flatMap((key) => {
    const [from, to] = [payloadOf(before, key), payloadOf(after, key)];
    return from === to ? [] : [changed(`Payload of ${key}`, from || 'None', to || 'None')];
  });
}

const DESCRIBED = new Set([
  'groups',
  'multivariate',
  'payloads',
  'aggregation_group_type_index',
  'holdout_groups',
  'holdout',
]);

function holdoutDifference(before: Filters, after: Filters): Difference[] {
  const [from, to] = [describeHoldout(before), describeHoldout(after)];
  return from === to ? [] : [changed('Held out', from, to)];
}

/** Early access and unknown settings. */
function otherDifferences(before: JsonObject, after: JsonObject): Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)].filter((name) => !DESCRIBED.has(name)));
  return [...names].flatMap((name) =>
    sameJson(before[name], after[name]) ? [] : [changed(name, json(before[name]), json(after[name]))],
  );
}

const json = (value: unknown): string => (value === undefined ? 'None' : JSON.stringify(value));
