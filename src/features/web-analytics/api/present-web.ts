/** Answers as the API has them: rates from 0 to 1, null where something cannot be said. */
import type { Json } from '../../../core/json/json.ts';
import type { Range } from '../../../core/time/range.ts';
import { tickNames, ticksOf } from '../../../core/time/ticks.ts';
import type { WebGoal } from '../../../core/web/web-settings.ts';
import { type VitalName, vitalBand } from '../../../core/web/web-vitals.ts';
import { iso } from '../../../http/schemas/common.ts';
import type { OverviewAnswer, OverviewQuestion } from '../measure/answer-overview.ts';
import type { PeriodAnswer, VitalNumbers, WebRow, WebSession, WebTable } from '../rules/web-answers.ts';
import type { TablePage, WebGoalQuestion, WebQuestion } from '../rules/web-question.ts';

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

function compared(now: number | null, previous: number | null) {
  const canCompare = now !== null && previous !== null && previous !== 0;
  const change = canCompare ? Math.round(((now - previous) / previous) * 100) : null;
  return { value: now, previous, change };
}

const TOTALS: Record<string, (period: PeriodAnswer['totals']) => number | null> = {
  visitors: ({ viewers }) => viewers,
  views: ({ views }) => views,
  sessions: ({ sessions }) => sessions,
  views_per_session: ({ views, sessions }) => ratio(views, sessions),
  bounce_rate: ({ bounces, sessions }) => ratio(bounces, sessions),
  average_duration: ({ seconds, sessions }) => ratio(seconds, sessions),
  new_visitors: ({ newVisitors }) => newVisitors,
};

/** The first and the last day of the range. */
export function presentDates({ range, interval, timezone }: WebQuestion) {
  const [from, to] = tickNames([range.from, Math.max(range.from, range.until - 1)], 'day', timezone);
  return { date_from: from?.day ?? '', date_to: to?.day ?? '', interval, timezone };
}

function presentSeries({ interval, timezone }: WebQuestion, range: Range, { series }: PeriodAnswer) {
  const starts = ticksOf(range, interval, timezone).map(({ start }) => start);
  const perSession = (sums: readonly number[]) => sums.map((sum, at) => ratio(sum, series.sessions[at] ?? 0));
  return {
    days: tickNames(starts, interval, timezone).map(({ day }) => day),
    visitors: series.visitors,
    views: series.views,
    sessions: series.sessions,
    bounce_rate: perSession(series.bounces),
    average_duration: perSession(series.seconds),
  };
}

const presentRow = ({
  value,
  visitors,
  sessions,
  views,
  bounces,
  seconds,
  engagement,
}: WebRow): [string, Record<string, Json>] => [
  value,
  {
    visitors,
    ...(views === null ? {} : { views }),
    ...(engagement === undefined
      ? {}
      : {
          exit_rate: ratio(engagement.exits, views ?? 0),
          time_on_page: engagement.timeOnPage,
          scroll_depth: engagement.scrollDepth,
        }),
    ...(sessions === null
      ? {}
      : {
          sessions,
          bounce_rate: ratio(bounces ?? 0, sessions),
          average_duration: ratio(seconds ?? 0, sessions),
        }),
  },
];

export const presentTable = ({ rows, total }: WebTable, { offset }: Pick<TablePage, 'offset'> = { offset: 0 }) => ({
  rows: rows.map(presentRow),
  total,
  more: offset + rows.length < total,
});

const presentVitals = (vitals: VitalNumbers) =>
  Object.fromEntries(
    Object.entries(vitals).map(([name, { p75, n, pages }]) => [
      name,
      {
        p75,
        band: p75 === null ? null : vitalBand(name as VitalName, p75),
        n,
        pages: pages.map((page) => ({ ...page, band: vitalBand(name as VitalName, page.p75) })),
      },
    ]),
  );

function presentGoal(goal: WebGoalQuestion['goal'] | undefined): Pick<WebGoal, 'type' | 'value'> {
  if (goal === undefined) return { type: 'event', value: '' };
  if (goal.kind === 'path') return { type: 'path', value: goal.pattern };
  return { type: goal.entity.kind, value: String(goal.entity.id ?? '') };
}

export function presentOverview({ web, previous, goals }: OverviewQuestion, answer: OverviewAnswer, at: number) {
  const { now, previous: before } = answer;
  const totals = Object.entries(TOTALS).map(([name, of]) => [
    name,
    compared(of(now.totals), before === null ? null : of(before.totals)),
  ]);
  return {
    ...presentDates(web),
    totals: { ...Object.fromEntries(totals), live: answer.live },
    series: {
      ...presentSeries(web, web.range, now),
      previous: before === null || previous === null ? null : presentSeries(web, previous, before),
    },
    tables: Object.fromEntries(answer.tables.map(([key, table]) => [key, presentTable(table)])),
    goals: answer.goals.map(({ id, conversions, converters }, place) => ({
      id,
      name: goals[place]?.name ?? id,
      ...presentGoal(goals[place]?.goal),
      conversions,
      converters,
      rate: ratio(converters, now.totals.viewers),
    })),
    vitals: presentVitals(answer.vitals),
    left_out: answer.leftOut,
    has_data: answer.hasData,
    cookieless_share: answer.cookielessShare,
    calculated_at: iso(at),
  };
}

export const presentSession = ({ session, person, started, ended, seconds, views, isBounce, values }: WebSession) => ({
  // The first letter says whether the id was sent or made of the person.
  id: session.slice(1),
  person,
  start: iso(started),
  end: iso(ended),
  duration: seconds,
  views,
  bounced: isBounce,
  entry: values['entry'] ?? '',
  exit: values['exit'] ?? '',
  channel: values['channel'] ?? '',
  source: values['source'] ?? '',
  device: values['device'] || null,
  browser: values['browser'] || null,
  country: values['country'] || null,
});

const cell = (value: Json | undefined): string => (value === null || value === undefined ? '' : String(value));

/** A line for each interval. */
export function seriesCsv({ days, previous: _, ...lines }: ReturnType<typeof presentOverview>['series']): string[][] {
  const columns = Object.entries(lines);
  return [
    ['day', ...columns.map(([name]) => name)],
    ...days.map((day, at) => [day, ...columns.map(([, line]) => cell(line[at]))]),
  ];
}

/** The columns of a table, for a CSV file. */
export function tableCsv(by: string, { rows }: WebTable): string[][] {
  const shown = rows.map(presentRow);
  const columns = Object.keys(shown[0]?.[1] ?? { visitors: 0 });
  return [[by, ...columns], ...shown.map(([value, numbers]) => [value, ...columns.map((name) => cell(numbers[name]))])];
}
