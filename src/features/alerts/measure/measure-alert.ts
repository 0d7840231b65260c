/** What an alert watches, as one number for each slot of a range. */
import { type Measured, type MeasuredSeries, neededSlots } from '../../../core/alerts/judge.ts';
import { type SlotHistory, slotHistory, slotUnit } from '../../../core/alerts/slots.ts';
import { invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Interval } from '../../../core/time/interval.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../../core/time/units.ts';
import { inChunks } from '../../../lib/id-set.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FunnelAnswer, LifecycleItem, RetentionRow, TrendItem } from '../../insights/rules/answers.ts';
import type { SavedQuestions } from '../../insights/saved-questions.ts';
import { lastNumber } from '../../sql/rules/saved-query.ts';
import type { SavedStatements } from '../../sql/saved-statements.ts';
import type { AlertConfig, AlertDefinition } from '../rules/alert-definition.ts';
import { type Problem, problemNotes } from '../rules/new-problems.ts';
import { type FlagChangeDeps, listFlagChanges } from './flag-changes.ts';
import { listNewErrors, type NewErrorDeps } from './new-errors.ts';
import type { SharedAnswers } from './shared-answers.ts';

export interface MeasureDeps extends FlagChangeDeps, NewErrorDeps {
  questions: SavedQuestions;
  statements: Pick<SavedStatements, 'answer'>;
  /** How long the oldest event that waits has waited. */
  lagMs(): Promise<number>;
  /** How much of the disk of the data folder is free, from 0 to 1. */
  freeDiskShare(): Promise<number>;
}

interface MeasureRequest {
  project: Project;
  definition: AlertDefinition;
  /** Of the insight; empty where there is none. */
  filters: JsonObject;
  /** The statement of the insight; null where it has none. */
  query: JsonObject | null;
  from: number;
  until: number;
  signal: AbortSignal;
  answers: SharedAnswers;
}

export interface MeasuredAlert extends Measured {
  /** What happened in the last slot, for the message. */
  notes: readonly string[];
  /** What is missing in the value. */
  warnings: readonly string[];
}

const MAX_SECONDS = 10;
const MAX_SERIES = 25;

/** All slots of the range. Fails with a `Failure` that says why it cannot be computed. */
export const measureSlots = (deps: MeasureDeps, request: MeasureRequest): Promise<MeasuredAlert> =>
  measure(deps, request, ({ slots }) => slots.map((_, index) => index));

/** What is needed to judge the last slot of the range: for a season, the same hours of earlier weeks. Others are 0. */
export const measureLastSlot = (deps: MeasureDeps, request: MeasureRequest): Promise<MeasuredAlert> =>
  measure(deps, request, (history, since) => neededSlots(request.definition, history, history.slots.length - 1, since));

async function measure(
  deps: MeasureDeps,
  request: MeasureRequest,
  needed: (history: SlotHistory, since: number) => readonly number[],
): Promise<MeasuredAlert> {
  const { project, definition, query, from, until, signal, answers } = request;
  const { config, condition, interval } = definition;
  const unit = slotUnit(interval);
  const history = slotHistory(from, until, unit, project.timezone);
  const work = async (stop: AbortSignal) => {
    const firstEvent = (): Promise<number | null> => deps.questions.firstEvent(project);
    const since =
      condition === 'seasonal' ? ((await answers.get(['first event', project.id], firstEvent)) ?? until) : 0;
    const ranges = partsOf(needed(history, since), request.filters);
    const filters = ranges.length > 1 ? withAllValues(request.filters) : request.filters;
    const parts: MeasuredPart[] = [];
    for (const [first, last] of ranges) {
      const range = { from: history.slots[first]?.start ?? from, until: history.slots[last]?.end ?? until };
      const question = [project.id, filters, query, config, unit, range];
      const part = { ...request, ...range, filters, signal: stop };
      const found = await answers.get(question, () => measureSeries(deps, part, unit, last - first + 1));
      parts.push({ first, ...found });
    }
    return { since, parts };
  };
  const { since, parts } = await withQueryLimits(MAX_SECONDS, signal, work);
  const { notes = [], warnings = [] } = parts.at(-1) ?? {};
  return { history, since, series: joinParts(parts, history.slots.length), notes, warnings };
}

interface Found {
  series: MeasuredSeries[];
  notes?: readonly string[];
  warnings?: readonly string[];
}

/** Some slots in a row. */
interface MeasuredPart extends Found {
  /** The index of the first of them. */
  first: number;
}

/** The first and last of those in a row: each is one question. The bounds of bins depend on all values together. */
function partsOf(indices: readonly number[], { breakdown_histogram_bin_count: bins = null }: JsonObject) {
  const parts: [first: number, last: number][] = [];
  for (const index of indices) {
    const part = parts.at(-1);
    if (part && (index === part[1] + 1 || bins !== null)) part[1] = index;
    else parts.push([index, index]);
  }
  return parts;
}

