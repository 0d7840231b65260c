/** What is different between two states of a flag, in words, with before and after. */
import { formatNumber } from '../../../lib/format.ts';
import { audienceWord, conditionSentence, type Names } from './descriptions.ts';
import { sameJson } from './draft.ts';
import { audienceOf, type Condition, conditionsOf, type Filters, isObject, type JsonObject } from './filters.ts';
import { rollbacksOf, rollbackWords } from './rollbacks.ts';
import { keyOf, payloadOf, variantShare, variantsOf } from './variants.ts';

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

/** Fields that one of the two does not have are passed over: it says nothing of them. */
export function differencesOf(before: State, after: State, names: Names): Difference[] {
  const differs = (field: string): boolean =>
    Object.hasOwn(before, field) && Object.hasOwn(after, field) && !sameJson(before[field], after[field]);
  return Object.entries(FIELD_WORDS).flatMap(([field, say]) =>
    differs(field) ? say(before[field], after[field], names) : [],
  );
}

const onOff = (on: string, off: string) => (_: unknown, after: unknown) => [changed(after === true ? on : off)];
const text = (what: string) => (before: unknown, after: unknown) => [
  changed(what, String(before ?? ''), String(after ?? '')),
];

const FIELD_WORDS: Record<string, (before: unknown, after: unknown, names: Names) => Difference[]> = {
  deleted: onOff('Deleted', 'Brought back'),
  active: onOff('Switched on', 'Switched off'),
  performed_rollback: (_, after) => (after === true ? [changed('Rolled back by its own conditions')] : []),
  key: text('Key'),
  name: text('Description'),
  tags: (before, after) => [changed('Tags', listed(before), listed(after))],
  is_remote_configuration: onOff('Is remote configuration', 'Is no longer remote configuration'),
  filters: (before, after, names) => filterDifferences(asFilters(before), asFilters(after), names),
  ensure_experience_continuity: onOff('Keeps its value across sign-in', 'Does not keep its value across sign-in'),
  evaluation_runtime: text('Evaluated on'),
  bucketing_identifier: text('Shares are dealt out by'),
  rollback_conditions: (before, after) => [
    changed('Switches itself off when', rollbackList(before), rollbackList(after)),
  ],
};

const asFilters = (value: unknown): Filters => (isObject(value) ? value : {});
const listed = (value: unknown): string => (Array.isArray(value) && value.length > 0 ? value.join(', ') : 'none');
const rollbackList = (value: unknown): string => rollbacksOf(value).map(rollbackWords).join('; or ') || 'never';

function filterDifferences(before: Filters, after: Filters, names: Names): Difference[] {
  const found = [
    ...audienceDifference(before, after, names),
    ...conditionDifferences(before, after, names),
    ...variantDifferences(before, after),
    ...payloadDifferences(before, after),
    ...otherDifferences(before, after),
  ];
  return found.length > 0 ? found : [changed('Written differently, with the same meaning')];
}

function audienceDifference(before: Filters, after: Filters, names: Names): Difference[] {
  const [from, to] = [audienceOf(before), audienceOf(after)];
  return from === to ? [] : [changed('Released to', audienceWord(from, names), audienceWord(to, names))];
}

interface Placed {
  index: number;
  condition: Condition;
}

const placed = (filters: Filters): Placed[] => conditionsOf(filters).map((condition, index) => ({ index, condition }));

function conditionDifferences(before: Filters, after: Filters, names: Names): Difference[] {
  const [gone, fresh] = withoutPairs(placed(before), placed(after));
  const say = (filters: Filters, { condition }: Placed): string => conditionSentence(filters, condition, names);
  if (gone.length === 0 && fresh.length === 0) {
    const isMoved = !sameJson(conditionsOf(before), conditionsOf(after));
    return isMoved ? [changed('Conditions are tried in another order', order(before, names), order(after, names))] : [];
  }
  const changes = fresh.map((one) => {
    const former = gone.find(({ index }) => index === one.index);
    const what = former ? `Condition ${one.index + 1}` : `Condition ${one.index + 1} added`;
    return changed(what, former ? say(before, former) : null, say(after, one));
  });
  const lost = gone.filter(({ index }) => !fresh.some((one) => one.index === index));
  return [...changes, ...lost.map((one) => changed(`Condition ${one.index + 1} removed`, say(before, one)))];
}

const order = (filters: Filters, names: Names): string =>
  conditionsOf(filters)
    .map((condition, index) => `${index + 1}. ${conditionSentence(filters, condition, names)}`)
    .join(' ');

/** What is in one list and not in the other; equal conditions make a pair wherever they stand. */
function withoutPairs(before: readonly Placed[], after: readonly Placed[]): [Placed[], Placed[]] {
  const gone = [...before];
  const fresh = after.filter(({ condition }) => {
    const pair = gone.findIndex((one) => sameJson(one.condition, condition));
    if (pair >= 0) gone.splice(pair, 1);
    return pair < 0;
  });
  return [gone, fresh];
}

function variantDifferences(before: Filters, after: Filters): Difference[] {
  const [from, to] = [variantsOf(before), variantsOf(after)];
  if (sameJson(from, to)) return [];
  const say = (filters: Filters): string =>
    variantsOf(filters)
      .map((variant) => `${keyOf(variant)} ${formatNumber(variantShare(variant))} %`)
      .join(', ') || 'none: on or off';
  const [was, is] = [say(before), say(after)];
  return [was === is ? changed('Descriptions of variants') : changed('Variants', was, is)];
}

function payloadDifferences(before: Filters, after: Filters): Difference[] {
  const keysOf = ({ payloads }: Filters): string[] => (isObject(payloads) ? Object.keys(payloads) : []);
  return [...new Set([...keysOf(before), ...keysOf(after)])].flatMap((key) => {
    const [from, to] = [payloadOf(before, key), payloadOf(after, key)];
    return from === to ? [] : [changed(`Payload of ${key}`, from || 'none', to || 'none')];
  });
}

const SAID = new Set(['groups', 'multivariate', 'payloads', 'aggregation_group_type_index']);

/** Holdouts, early access, and whatever else there may be. */
function otherDifferences(before: JsonObject, after: JsonObject): Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)].filter((name) => !SAID.has(name)));
  return [...names].flatMap((name) =>
    sameJson(before[name], after[name]) ? [] : [changed(name, json(before[name]), json(after[name]))],
  );
}

const json = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));
