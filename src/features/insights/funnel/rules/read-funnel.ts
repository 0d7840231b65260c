import type { Entity } from '../../../../core/actions/entity.ts';
import { invalid } from '../../../../core/errors.ts';
import type { Window } from '../../../../core/time/range.ts';
import {
  firstGivenName,
  knownFields,
  type QuestionFields,
  readChoiceField,
  readIntegerField,
  readTextField,
} from '../../rules/fields.ts';
import type { Attribution, FunnelQuestion, QuestionContext } from '../../rules/question.ts';
import { readBreakdown } from '../../rules/read-breakdown.ts';
import { DATE_FIELDS, dateContext, readInterval, readRange, readTickedRange } from '../../rules/read-dates.ts';
import { readEntities, requireKnownAction } from '../../rules/read-entity.ts';
import { readQuestionFilter } from '../../rules/read-filter.ts';
import { readExclusions } from './read-exclusions.ts';

export const FUNNEL_FIELDS = [
  'insight',
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'display',
  'funnel_viz_type',
  'funnel_order_type',
  'funnel_window_days',
  'funnel_window_interval',
  'funnel_window_interval_unit',
  'exclusions',
  'aggregation_group_type_index',
  'breakdown',
  'breakdowns',
  'breakdown_type',
  'breakdown_limit',
  'breakdown_group_type_index',
  'breakdown_attribution_type',
  'breakdown_attribution_value',
  'funnel_from_step',
  'funnel_to_step',
  'bin_count',
  ...DATE_FIELDS,
] as const;

const ORDERS = ['ordered', 'strict', 'unordered'] as const;
const VIEWS = ['steps', 'trends', 'time_to_convert'] as const;
const MAX_STEPS = 50;

export function readFunnelQuestion(fields: QuestionFields, context: QuestionContext): FunnelQuestion {
  const steps = readEntities(fields, context).map(({ entity }) => entity);
  if (steps.length > MAX_STEPS) throw invalid('events', `A funnel has at most ${MAX_STEPS} steps.`);
  steps.forEach(requireKnownAction);
  const view = readView(fields);
  readIntegerField(fields, 'funnel_step', { min: -MAX_STEPS, max: MAX_STEPS });
  const order = readChoiceField(fields, 'funnel_order_type', ORDERS) ?? 'ordered';
  return {
    kind: 'funnel',
    fields: knownFields(fields, FUNNEL_FIELDS),
    timezone: dateContext(context).timezone,
    filter: readQuestionFilter(fields, context),
    range: view === 'trends' ? readTickedRange(fields, context) : readRange(fields, context),
    view,
    order,
    steps,
    exclusions: readExclusions(fields, steps, order, context),
    window: readWindow(fields),
    actor: readActor(fields),
    interval: readInterval(fields),
    breakdown: readBreakdown(fields, context),
    attribution: readAttribution(fields, steps),
    ...readStepRange(fields, view, steps.length),
    bins: readBins(fields),
  };
}

/** Old clients only send `display` for a trend. */
function readView(fields: QuestionFields): FunnelQuestion['view'] {
  const view = readChoiceField(fields, 'funnel_viz_type', VIEWS);
  return view ?? (fields['display'] === 'ActionsLineGraph' ? 'trends' : 'steps');
}

const UNITS = ['minute', 'hour', 'day', 'week', 'month'] as const;
const WINDOW_LIMITS = { min: 1, max: 100_000 };

function readWindow(fields: QuestionFields): Window {
  const days = readIntegerField(fields, 'funnel_window_days', WINDOW_LIMITS);
  if (days !== undefined) return { count: days, unit: 'day' };
  const count = readIntegerField(fields, 'funnel_window_interval', WINDOW_LIMITS) ?? 14;
  return { count, unit: readChoiceField(fields, 'funnel_window_interval_unit', UNITS) ?? 'day' };
}

function readActor(fields: QuestionFields): FunnelQuestion['actor'] {
  const index = readIntegerField(fields, 'aggregation_group_type_index', { min: 0, max: 4 });
  return index === undefined ? { kind: 'person' } : { kind: 'group', index };
}

const ATTRIBUTIONS = ['first_touch', 'last_touch', 'all_events', 'step'] as const;

function readAttribution(fields: QuestionFields, steps: readonly Entity[]): Attribution {
  const kind = readChoiceField(fields, 'breakdown_attribution_type', ATTRIBUTIONS) ?? 'first_touch';
  if (kind !== 'step') return { kind };
  const max = Math.max(0, steps.length - 1);
  return { kind, step: readIntegerField(fields, 'breakdown_attribution_value', { min: 0, max }) ?? 0 };
}

/** The steps between which conversion and times are measured: the first and the last by default. */
function readStepRange(
  fields: QuestionFields,
  view: FunnelQuestion['view'],
  count: number,
): { fromStep: number; toStep: number } {
  const last = Math.max(0, count - 1);
  if (view === 'steps' || count === 0) return { fromStep: 0, toStep: last };
  if (view === 'time_to_convert' && count < 2) throw invalid('events', 'Time to convert needs at least two steps.');
  const toStep = readIntegerField(fields, 'funnel_to_step', { min: Math.min(1, last), max: last }) ?? last;
  const fromStep = readIntegerField(fields, 'funnel_from_step', { min: 0, max: last }) ?? 0;
  if (fromStep >= toStep && count > 1)
    throw invalid('funnel_from_step', 'funnel_from_step has to be before funnel_to_step.');
  return { fromStep, toStep };
}

const MAX_BINS = 90;

function readBins(fields: QuestionFields): number | null {
  const name = firstGivenName(fields, 'bin_count');
  if (readTextField(fields, name) === 'auto') return null;
  const count = readIntegerField(fields, name, { min: -1e9, max: 1e9 });
  return count === undefined ? null : Math.min(Math.max(count, 1), MAX_BINS);
}
