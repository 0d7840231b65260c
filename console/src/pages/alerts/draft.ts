/** The form of an alert: what is typed, and the request that it makes. */
import type { Alert, AlertWrite, Backtest } from '../../api/alerts.ts';

export const WATCHED = [
  { value: 'insight', label: 'A saved insight' },
  { value: 'silent', label: 'An event that falls silent' },
  { value: 'flags', label: 'Changes of feature flags' },
  { value: 'errors', label: 'New errors' },
  { value: 'lag', label: 'How long events wait to be processed' },
  { value: 'disk', label: 'Free disk space' },
] as const;
export type Watched = (typeof WATCHED)[number]['value'];

export const CONDITIONS = [
  { value: 'absolute_value', label: 'The value is outside these bounds' },
  { value: 'relative_increase', label: 'The value increased against the period before' },
  { value: 'relative_decrease', label: 'The value decreased against the period before' },
  { value: 'seasonal', label: 'The value is unusual for this time of the week' },
] as const;
export type Condition = (typeof CONDITIONS)[number]['value'];

export const INTERVALS = [
  { value: 'every_minute', label: 'Every minute' },
  { value: 'hourly', label: 'Every hour' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every week' },
  { value: 'monthly', label: 'Every month' },
] as const;
export type Interval = (typeof INTERVALS)[number]['value'];

export const FLAG_CHANGE_KINDS = [
  { value: 'active', label: 'Enabled or disabled' },
  { value: 'rollout', label: 'Release conditions' },
  { value: 'variants', label: 'Variants' },
  { value: 'rollback', label: 'Rolled back' },
] as const;
export type FlagChangeKind = (typeof FLAG_CHANGE_KINDS)[number]['value'];

export interface AlertDraft {
  name: string;
  watched: Watched;
  insight: number | null;
  /** Of a trend, counted from 0; the step of a funnel; the period of retention; the status of a lifecycle. */
  part: string;
  event: string;
  silentFor: string;
  condition: Condition;
  interval: Interval;
  lower: string;
  upper: string;
  isPercentage: boolean;
  k: string;
  direction: 'both' | 'up' | 'down';
  inRow: string;
  /** How many have to be inside before it clears; null: as many as make it fire. */
  clearFor: number | null;
  margin: number;
  /** `6h`; empty: there is one message only. */
  remindEvery: string;
  /** Whose changes of flags; none: of all. */
  flagIds: readonly number[];
  flagTags: readonly string[];
  flagKinds: readonly FlagChangeKind[];
  skipWeekend: boolean;
  checkOngoing: boolean;
  users: readonly number[];
  hooks: readonly HookDraft[];
}

/** `url` is empty for the webhook of the project; a known one keeps its address unless another is typed. */
export interface HookDraft {
  id: string | null;
  type: 'slack_webhook' | 'webhook';
  url: string;
}

export const newDraft = (insight: number | null, userId: number | null): AlertDraft => ({
  name: '',
  watched: 'insight',
  insight,
  part: '',
  event: '',
  silentFor: '6h',
  condition: 'absolute_value',
  interval: 'hourly',
  lower: '',
  upper: '',
  isPercentage: false,
  k: '4',
  direction: 'both',
  inRow: '1',
  clearFor: null,
  margin: 0,
  remindEvery: '',
  flagIds: [],
  flagTags: [],
  flagKinds: FLAG_CHANGE_KINDS.map(({ value }) => value),
  skipWeekend: false,
  checkOngoing: false,
  users: userId === null ? [] : [userId],
  hooks: [],
});

interface StoredConfig {
  type: string;
  series_index?: number;
  step?: number | null;
  period?: number;
  status?: string;
  event?: string;
  silent_for?: string;
  check_ongoing_interval?: boolean;
  flag_ids?: number[] | null;
  tags?: string[] | null;
  kinds?: FlagChangeKind[];
}
interface StoredHysteresis {
  for: number;
  clear_for: number;
  margin: number;
  remind_every: string | null;
}
interface StoredThreshold {
  configuration: {
    type: string;
    bounds?: { lower: number | null; upper: number | null };
    k?: number;
    direction?: AlertDraft['direction'];
  };
}

const WATCHED_OF: Readonly<Record<string, Watched>> = {
  SilentEventConfig: 'silent',
  FlagChangeConfig: 'flags',
  LagConfig: 'lag',
  DiskConfig: 'disk',
  NewErrorConfig: 'errors',
};

const shown = (value: number | null | undefined, isPercentage: boolean): string =>
  value === null || value === undefined ? '' : String(isPercentage ? Math.round(value * 1e6) / 1e4 : value);

export function draftOf(alert: Alert): AlertDraft {
  const config = alert.config as StoredConfig;
  const { configuration } = (alert.threshold ?? { configuration: { type: 'absolute' } }) as StoredThreshold;
  const isPercentage = configuration.type === 'percentage';
  const hysteresis = alert.hysteresis as StoredHysteresis;
  const draft = newDraft(alert.insight?.id ?? null, null);
  const part = config.series_index ?? config.step ?? config.period ?? config.status ?? '';
  return {
    ...draft,
    name: alert.name,
    watched: WATCHED_OF[config.type] ?? 'insight',
    part: String(part),
    event: config.event ?? '',
    silentFor: config.silent_for ?? '6h',
    condition: (alert.condition as { type: Condition }).type,
    interval: alert.calculation_interval as Interval,
    lower: shown(configuration.bounds?.lower, isPercentage),
    upper: shown(configuration.bounds?.upper, isPercentage),
    isPercentage,
    k: String(configuration.k ?? 4),
    direction: configuration.direction ?? 'both',
    inRow: String(hysteresis.for),
    clearFor: hysteresis.clear_for === hysteresis.for ? null : hysteresis.clear_for,
    margin: hysteresis.margin,
    remindEvery: hysteresis.remind_every ?? '',
    flagIds: config.flag_ids ?? [],
    flagTags: config.tags ?? [],
    flagKinds: config.kinds ?? draft.flagKinds,
    skipWeekend: alert.skip_weekend,
    checkOngoing: config.check_ongoing_interval ?? false,
    users: alert.subscribed_users.map(({ id }) => id),
    hooks: alert.targets.map(({ id, type }) => ({
      id,
      type: type === 'webhook' ? 'webhook' : 'slack_webhook',
      url: '',
    })),
  };
}

/** Undefined: it is no number. */
const numberOf = (text: string, isPercentage: boolean): number | null | undefined => {
  if (text.trim() === '') return null;
  const value = Number(text.replace(',', '.'));
  return Number.isFinite(value) ? value / (isPercentage ? 100 : 1) : undefined;
};

const listOrNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

function configOf(draft: AlertDraft, kind: string): object {
  const { watched, part, event, silentFor, checkOngoing, flagIds, flagTags, flagKinds } = draft;
  if (watched === 'silent') return { type: 'SilentEventConfig', event, silent_for: silentFor };
  if (watched === 'flags') {
    const flags = { flag_ids: listOrNull(flagIds), tags: listOrNull(flagTags) };
    return { type: 'FlagChangeConfig', ...flags, kinds: flagKinds };
  }
  if (watched === 'lag') return { type: 'LagConfig' };
  if (watched === 'disk') return { type: 'DiskConfig' };
  if (watched === 'errors') return { type: 'NewErrorConfig' };
  const number = part === '' ? null : Number(part);
  switch (kind) {
    case 'FUNNELS':
      return { type: 'FunnelAlertConfig', step: number };
    case 'RETENTION':
      return { type: 'RetentionAlertConfig', period: number ?? 1 };
    case 'LIFECYCLE':
      return { type: 'LifecycleAlertConfig', status: part || 'new' };
    case 'SQL':
      return { type: 'SqlAlertConfig' };
    default:
      return { type: 'TrendsAlertConfig', series_index: number ?? 0, check_ongoing_interval: checkOngoing };
  }
}

export const hasOwnRule = ({ watched }: AlertDraft): boolean =>
  watched === 'silent' || watched === 'flags' || watched === 'errors';

/** Only what is now is known of it: no comparison with earlier periods, and no back-test. */
export const isOfNow = ({ watched }: AlertDraft, kind: string): boolean =>
  watched === 'lag' || watched === 'disk' || (watched === 'insight' && kind === 'SQL');

/** The kind of an insight: the field `insight` of its filters, or SQL. */
export const kindOf = (insight: { filters?: unknown; query?: unknown } | undefined): string => {
  if ((insight?.query ?? null) !== null) return 'SQL';
  return String((insight?.filters as { insight?: string } | undefined)?.insight ?? 'TRENDS').toUpperCase();
};

/** What is missing before it can be tested or saved; null if nothing is. */
export function missingIn(draft: AlertDraft, kind: string): string | null {
  const { watched, insight, event, lower, upper, isPercentage, k } = draft;
  if (watched === 'insight' && insight === null) return 'Choose an insight.';
  if (watched === 'silent' && event.trim() === '') return 'Choose an event.';
  if (watched === 'flags' && draft.flagKinds.length === 0) return 'Choose at least one kind of change.';
  if (draft.remindEvery.trim() !== '' && !/^\d{1,5}[mhdw]$/.test(draft.remindEvery.trim()))
    return 'Reminders come after a length of time: 30m, 6h, 1d.';
  if (hasOwnRule(draft)) return null;
  const condition = conditionOf(draft, kind);
  if (condition === 'seasonal') return Number(k) > 0 ? null : 'The sensitivity is a number above 0.';
  const [low, high] = [numberOf(lower, isPercentage), numberOf(upper, isPercentage)];
  if (low === undefined || high === undefined) return 'Bounds are numbers.';
  if (low === null && high === null) return 'Set at least one bound.';
  return low !== null && high !== null && low > high ? 'The lower bound is above the upper one.' : null;
}

const conditionOf = (draft: AlertDraft, kind: string): Condition =>
  hasOwnRule(draft) || isOfNow(draft, kind) ? 'absolute_value' : draft.condition;

/** The rule as the API takes it. `kind`: the field `insight` of the insight's filters. */
export function ruleOf(draft: AlertDraft, kind: string): Omit<AlertWrite, 'name'> {
  const { watched, insight, interval, lower, upper, isPercentage, k, direction, inRow, skipWeekend } = draft;
  const { clearFor, margin, remindEvery } = draft;
  const condition = conditionOf(draft, kind);
  const type = isPercentage && condition !== 'absolute_value' ? 'percentage' : 'absolute';
  const bounds = {
    lower: numberOf(lower, type === 'percentage') ?? null,
    upper: numberOf(upper, type === 'percentage') ?? null,
  };
  const configuration = condition === 'seasonal' ? { type: 'deviation', k: Number(k), direction } : { type, bounds };
  const count = Math.max(1, Math.round(Number(inRow) || 1));
  return {
    insight: watched === 'insight' ? insight : null,
    config: configOf(draft, kind),
    condition: { type: condition },
    threshold: hasOwnRule(draft) ? null : { configuration },
    calculation_interval: interval,
    hysteresis: { for: count, clear_for: clearFor ?? count, margin, remind_every: remindEvery.trim() || null },
    skip_weekend: skipWeekend,
  };
}

export const toWrite = (draft: AlertDraft, kind: string): AlertWrite => ({
  ...ruleOf(draft, kind),
  name: draft.name.trim(),
  subscribed_users: [...draft.users],
  targets: draft.hooks.map(({ id, type, url }) => ({ id, type, ...(url.trim() === '' ? {} : { url: url.trim() }) })),
});

/** With the bounds that a back-test suggests. */
export function withSuggestion(draft: AlertDraft, suggestion: Backtest['suggestion']): AlertDraft {
  if (suggestion === null) return draft;
  const { configuration } = suggestion as StoredThreshold;
  if (configuration.k !== undefined) return { ...draft, k: String(Math.round(configuration.k * 100) / 100) };
  const isPercentage = configuration.type === 'percentage';
  return {
    ...draft,
    lower: shown(configuration.bounds?.lower, isPercentage),
    upper: shown(configuration.bounds?.upper, isPercentage),
  };
}
