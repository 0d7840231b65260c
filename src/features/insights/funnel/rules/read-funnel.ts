import type { Entity } from '../../../../core/actions/entity.ts';
import { invalid } from '../../../../core/errors.ts';
import type { Window } from '../../../../core/time/window.ts';
import type { QuestionContext } from '../../rules/context.ts';
import { type Fields, knownFields, nameOf, readChoice, readInteger, readText } from '../../rules/fields.ts';
import type { Attribution, FunnelQuestion } from '../../rules/question.ts';
import { readBreakdown } from '../../rules/read-breakdown.ts';
import { DATE_FIELDS, dateContext, readInterval, readRange, readTickedRange } from '../../rules/read-dates.ts';
import { checkAction, readEntities } from '../../rules/read-entity.ts';
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
const MOST_STEPS = 50;

/** Reads a question for a funnel. */
export function readFunnelQuestion(fields: Fields, context: QuestionContext): FunnelQuestion {
  const steps = readEntities(fields, context).map(({ entity }) => entity);
  if (steps.length > MOST_STEPS) throw invalid('events', `A funnel has at most ${MOST_STEPS} steps.`);
  steps.forEach(checkAction);
  const view = readView(fields);
  readInteger(fields, 'funnel_step', { min: -MOST_STEPS, max: MOST_STEPS });
  const order = readChoice(fields, 'funnel_order_type', ORDERS) ?? 'ordered';
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
    ...readSpan(fields, view, steps.length),
    bins: readBins(fields),
  };
}

/** Old clients ask for a trend by the display alone. */
function readView(fields: Fields): FunnelQuestion['view'] {
  const view = readChoice(fields, 'funnel_viz_type', VIEWS);
  return view ?? (fields['display'] === 'ActionsLineGraph' ? 'trends' : 'steps');
}

const UNITS = ['minute', 'hour', 'day', 'week', 'month'] as const;
const WINDOW_LIMITS = { min: 1, max: 100_000 };

export function readWindow(fields: Fields): Window {
  const days = readInteger(fields, 'funnel_window_days', WINDOW_LIMITS);
  if (days !== undefined) return { count: days, unit: 'day' };
  const count = readInteger(fields, 'funnel_window_interval', WINDOW_LIMITS) ?? 14;
  return { count, unit: readChoice(fields, 'funnel_window_interval_unit', UNITS) ?? 'day' };
}

function readActor(fields: Fields): FunnelQuestion['actor'] {
  const index = readInteger(fields, 'aggregation_group_type_index', { min: 0, max: 4 });
  return index === undefined ? { kind: 'person' } : { kind: 'group', index };
}

const ATTRIBUTIONS = ['first_touch', 'last_touch', 'all_events', 'step'] as const;

function readAttribution(fields: Fields, steps: readonly Entity[]): Attribution {
  const kind = readChoice(fields, 'breakdown_attribution_type', ATTRIBUTIONS) ?? 'first_touch';
  if (kind !== 'step') return { kind };
  const max = Math.max(0, steps.length - 1);
  return { kind, step: readInteger(fields, 'breakdown_attribution_value', { min: 0, max }) ?? 0 };
}

/** From which step to which trends and times are taken: from the first to the last where nothing is said. */
function readSpan(fields: Fields, view: FunnelQuestion['view'], count: number): { fromStep: number; toStep: number } {
  const last = Math.max(0, count - 1);
  if (view === 'steps' || count === 0) return { fromStep: 0, toStep: last };
  if (view === 'time_to_convert' && count < 2) throw invalid('events', 'A conversion takes at least two steps.');
  const toStep = readInteger(fields, 'funnel_to_step', { min: Math.min(1, last), max: last }) ?? last;
  const fromStep = readInteger(fields, 'funnel_from_step', { min: 0, max: last }) ?? 0;
  if (fromStep >= toStep && count > 1)
    throw invalid('funnel_from_step', 'funnel_from_step has to lie before funnel_to_step.');
  return { fromStep, toStep };
}

const MOST_BINS = 90;

function readBins(fields: Fields): number | null {
  const name = nameOf(fields, 'bin_count');
  if (readText(fields, name) === 'auto') return null;
  const count = readInteger(fields, name, { min: -1e9, max: 1e9 });
  return count === undefined ? null : Math.min(Math.max(count, 1), MOST_BINS);
}
