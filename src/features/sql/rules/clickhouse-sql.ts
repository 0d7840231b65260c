/**
 * Writes a checked tree as a statement of ClickHouse, for one project. Nothing of the text that came in is passed on: what
 * has no translation here is refused, so functions and tables of ClickHouse cannot be named.
 */
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { Json } from '../../../core/json/json.ts';
import { CLICKHOUSE_AGGREGATES } from './clickhouse-aggregates.ts';
import { CLICKHOUSE_FUNCTIONS, unitOf } from './clickhouse-functions.ts';
import { clickhouseText, onlyInDuckDb, quoteName } from './clickhouse-text.ts';
import { clickhouseView, type SentTable } from './clickhouse-views.ts';
import type { SqlScalar } from './prepare-text.ts';
import { SqlRefusal } from './refusal.ts';
import { isNode, type TreeNode } from './tree-nodes.ts';
import { VIEWS } from './views.ts';

/** Text of the statement, and tables whose rows stand between two parts of it. */
export type ClickHousePart = string | { rowsOf: SentTable };

interface WriteOptions {
  projectId: number;
  parameters: Readonly<Record<string, SqlScalar>>;
}

/** `tree`: of `checkTree`. */
export function writeClickHouse(tree: TreeNode, options: WriteOptions): ClickHousePart[] {
  const [statement] = tree['statements'] as TreeNode[];
  const node = statement?.['node'];
  if (!isNode(node)) throw onlyInDuckDb('This syntax');
  const text = new Writer(tree, options).query(node, new Set());
  // No text of a statement has this character: see `clickhouseText`.
  return text.split('\0').map((part, at) => (at % 2 === 0 ? part : { rowsOf: part as SentTable }));
}

type Names = ReadonlySet<string>;

const COMPARISONS: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: '=',
  COMPARE_NOTEQUAL: '!=',
  COMPARE_LESSTHAN: '<',
  COMPARE_GREATERTHAN: '>',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHANOREQUALTO: '>=',
};
const JOINS: Readonly<Record<string, string>> = {
  INNER: 'inner join',
  LEFT: 'left join',
  RIGHT: 'right join',
  OUTER: 'full join',
  FULL: 'full join',
  SEMI: 'left semi join',
  ANTI: 'left anti join',
};
const WINDOW_FUNCTIONS: Names = new Set(['row_number', 'rank', 'dense_rank', 'percent_rank']);
/** They look at other rows; a row that is not there is null. */
const NEIGHBOURS: Names = new Set(['lag', 'lead', 'first_value', 'last_value']);

/** What is known of an expression's type from how it is written. */
type Kind = 'time' | 'bool' | 'number' | 'unknown';

const KINDS_OF_TYPES: readonly (readonly [RegExp, Kind])[] = [
  [/DateTime/, 'time'],
  [/Bool/, 'bool'],
  [/Int|Float/, 'number'],
];
const COLUMN_KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.values(VIEWS).flatMap(({ columns }) =>
    columns.map(({ name, type }) => [name, KINDS_OF_TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'unknown']),
  ),
);
const TIME_FUNCTIONS: Names = new Set([
  'date_trunc',
  'datetrunc',
  'timezone',
  'now',
  'current_timestamp',
  'get_current_timestamp',
]);
const WHOLE_TYPES: Names = new Set([
  ...['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT'],
]);
const TRUE_TEXTS = `('true', 't', '1', 'yes', 'y')`;
const FALSE_TEXTS = `('false', 'f', '0', 'no', 'n')`;

class Writer {
  readonly #options: WriteOptions;
  readonly #readsIdentified: boolean;

  constructor(tree: TreeNode, options: WriteOptions) {
    this.#options = options;
    const text = JSON.stringify(tree).toLowerCase();
    this.#readsIdentified = text.includes('is_identified') || text.includes('"class":"star"');
  }

