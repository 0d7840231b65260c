/** What a change of an experiment means for those who are told about it. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

export interface ExperimentMessage {
  type: 'launched' | 'ended' | 'shipped' | 'rolled_back' | 'guardrail';
  title: string;
  text: string;
  data: JsonObject;
}

interface Changed {
  settings: JsonObject;
  startDate: number | null;
  endDate: number | null;
}

/** The most important of what has happened; null: nothing that others have to know. */
export function messageOf(before: Changed, after: Changed, now: number): ExperimentMessage | null {
  const conclusion = textOf(after.settings['conclusion']);
  const comment = textOf(after.settings['conclusion_comment']);
  const said = [conclusion === '' ? '' : `Conclusion: ${conclusion.replaceAll('_', ' ')}.`, comment]
    .filter((text) => text !== '')
    .join(' ');
  const concluded = { conclusion: conclusion === '' ? null : conclusion, conclusion_comment: comment };
  const { rolled_back: rolledBack, shipped } = after.settings;
  if (isJsonObject(rolledBack ?? null) && before.settings['rolled_back'] === undefined) {
    const text = textOf((rolledBack as JsonObject)['sentence']);
    const title = 'rolled back by a guardrail';
    return { type: 'rolled_back', title, text, data: { ...(rolledBack as JsonObject), ...concluded } };
  }
  if (isJsonObject(shipped ?? null) && !isSame(shipped, before.settings['shipped'])) {
    const variant = textOf((shipped as JsonObject)['variant']);
    return { type: 'shipped', title: `${variant} shipped to everyone`, text: said, data: { variant, ...concluded } };
  }
  const alarm = newAlarm(before.settings, after.settings);
  if (alarm !== null) {
    const done = { pause: 'paused by a guardrail', roll_back: 'a variant was rolled back' }[textOf(alarm['action'])];
    return { type: 'guardrail', title: done ?? 'a guardrail was harmed', text: textOf(alarm['sentence']), data: alarm };
  }
  if (before.endDate === null && after.endDate !== null)
    return { type: 'ended', title: 'ended', text: said, data: concluded };
  return isRunning(after, now) && !isRunning(before, now)
    ? { type: 'launched', title: 'launched', text: 'Exposures count from now.', data: {} }
    : null;
}

/** A start that was planned counts once it is done. */
const isRunning = ({ startDate, settings }: Changed, now: number): boolean =>
  startDate !== null && startDate <= now && settings['scheduled_start'] !== true;

function newAlarm(before: JsonObject, after: JsonObject): JsonObject | null {
  const last = listOf(after).at(-1) ?? null;
  return isJsonObject(last) && !isSame(last, listOf(before).at(-1)) ? last : null;
}

const listOf = ({ guardrail_alarms: alarms }: JsonObject): Json[] => (Array.isArray(alarms) ? alarms : []);
const isSame = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
