/** The aggregates of statements as ClickHouse has them. They alone take FILTER and DISTINCT. */
import { onlyInDuckDb } from './clickhouse-text.ts';

interface ClickHouseAggregate {
  args: readonly string[];
  /** `name(distinct a, b) filter (where …)`. */
  call(name: string, ...args: readonly string[]): string;
  /** The number that an argument is; otherwise it fails. */
  number(index: number): number;
}

type Write = (aggregate: ClickHouseAggregate) => string;

const named =
  (name: string): Write =>
  ({ args, call }) =>
    call(name, ...args);

function level({ number }: ClickHouseAggregate): number {
  const share = number(1);
  if (!(share >= 0 && share <= 1)) throw onlyInDuckDb('A quantile outside of 0 to 1');
  return share;
}

/** One of the values: the first that so many are not above. */
const quantile: Write = (aggregate) => {
  const { args, call } = aggregate;
  const [value = ''] = args;
  const place = `greatest(1, toInt64(ceil(${level(aggregate)} * ${call('count', value)})))`;
  return `arrayElementOrNull(arraySort(${call('groupArray', value)}), ${place})`;
};

const joined: Write = ({ args: [value = '', separator = `','`], call }) =>
  `if(${call('count', value)} = 0, null, arrayStringConcat(${call('groupArray', `toString(${value})`)}, ${separator}))`;

export const CLICKHOUSE_AGGREGATES: ReadonlyMap<string, Write> = new Map(
  Object.entries<Write>({
    count: ({ args, call }) => `toInt64(${call('count', ...args)})`,
    count_star: ({ call }) => `toInt64(${call('count')})`,
    count_if: ({ args, call }) => `toInt64(${call('countIf', ...args)})`,
    sum: named('sum'),
    avg: named('avg'),
    mean: named('avg'),
    min: named('min'),
    max: named('max'),
    any_value: named('any'),
    arg_min: named('argMin'),
    arg_max: named('argMax'),
    min_by: named('argMin'),
    max_by: named('argMax'),
    median: ({ args, call }) => call('quantileExactInclusive(0.5)', ...args),
    quantile,
    quantile_disc: quantile,
    quantile_cont: (aggregate) =>
      aggregate.call(`quantileExactInclusive(${level(aggregate)})`, aggregate.args[0] ?? ''),
    stddev: named('stddevSampStable'),
    stddev_samp: named('stddevSampStable'),
    stddev_pop: named('stddevPopStable'),
    variance: named('varSampStable'),
    var_samp: named('varSampStable'),
    var_pop: named('varPopStable'),
    corr: named('corrStable'),
    bool_and: ({ args: [value], call }) => `toBool(${call('min', `toUInt8(${value})`)})`,
    bool_or: ({ args: [value], call }) => `toBool(${call('max', `toUInt8(${value})`)})`,
    string_agg: joined,
    group_concat: joined,
    listagg: joined,
    list: named('groupArray'),
    array_agg: named('groupArray'),
  }),
);