  query(node: TreeNode, outer: Names): string {
    const names = new Set(outer);
    const ctes = ((node['cte_map'] as { map?: TreeNode[] } | null)?.map ?? []).map((entry) => {
      const value = entry['value'] as TreeNode;
      requireNone(value['aliases'], 'Column names of a WITH');
      const text = `${quoteName(String(entry['key']))} as (${this.#subquery(value['query'], names)})`;
      names.add(String(entry['key']).toLowerCase());
      return text;
    });
    const head = ctes.length === 0 ? '' : `with ${ctes.join(', ')} `;
    const body = node['type'] === 'SET_OPERATION_NODE' ? this.#union(node, names) : this.#select(node, names);
    return head + body;
  }

  #subquery(query: Json | undefined, names: Names): string {
    const node = isNode(query) ? query['node'] : undefined;
    if (!isNode(node)) throw onlyInDuckDb('This syntax');
    return this.query(node, names);
  }

  #union(node: TreeNode, names: Names): string {
    const sides = Array.isArray(node['children']) ? node['children'] : [node['left'], node['right']];
    const kind = `${String(node['setop_type']).toLowerCase()} ${node['setop_all'] === true ? 'all' : 'distinct'}`;
    if (!/^(?:union|except|intersect) /.test(kind)) throw onlyInDuckDb('UNION BY NAME');
    const [first] = sides;
    const text = sides.map((side) => `(${this.query(side as TreeNode, names)})`).join(` ${kind} `);
    const modifiers = this.#modifiers(node, isNode(first) ? selectList(first) : [], names);
    return modifiers.after === '' ? text : `select * from (${text})${modifiers.after}`;
  }

  #select(node: TreeNode, names: Names): string {
    const list = selectList(node);
    const used = new Set<string>();
    const columns = list.map((item) => this.#column(item, used, names));
    const { distinct, after } = this.#modifiers(node, list, names);
    const clause = (word: string, field: string): string =>
      isNode(node[field]) ? ` ${word} ${this.#expression(node[field], names)}` : '';
    return [
      `select ${distinct}${columns.join(', ')}`,
      this.#from(node['from_table'], names),
      clause('where', 'where_clause'),
      this.#groupBy(node, names),
      clause('having', 'having'),
      clause('qualify', 'qualify'),
      after,
    ].join('');
  }

  /** ClickHouse takes a name once in a list; the others are found by their places. */
  #column(item: TreeNode, used: Set<string>, names: Names): string {
    const alias = String(item['alias'] ?? '').toLowerCase();
    const text = this.#expression(item, names);
    if (alias === '' || used.has(alias)) return text;
    used.add(alias);
    return `${text} as ${quoteName(alias)}`;
  }

  #groupBy(node: TreeNode, names: Names): string {
    if (node['aggregate_handling'] === 'FORCE_AGGREGATES') return ' group by all';
    const groups = (node['group_expressions'] ?? []) as TreeNode[];
    const sets = (node['group_sets'] ?? []) as Json[];
    if (sets.length > 1) throw onlyInDuckDb('GROUPING SETS, ROLLUP and CUBE');
    return groups.length === 0 ? '' : ` group by ${groups.map((group) => this.#place(group, names)).join(', ')}`;
  }

  /** A column, or the place of one. */
  #place(expression: TreeNode, names: Names): string {
    const place = constantNumber(expression);
    return place === null ? this.#expression(expression, names) : String(place);
  }

  #modifiers(node: TreeNode, list: readonly TreeNode[], names: Names): { distinct: string; after: string } {
    let distinct = '';
    let order = '';
    let limit = '';
    for (const modifier of (node['modifiers'] ?? []) as TreeNode[]) {
      if (modifier['type'] === 'DISTINCT_MODIFIER') {
        requireNone(modifier['distinct_on_targets'], 'DISTINCT ON');
        distinct = 'distinct ';
      } else if (modifier['type'] === 'ORDER_MODIFIER') {
        order = ` order by ${this.#orders(modifier['orders'], list, names)}`;
      } else limit = this.#limit(modifier);
    }
    return { distinct, after: order + limit };
  }

  #limit({ limit, offset }: TreeNode): string {
    const number = (value: Json | undefined): number => {
      const found = isNode(value) ? constantNumber(value) : null;
      if (found === null) throw onlyInDuckDb('A limit that is no number');
      return found;
    };
    const rows = isNode(limit) ? ` limit ${number(limit)}` : '';
    return isNode(offset) ? `${rows} offset ${number(offset)}` : rows;
  }

  /** A name in ORDER BY is first one of the list, then a column. */
  #orders(orders: Json | undefined, list: readonly TreeNode[], names: Names): string {
    const aliases = list.map((item) => String(item['alias'] ?? '').toLowerCase());
    return ((orders ?? []) as TreeNode[])
      .map(({ type, null_order: nulls, expression }) => {
        if (!isNode(expression) || expression['class'] === 'STAR') throw onlyInDuckDb('ORDER BY ALL');
        const columns = expression['column_names'];
        const alias = Array.isArray(columns) && columns.length === 1 ? String(columns[0]).toLowerCase() : '';
        const at = alias === '' ? -1 : aliases.indexOf(alias);
        const value = at >= 0 && !list.some(({ class: kind }) => kind === 'STAR') ? String(at + 1) : null;
        const direction = type === 'DESCENDING' ? 'desc' : 'asc';
        const placed = nulls === 'NULLS FIRST' ? 'nulls first' : 'nulls last';
        return `${value ?? this.#place(expression, names)} ${direction} ${placed}`;
      })
      .join(', ');
  }

  #from(from: Json | undefined, names: Names): string {
    return !isNode(from) || from['type'] === 'EMPTY' ? '' : ` from ${this.#table(from, names)}`;
  }

  #table(table: TreeNode, names: Names): string {
    requireNone(table['column_name_alias'], 'Column names after the name of a table');
    switch (table['type']) {
      case 'BASE_TABLE':
        return this.#baseTable(table, names);
      case 'SUBQUERY': {
        const alias = String(table['alias'] ?? '');
        return `(${this.#subquery(table['subquery'], names)})${alias === '' ? '' : ` as ${quoteName(alias)}`}`;
      }
      case 'JOIN':
        return this.#join(table, names);
      default:
        throw onlyInDuckDb('VALUES and unnest after FROM');
    }
  }

  #baseTable(table: TreeNode, names: Names): string {
    const name = String(table['table_name']).toLowerCase();
    const alias = quoteName(String(table['alias'] || name));
    if (names.has(name)) return `${quoteName(name)} as ${alias}`;
    const view = clickhouseView(name, {
      projectId: this.#options.projectId,
      rowsOf: (sent) => `\0${sent}\0`,
      readsIdentified: this.#readsIdentified,
    });
    return `${view} as ${alias}`;
  }

  #join(join: TreeNode, names: Names): string {
    const { left, right, ref_type: reference, join_type: type, condition, using_columns: using } = join;
    if (!isNode(left) || !isNode(right)) throw onlyInDuckDb('This join');
    const isCross = reference === 'CROSS';
    if (!isCross && (reference !== 'REGULAR' || right['type'] === 'JOIN')) {
      throw onlyInDuckDb('NATURAL, ASOF and POSITIONAL joins, and joins in brackets,');
    }
    const kind = isCross ? 'cross join' : JOINS[String(type)];
    if (kind === undefined) throw onlyInDuckDb('This join');
    const tables = `${this.#table(left, names)} ${kind} ${this.#table(right, names)}`;
    if (isNode(condition)) return `${tables} on ${this.#expression(condition, names)}`;
    const columns = Array.isArray(using) ? using.map((name) => quoteName(String(name))) : [];
    return columns.length === 0 ? tables : `${tables} using (${columns.join(', ')})`;
  }

  #expression(node: Json | undefined, names: Names): string {
    if (!isNode(node)) throw onlyInDuckDb('This syntax');
    const write = (value: Json | undefined): string => this.#expression(value, names);
    switch (node['class']) {
      case 'COLUMN_REF':
        return (node['column_names'] as string[]).map((name) => quoteName(String(name))).join('.');
      case 'CONSTANT':
        return constant(node['value'] as TreeNode);
      case 'PARAMETER':
        return this.#parameter(String(node['identifier']));
      case 'CAST':
        return this.#cast(node, names);
      case 'CASE':
        return this.#case(node, names);
      case 'COMPARISON':
        return this.#comparison(String(node['type']), node['left'], node['right'], names);
      case 'BETWEEN': {
        const [value, low, high] = [node['input'], node['lower'], node['upper']];
        const above = this.#comparison('COMPARE_GREATERTHANOREQUALTO', value, low, names);
        return `(${above} and ${this.#comparison('COMPARE_LESSTHANOREQUALTO', value, high, names)})`;
      }
      case 'CONJUNCTION': {
        const word = node['type'] === 'CONJUNCTION_OR' ? ' or ' : ' and ';
        return `(${children(node).map(write).join(word)})`;
      }
      case 'OPERATOR':
        return this.#operator(node, names);
      case 'FUNCTION':
        return this.#call(node, names);
      case 'WINDOW':
        return this.#window(node, names);
      case 'LAMBDA':
        return `${this.#lambdaNames(node['lhs'])} -> ${write(node['expr'])}`;
      case 'STAR':
        return this.#star(node, names);
      case 'SUBQUERY':
        return this.#subqueryExpression(node, names);
      default:
        throw onlyInDuckDb('This syntax');
    }
  }

  #parameter(name: string): string {
    const value = this.#options.parameters[name] ?? null;
    if (value === null) return 'null';
    if (typeof value === 'string') return `{${name}:String}`;
    if (typeof value === 'boolean') return String(value);
    return `{${name}:${Number.isSafeInteger(value) ? 'Int64' : 'Float64'}}`;
  }

  #case(node: TreeNode, names: Names): string {
    const checks = ((node['case_checks'] ?? []) as TreeNode[]).map(
      ({ when_expr: when, then_expr: then }) =>
        ` when ${this.#expression(when, names)} then ${this.#expression(then, names)}`,
    );
    return `case${checks.join('')} else ${this.#expression(node['else_expr'], names)} end`;
  }

  #comparison(type: string, left: Json | undefined, right: Json | undefined, names: Names): string {
    const [a, b] = this.#comparable(left, right, names);
    const sign = COMPARISONS[type];
    if (sign !== undefined) return `(${a} ${sign} ${b})`;
    const differ = `ifNull(${a} != ${b}, isNull(${a}) != isNull(${b}))`;
    if (type === 'COMPARE_DISTINCT_FROM') return `(${differ})`;
    if (type === 'COMPARE_NOT_DISTINCT_FROM') return `(not ${differ})`;
    throw onlyInDuckDb('This comparison');
  }

  /** A text that is compared with a time is one. */
  #comparable(left: Json | undefined, right: Json | undefined, names: Names): [string, string] {
    const write = (side: Json | undefined, other: Json | undefined): string => {
      const text = this.#expression(side, names);
      return this.#isText(side) && kindOf(other) === 'time' ? timeOf(text) : text;
    };
    return [write(left, right), write(right, left)];
  }

  #isText(node: Json | undefined): boolean {
    if (!isNode(node)) return false;
    if (node['class'] === 'PARAMETER') return typeof this.#options.parameters[String(node['identifier'])] === 'string';
    return typeof constantOf(node) === 'string';
  }

  #operator(node: TreeNode, names: Names): string {
    const [first, ...rest] = children(node);
    const write = (value: Json | undefined): string => this.#expression(value, names);
    switch (node['type']) {
      case 'OPERATOR_NOT':
        return `(not ${write(first)})`;
      case 'OPERATOR_IS_NULL':
        return `(${write(first)} is null)`;
      case 'OPERATOR_IS_NOT_NULL':
        return `(${write(first)} is not null)`;
      case 'OPERATOR_COALESCE':
        return `coalesce(${[first, ...rest].map(write).join(', ')})`;
      case 'ARRAY_CONSTRUCTOR':
        return `[${[first, ...rest]
          .filter((item) => item !== undefined)
          .map(write)
          .join(', ')}]`;
      case 'ARRAY_EXTRACT':
        return `arrayElementOrNull(${write(first)}, ${write(rest[0])})`;
      case 'COMPARE_IN':
        return this.#in(first, rest, names);
      case 'COMPARE_NOT_IN':
        return `(not ${this.#in(first, rest, names)})`;
      default:
        throw onlyInDuckDb('This operator');
    }
  }

  /** A list with a null in it is never left by NOT IN. */
  #in(value: Json | undefined, list: readonly Json[], names: Names): string {
    const equal = list.map((item) => this.#comparison('COMPARE_EQUAL', value, item, names));
    const isPlain = list.every((item) => this.#isText(item) || (isNode(item) && constantNumber(item) !== null));
    if (!isPlain || kindOf(value) === 'time') return `(${equal.join(' or ')})`;
    const items = list.map((item) => this.#expression(item, names));
    return `(${this.#expression(value, names)} in (${items.join(', ')}))`;
  }

  #call(node: TreeNode, names: Names): string {
    const name = String(node['function_name']).toLowerCase();
    const args = children(node);
    const texts = args.map((arg) => this.#expression(arg, names));
    const aggregate = CLICKHOUSE_AGGREGATES.get(name);
    const constantAt = (index: number): string | number => {
      const value = isNode(args[index]) ? constantOf(args[index]) : null;
      if (value === null) throw onlyInDuckDb(`${name} with an argument that is no constant`);
      return value;
    };
    if (aggregate !== undefined) {
      return aggregate({ args: texts, call: this.#aggregateCall(node, names), number: (at) => Number(constantAt(at)) });
    }
    if (name === 'timezone') return atTimeZone(String(constantAt(0)), texts[1] ?? '', args[1]);
    const write = CLICKHOUSE_FUNCTIONS.get(name);
    if (write === undefined) throw notThere(name);
    return write({ args: texts, text: (at) => String(constantAt(at)) });
  }

  #aggregateCall(node: TreeNode, names: Names): (name: string, ...args: readonly string[]) => string {
    const orders = (node['order_bys'] as TreeNode | null)?.['orders'];
    requireNone(orders, 'ORDER BY in an aggregate');
    const filter = isNode(node['filter']) ? ` filter (where ${this.#expression(node['filter'], names)})` : '';
    const distinct = node['distinct'] === true ? 'distinct ' : '';
    return (name, ...args) => `${name}(${args.length === 0 ? '' : distinct}${args.join(', ')})${filter}`;
  }

  #window(node: TreeNode, names: Names): string {
    const name = String(node['function_name']).toLowerCase();
    const args = children(node).map((arg) => this.#expression(arg, names));
    const isNeighbour = NEIGHBOURS.has(name);
    const isAggregate = CLICKHOUSE_AGGREGATES.has(name) && WINDOWED.has(name);
    const isRank = WINDOW_FUNCTIONS.has(name);
    if (!isNeighbour && !isAggregate && !isRank) throw notThere(name);
    if (node['ignore_nulls'] === true || node['exclude_clause'] !== 'NO_OTHER' || isNode(node['filter_expr'])) {
      throw onlyInDuckDb('IGNORE NULLS, EXCLUDE and FILTER of a window');
    }
    const more = [node['offset_expr'], node['default_expr']].filter(isNode).map((arg) => this.#expression(arg, names));
    const given = isNeighbour ? [`toNullable(${args[0]})`, ...args.slice(1), ...more] : args;
    const called = `${WINDOWED.get(name) ?? name}(${node['distinct'] === true ? 'distinct ' : ''}${given.join(', ')})`;
    const over = `${called} over (${this.#windowOf(node, isRank || name === 'lag' || name === 'lead', names)})`;
    return isRank && name !== 'percent_rank'
      ? `toInt64(${over})`
      : name.startsWith('count')
        ? `toInt64(${over})`
        : over;
  }

  #windowOf(node: TreeNode, hasNoFrame: boolean, names: Names): string {
    const partitions = ((node['partitions'] ?? []) as TreeNode[]).map((item) => this.#expression(item, names));
    const orders = this.#orders(node['orders'], [], names);
    const parts = [
      partitions.length === 0 ? '' : `partition by ${partitions.join(', ')}`,
      orders === '' ? '' : `order by ${orders}`,
      hasNoFrame || orders === '' ? '' : this.#frame(node),
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  #frame(node: TreeNode): string {
    const [start, end] = [String(node['start']), String(node['end'])];
    if (start === 'UNBOUNDED_PRECEDING' && end === 'CURRENT_ROW_RANGE') return '';
    const isRange = /_RANGE$/.test(start) || /_RANGE$/.test(end);
    if (/GROUPS/.test(start + end)) throw onlyInDuckDb('GROUPS of a window');
    const bound = (kind: string, value: Json | undefined): string => {
      if (kind.startsWith('UNBOUNDED')) return kind.toLowerCase().replace('_', ' ');
      if (kind.startsWith('CURRENT_ROW')) return 'current row';
      const number = isNode(value) ? constantNumber(value) : null;
      if (number === null) throw onlyInDuckDb('A window frame that is no number');
      return `${number} ${kind.includes('PRECEDING') ? 'preceding' : 'following'}`;
    };
    const [from, to] = [bound(start, node['start_expr']), bound(end, node['end_expr'])];
    return `${isRange ? 'range' : 'rows'} between ${from} and ${to}`;
  }

  #lambdaNames(lhs: Json | undefined): string {
    const list = isNode(lhs) && lhs['class'] === 'FUNCTION' ? children(lhs) : [lhs ?? null];
    const names = list.map((item) => {
      const columns = isNode(item) ? item['column_names'] : undefined;
      if (!Array.isArray(columns) || columns.length !== 1) throw onlyInDuckDb('This lambda');
      return quoteName(String(columns[0]));
    });
    return `(${names.join(', ')})`;
  }

  #star(node: TreeNode, names: Names): string {
    const relation = String(node['relation_name'] ?? '');
    const excluded = ((node['exclude_list'] ?? []) as Json[]).map((name) => quoteName(String(name)));
    const replaced = ((node['replace_list'] ?? []) as TreeNode[]).map(
      ({ key, value }) => `${this.#expression(value, names)} as ${quoteName(String(key))}`,
    );
    return [
      `${relation === '' ? '' : `${quoteName(relation)}.`}*`,
      excluded.length === 0 ? '' : ` except (${excluded.join(', ')})`,
      replaced.length === 0 ? '' : ` replace (${replaced.join(', ')})`,
    ].join('');
  }

  #subqueryExpression(node: TreeNode, names: Names): string {
    const query = `(${this.#subquery(node['subquery'], names)})`;
    switch (node['subquery_type']) {
      case 'SCALAR':
        return query;
      case 'EXISTS':
        return `exists ${query}`;
      case 'NOT_EXISTS':
        return `(not exists ${query})`;
      default:
        if (node['subquery_type'] !== 'ANY' || node['comparison_type'] !== 'COMPARE_EQUAL') {
          throw onlyInDuckDb('A comparison with ANY or ALL');
        }
        return `(${this.#expression(node['child'], names)} in ${query})`;
    }
  }

  /** A value that cannot be cast is null, also where DuckDB fails. */
  #cast(node: TreeNode, names: Names): string {
    const { child, cast_type: type } = node;
    const id = String((type as TreeNode)['id']);
    const interval = id === 'INTERVAL' && isNode(child) ? intervalOf(child) : null;
    if (interval !== null) return interval;
    const value = this.#expression(child, names);
    const kind = kindOf(child);
    if (WHOLE_TYPES.has(id)) return wholeOf(value, isNode(child) ? constantNumber(unwrapped(child)) : null);
    switch (id) {
      case 'VARCHAR':
        return textOf(value, kind);
      case 'BOOLEAN':
        return kind === 'bool' ? value : boolOf(child, value);
      case 'DOUBLE':
      case 'FLOAT':
      case 'DECIMAL':
        return `toFloat64OrNull(trimBoth(toString(${value})))`;
      case 'DATE':
        return kind === 'time' ? `toDate32(${value})` : `toDate32(${timeOf(value)})`;
      case 'TIMESTAMP':
      case 'TIMESTAMP WITH TIME ZONE':
        return kind === 'time' ? value : timeOf(value);
      case 'UUID':
        return `toString(toUUIDOrNull(toString(${value})))`;
      default:
        throw onlyInDuckDb(`A cast to ${id}`);
    }
  }
}

