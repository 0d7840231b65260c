import { invalid } from '../../../../core/errors.ts';
import { stringifyExact } from '../../../../core/json/exact-json.ts';
import type { Json } from '../../../../core/json/json.ts';
import { parseId } from '../../../../core/parse-id.ts';
import { startOfInterval } from '../../../../core/time/interval.ts';
import { parseDate } from '../../../../core/time/parse-date.ts';
import {
  fieldOf,
  type QuestionFields,
  readBooleanField,
  readIntegerField,
  readJsonField,
  readListField,
  readTextField,
} from '../../rules/fields.ts';
import type {
  FunnelPeopleQuestion,
  FunnelQuestion,
  FunnelSelection,
  FunnelValue,
  QuestionContext,
} from '../../rules/question.ts';
import { andFilters, readSearchFilter } from '../../rules/read-filter.ts';
import { readFunnelQuestion } from './read-funnel.ts';

/** The persons behind one number of a funnel. */
export function readFunnelPeopleQuestion(fields: QuestionFields, context: QuestionContext): FunnelPeopleQuestion {
  const funnel = readFunnelQuestion(fields, context);
  if (funnel.steps.length === 0) throw invalid('events', 'A funnel needs at least one step.');
  return {
    kind: 'funnel_people',
    funnel: { ...funnel, filter: andFilters([funnel.filter, readSearchFilter(fields)]) },
    selection: funnel.view === 'trends' ? readPeriod(fields, funnel, context) : readSelection(fields, funnel),
    value: readValue(fields, funnel),
  };
}

/** `funnel_step` 2: reached at least the second step; -2: the first, but not the second. */
function readSelection(fields: QuestionFields, { steps }: FunnelQuestion): FunnelSelection {
  const exact = readListField(fields, 'funnel_custom_steps');
  if (exact !== undefined && exact.length > 0)
    return { kind: 'exactly', steps: exact.map((item) => readExact(item, steps.length)) };
  const step = readIntegerField(fields, 'funnel_step', { min: -steps.length, max: steps.length });
  if (step === undefined) throw invalid('funnel_step', 'This field is required.', 'required');
  if (step === 0 || step === -1) {
    throw invalid(
      'funnel_step',
      'Steps are counted from 1. Drop-offs are negative and start with -2, since nobody drops off before the first step.',
    );
  }
  return step > 0 ? { kind: 'reached', step } : { kind: 'dropped', step: -step };
}

function readExact(item: Json, count: number): number {
  // `Number` of an object may throw: its `valueOf` can be sent as anything.
  const number = typeof item === 'object' ? Number.NaN : Number(item);
  if (Number.isInteger(number) && number >= 1 && number <= count) return number;
  throw invalid('funnel_custom_steps', `funnel_custom_steps has to be a list of steps from 1 to ${count}.`);
}

function readPeriod(fields: QuestionFields, funnel: FunnelQuestion, { now }: QuestionContext): FunnelSelection {
  const text = readTextField(fields, 'entrance_period_start');
  const at = text === undefined ? undefined : parseDate(text, now, funnel.timezone);
  if (at === undefined) throw invalid('entrance_period_start', 'entrance_period_start has to be the date of a period.');
  if (fieldOf(fields, 'drop_off') === undefined)
    throw invalid('drop_off', 'drop_off has to be true or false.', 'required');
  const period = startOfInterval(at, funnel.interval, funnel.timezone);
  return { kind: 'entered', period, isDropOff: readBooleanField(fields, 'drop_off') };
}

/** `funnel_step_breakdown`: a list of texts, or one text; for cohorts their id. */
function readValue(fields: QuestionFields, { breakdown }: FunnelQuestion): FunnelValue | null {
  const given = fields['funnel_step_breakdown'] === '' ? '' : readJsonField(fields, 'funnel_step_breakdown');
  if (breakdown === null || given === undefined || given === null) return null;
  const values = Array.isArray(given) ? given : [given];
  if (breakdown.kind === 'property') return values.map(textOf);
  // All users are the cohort with the id 0.
  const id = values[0] === 'all' || values[0] === 0 ? 'all' : parseId(values[0]);
  if (id !== null) return id;
  throw invalid('funnel_step_breakdown', 'funnel_step_breakdown has to be the id of a cohort, or "all".');
}

const textOf = (value: Json): string => (typeof value === 'object' ? stringifyExact(value) : String(value));
