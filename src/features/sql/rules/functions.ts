/**
 * The functions that a statement may call, in lower case. Each is pure, reads nothing but its arguments, and its result is
 * not much larger than they are. Others are refused by name.
 */
const NATIVE = `
  abs ceil ceiling floor round trunc sign sqrt cbrt exp ln log log2 log10 pow power mod greatest least pi radians degrees
  sin cos tan asin acos atan atan2 isnan isinf isfinite
  lower upper length strlen substring substr left right trim ltrim rtrim replace reverse concat concat_ws contains
  starts_with ends_with prefix suffix position strpos instr split_part string_split split regexp_matches regexp_full_match
  regexp_extract regexp_replace ascii chr md5 sha256 like_escape ilike_escape not_like_escape not_ilike_escape
  nullif ifnull if
  date_trunc datetrunc date_part datepart date_diff datediff date_sub datesub date_add last_day make_date make_timestamp
  epoch epoch_ms strftime strptime try_strptime dayname monthname year month day hour minute second week
  quarter dayofweek dayofmonth dayofyear isodow weekday yearweek isoyear weekofyear age timezone now current_timestamp
  get_current_timestamp today current_date to_days to_hours to_minutes to_seconds to_weeks to_months to_years
  to_milliseconds to_microseconds to_timestamp time_bucket
  json_extract json_extract_string json_extract_path json_extract_path_text json_array_length json_type json_keys
  json_exists json_valid
  list_value list_contains list_has array_contains array_has len array_length list_extract list_element array_extract
  list_distinct list_sort list_unique list_position list_sum list_avg list_min list_max list_transform list_apply
  list_filter list_slice array_slice array_to_string list_concat row struct_extract unnest
  count count_star sum avg mean min max any_value first last arg_min arg_max min_by max_by median mode quantile
  quantile_cont quantile_disc stddev stddev_samp stddev_pop variance var_samp var_pop corr covar_pop covar_samp
  count_if countif sum_no_overflow bool_and bool_or bit_and bit_or product approx_count_distinct approx_quantile
  string_agg group_concat listagg list array_agg entropy skewness kurtosis
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value grouping grouping_id
`;

/** Operators are functions in the tree. */
const OPERATORS = [
  '+',
  '-',
  '*',
  '/',
  '//',
  '%',
  '**',
  '^',
  '||',
  '~~',
  '!~~',
  '~~*',
  '!~~*',
  '->>',
  '&',
  '|',
  '<<',
  '>>',
];

const ALLOWED: ReadonlySet<string> = new Set([...NATIVE.trim().split(/\s+/), ...OPERATORS]);

/** Names of ClickHouse that PostHog's users know, and what they are called here. Arguments stay. */
const RENAMED: Readonly<Record<string, string>> = {
  countif: 'count_if',
  any: 'any_value',
  anylast: 'last',
  argmin: 'arg_min',
  argmax: 'arg_max',
  grouparray: 'list',
  datediff: 'date_diff',
  dateadd: 'date_add',
  toyear: 'year',
  tomonth: 'month',
  toquarter: 'quarter',
  todayofweek: 'isodow',
  todayofmonth: 'day',
  todayofyear: 'dayofyear',
  tohour: 'hour',
  tominute: 'minute',
  tosecond: 'second',
  tounixtimestamp: 'epoch',
  startswith: 'starts_with',
  endswith: 'ends_with',
  lowerutf8: 'lower',
  upperutf8: 'upper',
  lengthutf8: 'length',
  arrayjoin: 'unnest',
  has: 'list_contains',
  stddevsamp: 'stddev_samp',
  stddevpop: 'stddev_pop',
  varsamp: 'var_samp',
  varpop: 'var_pop',
  formatdatetime: 'strftime',
  replaceall: 'replace',
};

/** Calls that become something else: see `rewrite-calls.ts`. */
const REWRITTEN = [
  'uniq',
  'uniqexact',
  'groupuniqarray',
  'isnull',
  'isnotnull',
  'tostartofminute',
  'tostartofhour',
  'tostartofday',
  'tostartofweek',
  'tostartofmonth',
  'tostartofquarter',
  'tostartofyear',
  'todate',
  'todatetime',
  'tostring',
  'toint',
  'tofloat',
  'tobool',
  'touuid',
  'sumif',
  'avgif',
  'minif',
  'maxif',
  'uniqif',
  'multiif',
  'jsonextractstring',
  'jsonextractint',
  'jsonextractfloat',
  'jsonextractraw',
  'jsonextractbool',
  'empty',
  'notempty',
] as const;

export type RewrittenName = (typeof REWRITTEN)[number];

export const isRewritten = (name: string): name is RewrittenName => (REWRITTEN as readonly string[]).includes(name);

/** What the engine calls it; null if it is not allowed. */
export function engineName(name: string): string | null {
  const lower = name.toLowerCase();
  const renamed = RENAMED[lower];
  if (renamed !== undefined) return renamed;
  return ALLOWED.has(lower) ? lower : null;
}

export const SQL_FUNCTIONS: readonly string[] = [
  ...NATIVE.trim().split(/\s+/),
  ...Object.keys(RENAMED),
  ...REWRITTEN,
].sort();

/** The allowed name with the fewest changes, if few are enough. */
export function nearestFunction(name: string): string | undefined {
  const lower = name.toLowerCase().slice(0, 40);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of SQL_FUNCTIONS) {
    const distance = editDistance(lower, candidate);
    if (distance <= Math.ceil(lower.length / 3) && distance < (best?.distance ?? Infinity)) {
      best = { name: candidate, distance };
    }
  }
  return best?.name;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
