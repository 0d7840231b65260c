/** What makes an alert fire, in one line. */
import type { Alert } from '../../api/alerts.ts';
import { formatNumber, formatPercent } from '../../lib/numbers.ts';
import { draftOf } from './draft.ts';

const PERIODS: Readonly<Record<string, string>> = {
  every_minute: 'in a minute',
  hourly: 'in an hour',
  daily: 'in a day',
  weekly: 'in a week',
  monthly: 'in a month',
};

export function describeAlert(alert: Alert): string {
  const { watched, event, silentFor, condition, lower, upper, isPercentage, direction } = draftOf(alert);
  if (watched === 'silent') return `No “${event}” for ${silentFor}`;
  if (watched === 'flags') return 'A feature flag changes';
  if (watched === 'errors') return 'A new exception, ingestion warning or dead letter';
  const subject = SUBJECTS[watched] ?? (alert.insight?.name || alert.insight?.derived_name || 'The insight');
  const period = PERIODS[alert.calculation_interval] ?? '';
  if (condition === 'seasonal') return `${subject} is unusually ${DIRECTIONS[direction]} ${period}`;
  const bound = (text: string): string =>
    isPercentage ? formatPercent(Number(text) / 100) : formatNumber(Number(text));
  const verb = VERBS[condition] ?? 'is';
  const parts = [
    ...(lower === '' ? [] : [`below ${bound(lower)}`]),
    ...(upper === '' ? [] : [`above ${bound(upper)}`]),
  ];
  return `${subject} ${verb} ${parts.join(' or ')} ${period}`;
}

const SUBJECTS: Readonly<Record<string, string>> = {
  lag: 'Seconds that events wait',
  disk: 'Free disk space in percent',
};
const DIRECTIONS = { both: 'high or low', up: 'high', down: 'low' } as const;
const VERBS: Readonly<Record<string, string>> = {
  absolute_value: 'is',
  relative_increase: 'increases by',
  relative_decrease: 'decreases by',
};