/** Aggregates that can be windows, and what ClickHouse calls them. */
const WINDOWED: ReadonlyMap<string, string> = new Map([
  ...['sum', 'avg', 'min', 'max', 'count'].map((name) => [name, name] as const),
  ['count_star', 'count'],
  ['any_value', 'any'],
]);

const notThere = (name: string): SqlRefusal =>
  new SqlRefusal(
    'function_not_allowed',
    `The function ${name.slice(0, 60)} cannot be used where events are in ClickHouse. See "ClickHouse" in the SQL guide.`,
  );

function requireNone(list: Json | undefined, what: string): void {
  if (Array.isArray(list) && list.length > 0) throw onlyInDuckDb(what);
}

const children = (node: TreeNode): Json[] => (node['children'] ?? []) as Json[];
const selectList = (node: TreeNode): TreeNode[] => (node['select_list'] ?? []) as TreeNode[];

function constantOf(node: TreeNode): string | number | null {
  const value = node['class'] === 'CONSTANT' && isNode(node['value']) ? node['value'] : null;
  const given = value?.['value'];
  if (value === null || value['is_null'] === true) return null;
  if (isNode(value['type']) && value['type']['id'] === 'DECIMAL') return Number(decimalText(value));
  return typeof given === 'string' || typeof given === 'number' ? given : null;
}

