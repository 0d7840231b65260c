/** When an alert would have fired in the last weeks: one query, and the function that judges. */
import { backtest, MAX_FIRINGS_A_WEEK, suggestThreshold } from '../../core/alerts/backtest.ts';
import { historyStart } from '../../core/alerts/judge.ts';
import { lastWholeSlot, slotAt, slotUnit } from '../../core/alerts/slots.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { WEEK_MS } from '../../core/time/units.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { type MeasureDeps, measureSlots } from './measure/measure-alert.ts';
import { SharedAnswers } from './measure/shared-answers.ts';
import { type AlertDefinition, ruleOf } from './rules/alert-definition.ts';

interface BacktestRequest {
  project: Project;
  definition: AlertDefinition;
  filters: JsonObject;
  query: JsonObject | null;
  weeks: number;
  now: number;
  signal: AbortSignal;
}

/** Minutes are many. */
const MAX_WEEKS_OF_MINUTES = 1;

export async function backtestAlert(deps: MeasureDeps, request: BacktestRequest) {
  const { project, definition, filters, query, now, signal } = request;
  const { timezone } = project;
  const unit = slotUnit(definition.interval);
  const weeks = unit === 'minute' ? Math.min(request.weeks, MAX_WEEKS_OF_MINUTES) : request.weeks;
  const last = lastWholeSlot(now, unit, timezone);
  const first = slotAt(Math.min(last.end - weeks * WEEK_MS, last.start), unit, timezone);
  const rule = ruleOf(definition);
  const from = slotAt(
    historyStart(rule, first.start, slotAt(first.start - 1, unit, timezone).start),
    unit,
    timezone,
  ).start;
  const range = { from, until: last.end, signal, answers: new SharedAnswers() };
  const measured = await measureSlots(deps, { project, definition, filters, query, ...range });
  const index = measured.history.slots.findIndex(({ start }) => start >= first.start);
  const result = backtest(rule, measured, index);
  const isNoisy = result.perWeek > MAX_FIRINGS_A_WEEK;
  return {
    ...result,
    slots: measured.history.slots.slice(index),
    suggestion: isNoisy ? suggestThreshold(rule, measured, index) : null,
  };
}
