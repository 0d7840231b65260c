/** What a scheduled change does, as a form and in words. */
import type { FeatureFlag } from '../../../api/flags.ts';
import type { ScheduledChange } from '../../../api/scheduled-changes.ts';
import { pluralize } from '../../../lib/numbers.ts';

export const ACTIONS = [
  { value: 'enable', label: 'Enable the flag' },
  { value: 'disable', label: 'Disable the flag' },
  { value: 'ramp', label: 'Roll out gradually' },
] as const;
export type Action = (typeof ACTIONS)[number]['value'];

export const RECURRENCES = [
  { value: 'once', label: 'Once' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every week' },
  { value: 'monthly', label: 'Every month' },
  { value: 'yearly', label: 'Every year' },
] as const;
export type Recurrence = (typeof RECURRENCES)[number]['value'];

/** Hours between the steps of a gradual rollout. */
export const PACES = [
  { value: '1', label: 'Every hour' },
  { value: '24', label: 'Every day' },
  { value: '168', label: 'Every week' },
] as const;
export type Pace = (typeof PACES)[number]['value'];

const HOUR_MS = 3_600_000;

/** `1, 10, 50, 100` as numbers; null where one is no percentage, or not above the one before. */
export function readPercentages(text: string): number[] | null {
  const numbers = text
    .split(/[\s,;→]+/)
    .filter((part) => part !== '')
    .map(Number);
  const isRising = numbers.every((one, at) => one >= 0 && one <= 100 && one > (numbers[at - 1] ?? -1));
  return numbers.length > 0 && isRising ? numbers : null;
}

/** `alert`: the ID of the one that stops it; null for none. */
export const rampOf = (
  condition: number,
  percentages: readonly number[],
  start: number,
  hours: number,
  alert: string | null = null,
) => ({
  operation: 'ramp',
  value: {
    condition_index: condition,
    steps: percentages.map((rollout_percentage, step) => ({
      at: new Date(start + step * hours * HOUR_MS).toISOString(),
      rollout_percentage,
    })),
    ...(alert === null ? {} : { halt_if: alert }),
  },
});

interface Payload {
  operation?: string;
  value?: unknown;
}

/** 'Disable the flag' */
export function describeOperation({ payload }: Pick<ScheduledChange, 'payload'>): string {
  const { operation, value } = payload as Payload;
  if (operation === 'update_status') return value === true ? 'Enable the flag' : 'Disable the flag';
  if (operation === 'add_release_condition') {
    const { groups = [] } = value as { groups?: unknown[] };
    return `Add ${pluralize(groups.length, 'release condition')}`;
  }
  if (operation === 'update_variants') return 'Replace the variants';
  const {
    steps = [],
    condition_index: condition = 0,
    halt_if: alert,
  } = value as {
    halt_if?: string | null;
    steps?: { rollout_percentage: number }[];
    condition_index?: number;
  };
  const percentages = steps.map((step) => `${step.rollout_percentage}%`).join(' → ');
  const guard = alert ? ', until an alert fires' : '';
  return `Roll out condition ${condition + 1}: ${percentages}${guard}`;
}

/** 'Every week', or the cron expression; null for a single change. */
export function describeRecurrence(change: ScheduledChange): string | null {
  const { recurrence_interval: interval, cron_expression: cron, is_recurring } = change;
  if (interval === null && cron === null) return null;
  const text = RECURRENCES.find(({ value }) => value === interval)?.label ?? `Cron ${cron}`;
  return is_recurring ? text : `${text}, paused`;
}

/** The flag after the change, to ask whose value it changes; of a gradual rollout, after its last step. */
export function flagAfter(
  flag: FeatureFlag,
  action: Action,
  condition: number,
  percentages: readonly number[] | null,
): { id: number; active?: boolean; filters?: FeatureFlag['filters'] } {
  if (action !== 'ramp') return { id: flag.id, active: action === 'enable' };
  const groups = Array.isArray(flag.filters['groups']) ? flag.filters['groups'] : [];
  const last = percentages?.at(-1) ?? 0;
  const changed = groups.map((group, at) =>
    at === condition ? { ...(group as object), rollout_percentage: last } : group,
  );
  return { id: flag.id, filters: { ...flag.filters, groups: changed } as FeatureFlag['filters'] };
}