function constantNumber(node: TreeNode): number | null {
  const value = constantOf(node);
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

function constant(value: TreeNode): string {
  const { value: given, is_null: isNull, type } = value;
  if (isNull === true) return 'null';
  const id = isNode(type) ? String(type['id']) : '';
  if (id === 'DECIMAL') return decimalText(value);
  if (typeof given === 'string') return clickhouseText(given);
  if (typeof given === 'boolean') return String(given);
  if (typeof given === 'number') return Number.isFinite(given) ? numberText(given) : 'null';
  // Numbers beyond 2^53 are kept with all their digits.
  const text = stringifyExact(given);
  if (WHOLE_TYPES.has(id) && /^-?\d+$/.test(text)) return text;
  throw onlyInDuckDb('This number');
}

const numberText = (value: number): string => (Number.isInteger(value) ? BigInt(value).toString() : String(value));

function decimalText(value: TreeNode): string {
  const info = (value['type'] as TreeNode)['type_info'];
  const scale = isNode(info) ? Number(info['scale']) : 0;
  const digits = String(value['value'])
    .replace('-', '')
    .padStart(scale + 1, '0');
  if (!/^\d+$/.test(digits)) throw onlyInDuckDb('This number');
  const sign = String(value['value']).startsWith('-') ? '-' : '';
  return `${sign}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale) || '0'}`;
}

function kindOf(node: Json | undefined): Kind {
  if (!isNode(node)) return 'unknown';
  switch (node['class']) {
    case 'COLUMN_REF':
      return COLUMN_KINDS.get(String((node['column_names'] as string[]).at(-1)).toLowerCase()) ?? 'unknown';
    case 'COMPARISON':
    case 'CONJUNCTION':
    case 'BETWEEN':
      return 'bool';
    case 'OPERATOR':
      return /NOT|NULL|COMPARE/.test(String(node['type'])) ? 'bool' : 'unknown';
    case 'CAST':
      return /TIMESTAMP|DATE/.test(String((node['cast_type'] as TreeNode)['id'])) ? 'time' : 'unknown';
    case 'FUNCTION':
      return kindOfCall(node);
    default:
      return 'unknown';
  }
}

function kindOfCall(node: TreeNode): Kind {
  const name = String(node['function_name']).toLowerCase();
  if (TIME_FUNCTIONS.has(name)) return 'time';
  const isSame = ['min', 'max', 'any_value', 'arg_min', 'arg_max', '+', '-'].includes(name);
  return isSame && kindOf(children(node)[0]) === 'time' ? 'time' : 'unknown';
}

/** An instant, rather than what a clock shows. */
function isInstant(node: Json | undefined): boolean {
  if (!isNode(node)) return false;
  if (node['class'] === 'CAST') return (node['cast_type'] as TreeNode)['id'] === 'TIMESTAMP WITH TIME ZONE';
  const name = String(node['function_name']).toLowerCase();
  return name === 'timezone' ? !isInstant(children(node)[1]) : TIME_FUNCTIONS.has(name) && !name.startsWith('date');
}

/** `AT TIME ZONE` makes an instant of what a clock shows there, and the other way round. */
function atTimeZone(zone: string, time: string, node: Json | undefined): string {
  const place = clickhouseText(zone);
  return isInstant(node)
    ? `toDateTime64(toString(toTimeZone(${time}, ${place})), 6, 'UTC')`
    : `toTimeZone(toDateTime64(toString(${time}), 6, ${place}), 'UTC')`;
}

/** A date, or a date and a time. Others are null, as in DuckDB. */
const timeOf = (value: string): string =>
  `if(match(toString(${value}), '^\\\\s*\\\\d{4}-\\\\d{2}-\\\\d{2}'), parseDateTime64BestEffortOrNull(toString(${value}), 6, 'UTC'), null)`;

function textOf(value: string, kind: Kind): string {
  if (kind === 'bool') return `if(${value}, 'true', 'false')`;
  if (kind !== 'time') return `toString(${value})`;
  // Without the zeros at its end.
  return `replaceRegexpOne(toString(${value}), '\\\\.0+$|(\\\\.\\\\d*[1-9])0+$', '\\\\1')`;
}

function boolOf(child: Json | undefined, value: string): string {
  const text = isNode(child) ? constantOf(child) : null;
  if (text === 't') return 'true';
  if (text === 'f') return 'false';
  const lower = `lower(toString(${value}))`;
  return `multiIf(${lower} in ${TRUE_TEXTS}, true, ${lower} in ${FALSE_TEXTS}, false, null)`;
}

/** Texts with a fraction are rounded. */
function wholeOf(value: string, known: number | null): string {
  if (known !== null) return `toInt64(${known})`;
  const text = `trimBoth(toString(${value}))`;
  const number = `toFloat64OrNull(${text})`;
  return `coalesce(toInt64OrNull(${text}), accurateCastOrNull(sign(${number}) * floor(abs(${number}) + 0.5), 'Int64'))`;
}

/** The parser writes `interval 1 day` as `to_days(cast(trunc(cast(1 as double)) as integer))`. */
function unwrapped(node: TreeNode): TreeNode {
  const inner = node['class'] === 'CAST' ? node['child'] : node['function_name'] === 'trunc' ? children(node)[0] : null;
  if (isNode(inner)) return unwrapped(inner);
  const text = constantOf(node);
  return typeof text === 'string' && /^\d{1,9}$/.test(text)
    ? { ...node, value: { type: { id: 'INTEGER' }, is_null: false, value: Number(text) } }
    : node;
}

/** `interval '3 months'`. */
function intervalOf(child: TreeNode): string | null {
  const found = /^\s*(-?\d{1,9})\s+([a-z]+)\s*$/i.exec(String(constantOf(child) ?? ''));
  if (found === null) throw onlyInDuckDb('An interval of more than one unit');
  const unit = unitOf(found[2] ?? '');
  return `toInterval${unit.charAt(0).toUpperCase()}${unit.slice(1)}(${found[1]})`;
}