/** Of a breakdown that is asked for in parts: a value that is small in one of them may be large in another. */
const MAX_VALUES_OF_PART = 1000;

function withAllValues(filters: JsonObject): JsonObject {
  const { breakdown = null, breakdowns = null } = filters;
  return breakdown === null && breakdowns === null ? filters : { ...filters, breakdown_limit: MAX_VALUES_OF_PART };
}

/** Where there are several parts, the values of a breakdown are those that are largest in all of them together. */
function joinParts(parts: readonly MeasuredPart[], length: number): MeasuredSeries[] {
  const found = new Map<string | null, number[]>();
  for (const { first, series } of parts) {
    for (const { label, values } of series) {
      const joined = found.get(label) ?? Array.from({ length }, () => 0);
      joined.splice(first, values.length, ...values);
      found.set(label, joined);
    }
  }
  const all = [...found].map(([label, values]) => ({ label, values }));
  if (parts.length > 1) all.sort((a, b) => sum(b.values) - sum(a.values));
  return all.slice(0, MAX_SERIES);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function measureSeries(deps: MeasureDeps, request: MeasureRequest, unit: Interval, slots: number): Promise<Found> {
  const { config } = request.definition;
  switch (config.type) {
    case 'TrendsAlertConfig':
      return measureTrends(deps, request, unit, config);
    case 'FunnelAlertConfig':
      return measureFunnel(deps, request, unit, config);
    case 'RetentionAlertConfig':
      return measureRetention(deps, request, unit, config);
    case 'LifecycleAlertConfig':
      return measureLifecycle(deps, request, unit, config);
    case 'SqlAlertConfig':
      return measureStatement(deps, request, slots);
    case 'SilentEventConfig':
      return measureSilence(deps, request, unit, config, slots);
    case 'FlagChangeConfig':
      return measureFlagChanges(deps, request, unit, config);
    case 'LagConfig':
      return measureNow(slots, async () => Math.round((await deps.lagMs()) / 1000));
    case 'DiskConfig':
      return measureNow(slots, async () => Math.round((await deps.freeDiskShare()) * 1000) / 10);
    case 'NewErrorConfig':
      return measureNewErrors(deps, request, unit);
  }
}

type Config<T extends AlertConfig['type']> = Extract<AlertConfig, { type: T }>;

const plain = ({ filters }: MeasureRequest, insight: string): JsonObject => {
  const { date_from: _from, date_to: _to, explicit_date: _explicit, compare: _compare, ...rest } = filters;
  requireKind(filters, insight);
  return rest;
};

function requireKind({ insight = 'TRENDS' }: JsonObject, expected: string): void {
  if (String(insight).toUpperCase() === expected) return;
  throw invalid('config', `The insight is one of ${String(insight)}: its config has another type.`);
}

async function measureTrends(
  deps: MeasureDeps,
  request: MeasureRequest,
  unit: Interval,
  { seriesIndex }: Config<'TrendsAlertConfig'>,
): Promise<Found> {
  const fields = { ...plain(request, 'TRENDS'), display: 'ActionsLineGraph', smoothing_intervals: 1 };
  const items = await askTrends(deps, request, unit, fields);
  const isFormula = items.every(({ series }) => series === null);
  const own = isFormula ? items : items.filter(({ series }) => series === seriesIndex);
  if (own.length === 0 && items.length > 0)
    throw invalid('config', `The insight has no series ${seriesIndex} any more: series_index counts from 0.`);
  return {
    series: own.map(({ value, data }) => ({ label: value?.label ?? null, values: finite(data) })),
  };
}

const askTrends = async (
  deps: MeasureDeps,
  { project, from, until, signal }: MeasureRequest,
  unit: Interval,
  fields: JsonObject,
) =>
  (await deps.questions.answer(
    project,
    { ...fields, insight: 'TRENDS' },
    { from, until, unit, signal },
  )) as TrendItem[];

/** What is no number, such as a formula that divides by zero, counts as zero. */
const finite = (values: readonly number[]): number[] => values.map((value) => (Number.isFinite(value) ? value : 0));

async function measureFunnel(
  deps: MeasureDeps,
  request: MeasureRequest,
  unit: Interval,
  { step }: Config<'FunnelAlertConfig'>,
): Promise<Found> {
  const { project, from, until, signal } = request;
  const last = step === null ? {} : { funnel_to_step: step - 1 };
  const fields = { ...plain(request, 'FUNNELS'), funnel_viz_type: 'trends', funnel_from_step: 0, ...last };
  const answer = (await deps.questions.answer(project, fields, { from, until, unit, signal })) as FunnelAnswer;
  const trends = answer.view === 'trends' ? answer.trends : [];
  const label = (value: (typeof trends)[number]['value']) => (value === null ? null : [value].flat().join(', '));
  return {
    series: trends.map(({ value, data }) => ({ label: label(value), values: finite(data) })),
  };
}

/** So many intervals a question about retention may have, the period before the first slot among them. */
const MAX_RETENTION_INTERVALS = 500;

async function measureRetention(
  deps: MeasureDeps,
  request: MeasureRequest,
  unit: Interval,
  { period }: Config<'RetentionAlertConfig'>,
): Promise<Found> {
  const { project, from, until, signal } = request;
  const name = unit.slice(0, 1).toUpperCase() + unit.slice(1);
  const { display: _display, breakdown: _breakdown, breakdowns: _all, ...rest } = plain(request, 'RETENTION');
  const { slots } = slotHistory(from, until, unit, project.timezone);
  const values: number[] = [];
  for (const part of inChunks(slots, MAX_RETENTION_INTERVALS - period)) {
    const range = { from: part[0]?.start ?? from, until: part.at(-1)?.end ?? until };
    const fields = { ...rest, period: name, total_intervals: part.length + period };
    const rows = (await deps.questions.answer(project, fields, { ...range, unit, signal })) as RetentionRow[];
    values.push(...rows.slice(0, part.length).map((row) => cameBack(row, period)));
  }
  return { series: [{ label: null, values }] };
}

/** In percent. */
const cameBack = ({ counts: [size = 0, ...later] }: RetentionRow, period: number): number =>
  size === 0 ? 0 : (100 * (later[period - 1] ?? 0)) / size;

async function measureLifecycle(
  deps: MeasureDeps,
  request: MeasureRequest,
  unit: Interval,
  { status }: Config<'LifecycleAlertConfig'>,
): Promise<Found> {
  const { project, from, until, signal } = request;
  const fields = plain(request, 'LIFECYCLE');
  const items = (await deps.questions.answer(project, fields, { from, until, unit, signal })) as LifecycleItem[];
  const { data = [] } = items.find((item) => item.status === status) ?? {};
  return { series: [{ label: null, values: data.map(Math.abs) }] };
}

const UNIT_MS: Record<Interval, number> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: WEEK_MS,
  month: 30 * DAY_MS,
};

