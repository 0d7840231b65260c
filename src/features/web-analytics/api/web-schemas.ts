import { Type } from '@sinclair/typebox';
import { VITALS } from '../../../core/web/web-vitals.ts';
import { DateTime, nullable } from '../../../http/schemas/common.ts';

const MaybeNumber = nullable(Type.Number());

const ComparedSchema = Type.Object({
  value: MaybeNumber,
  previous: MaybeNumber,
  /** In per cent. */
  change: nullable(Type.Integer()),
});

const RowSchema = Type.Object({
  visitors: Type.Integer(),
  sessions: Type.Optional(Type.Integer()),
  views: Type.Optional(Type.Integer()),
  bounce_rate: Type.Optional(MaybeNumber),
  average_duration: Type.Optional(MaybeNumber),
  exit_rate: Type.Optional(MaybeNumber),
  time_on_page: Type.Optional(MaybeNumber),
  scroll_depth: Type.Optional(MaybeNumber),
});

const TableSchema = Type.Object({
  rows: Type.Array(Type.Array(Type.Union([Type.String(), RowSchema])), {
    description: 'A value with its numbers. Pages have views; other tables sessions, bounce rate and duration.',
  }),
  total: Type.Integer(),
  more: Type.Boolean(),
});

const LINES = {
  days: Type.Array(Type.String()),
  visitors: Type.Array(Type.Number()),
  views: Type.Array(Type.Number()),
  sessions: Type.Array(Type.Number()),
  bounce_rate: Type.Array(MaybeNumber),
  average_duration: Type.Array(MaybeNumber),
} as const;

const BandSchema = Type.Union([Type.Literal('good'), Type.Literal('needs_improvements'), Type.Literal('poor')]);

const VitalSchema = Type.Object({
  p75: MaybeNumber,
  band: nullable(BandSchema),
  n: Type.Integer(),
  pages: Type.Array(Type.Object({ path: Type.String(), p75: Type.Number(), n: Type.Integer(), band: BandSchema }), {
    description: 'The pages where it is worst: up to 20 with at least 5 values.',
  }),
});

const PERIOD = {
  date_from: Type.String(),
  date_to: Type.String(),
  interval: Type.String(),
  timezone: Type.String(),
} as const;

export const OverviewSchema = Type.Object({
  ...PERIOD,
  totals: Type.Object({
    visitors: ComparedSchema,
    views: ComparedSchema,
    sessions: ComparedSchema,
    views_per_session: ComparedSchema,
    bounce_rate: ComparedSchema,
    average_duration: ComparedSchema,
    new_visitors: ComparedSchema,
    live: Type.Integer(),
  }),
  series: Type.Object({ ...LINES, previous: nullable(Type.Object(LINES)) }),
  tables: Type.Record(Type.String(), TableSchema),
  goals: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      type: Type.Union([Type.Literal('event'), Type.Literal('action'), Type.Literal('path')]),
      value: Type.String(),
      conversions: Type.Integer(),
      converters: Type.Integer(),
      rate: MaybeNumber,
    }),
  ),
  vitals: Type.Object(Object.fromEntries(Object.keys(VITALS).map((name) => [name, VitalSchema]))),
  left_out: Type.Object({ bots: Type.Integer(), own: Type.Integer(), hidden: Type.Integer() }),
  has_data: Type.Boolean(),
  cookieless_share: Type.Number(),
  calculated_at: DateTime,
});

export const BreakdownSchema = Type.Object({ ...PERIOD, by: Type.String(), ...TableSchema.properties });

export const SessionsSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String(),
      person: Type.String(),
      start: DateTime,
      end: DateTime,
      duration: Type.Integer(),
      views: Type.Integer(),
      bounced: Type.Boolean(),
      entry: Type.String(),
      exit: Type.String(),
      channel: Type.String(),
      source: Type.String(),
      device: nullable(Type.String()),
      browser: nullable(Type.String()),
      country: nullable(Type.String()),
    }),
  ),
  next: nullable(Type.String()),
});

export const WebPeopleSchema = Type.Object({
  results: Type.Array(Type.Unknown()),
  next: nullable(Type.String()),
  /** Visitors whose events carry no person. */
  missing_persons: Type.Integer(),
});

export const LiveSchema = Type.Object({
  visitors: Type.Integer(),
  pages: Type.Array(Type.Object({ path: Type.String(), country: nullable(Type.String()), at: DateTime })),
});

export const SiteStatusSchema = Type.Object({
  has_data: Type.Boolean(),
  last_view: nullable(DateTime),
  hosts: Type.Array(Type.String()),
  with_country: MaybeNumber,
  with_session: MaybeNumber,
  cookieless: MaybeNumber,
});

export const PERIOD_QUERY = {
  date_from: '`-7d` by default: `2024-01-31`, or relative such as `-30d`; `all` starts with the first event.',
  date_to: 'Today by default.',
  filters:
    'A JSON list of `{key, operator, value}`, all of which hold. Keys: `channel`, `source`, `referrer`, `utm_source`, …, `entry`, `exit`, `path`, `device`, `browser`, `browser_version`, `os`, `country`, `region`, `city`, `language`, `screen_size`, `host`, `new`; with a `type`, event and person properties as in insights.',
  include_bots: '`true`: with views by robots.',
  include_own: '`true`: with visits of your own.',
  filter_test_accounts: '`true`: without internal and test users.',
} as const;

export const OVERVIEW_QUERY = {
  ...PERIOD_QUERY,
  compare: '`previous_period`, `previous_year`, or two dates with a comma between.',
  tables: 'The tables to return, separated by commas.',
  goal: 'The id of a goal, or the name of an event; all goals of the project by default.',
  refresh: '`true`: do not use a cached answer.',
} as const;

export const BREAKDOWN_QUERY = {
  ...PERIOD_QUERY,
  by: 'A key of a filter, `page` (with the rate of exits, seconds on the page and how far it was read), `hour` (`1 09` is Monday from nine to ten), or `bot`.',
  limit: 'Up to 1000; 100 by default.',
  offset: 'How many rows to skip.',
  search: 'Part of the value.',
  order: '`-visitors` (the default), `visitors`, `-sessions`, `sessions`, `-views`, `views` or `value`.',
} as const;