/** How many there were in this and the slots before it, as long as silence is allowed. */
async function measureSilence(
  deps: MeasureDeps,
  request: MeasureRequest,
  unit: Interval,
  { event, silentForMs }: Config<'SilentEventConfig'>,
  slots: number,
): Promise<Found> {
  const window = Math.ceil(silentForMs / UNIT_MS[unit]);
  const earlier = { ...request, from: request.from - (window - 1) * UNIT_MS[unit] };
  const fields = { events: [{ id: event, type: 'events', order: 0 }] };
  const [item] = await askTrends(deps, earlier, unit, fields);
  const counts = item?.data ?? [];
  const values = Array.from({ length: slots }, (_, i) => {
    const last = counts.length - slots + i;
    return counts.slice(Math.max(0, last - window + 1), last + 1).reduce((sum, n) => sum + n, 0);
  });
  return { series: [{ label: null, values }] };
}

async function measureFlagChanges(
  deps: MeasureDeps,
  request: MeasureRequest,
  unit: Interval,
  config: Config<'FlagChangeConfig'>,
): Promise<Found> {
  const { project, from, until } = request;
  return countInSlots(request, unit, await listFlagChanges(deps, project, config, { from, until }));
}

async function measureNewErrors(deps: MeasureDeps, request: MeasureRequest, unit: Interval): Promise<Found> {
  const { project, from, until, signal } = request;
  return countInSlots(request, unit, await listNewErrors(deps, project.id, { from, until }, signal));
}

function countInSlots({ project, from, until }: MeasureRequest, unit: Interval, happened: readonly Problem[]): Found {
  const { slots } = slotHistory(from, until, unit, project.timezone);
  const within = ({ start, end }: { start: number; end: number }) =>
    happened.filter(({ at }) => at >= start && at < end);
  const last = slots.at(-1);
  return {
    series: [{ label: null, values: slots.map((slot) => within(slot).length) }],
    notes: last === undefined ? [] : problemNotes(within(last)),
  };
}

/** Only what it answers now is known. */
async function measureStatement(
  { statements }: MeasureDeps,
  { project, query, signal }: MeasureRequest,
  slots: number,
): Promise<Found> {
  if (query === null) throw invalid('config', 'The insight is no SQL: its config has another type.');
  refuseHistory(slots);
  const answer = await statements.answer(project, query, { userId: null, refresh: true, signal });
  const value = lastNumber(answer);
  if (value === null) throw invalid('config', 'The last row of the statement has no number.');
  return { ...valueNow(value), warnings: answer.warnings.map(({ message }) => message) };
}

async function measureNow(slots: number, read: () => Promise<number>): Promise<Found> {
  refuseHistory(slots);
  return valueNow(await read());
}

function refuseHistory(slots: number): void {
  if (slots > 1)
    throw invalid(
      'config',
      'Only what is now is known of it, nothing of the past, so there is nothing to test.',
      'unsupported',
    );
}

const valueNow = (value: number): Found => ({ series: [{ label: null, values: [value] }] });
