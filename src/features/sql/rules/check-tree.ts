/**
 * Holds the tree of a statement against lists of what is allowed. Every object in it is visited: a kind of node that is
 * not listed is refused, so that new syntax of the engine is refused until somebody has thought about it.
 *
 * The tree that is returned is run, never the text that came in.
 */
import { isHotProperty } from '../../../core/events/hot-properties.ts';
import type { Json } from '../../../core/json/json.ts';
import { engineName, isRewritten, nearestFunction } from './functions.ts';
import { SqlRefusal } from './refusal.ts';
import { escapePointer, rewriteCall } from './rewrite-calls.ts';
import { callNode, columnNode, isNode, limitNode, type TreeNode, textNode } from './tree-nodes.ts';
import { EVENTS_WITH_PERSONS, EVENTS_WITHOUT_PERSONS, isMadeOfEvents, isView, VIEWS } from './views.ts';

interface RowLimits {
  /** Where the statement has no limit of its own. */
  byDefault: number;
  max: number;
}

interface CheckedTree {
  /** Of one statement, with a limit of one more row than asked for. */
  tree: TreeNode;
  limit: number;
  /** Whether more rows were asked for than there may be. */
  isLimitLowered: boolean;
  offset: number;
  /** The columns that count something. */
  counted: readonly number[];
  /** Whether it reads events, or what is made of them. */
  readsEvents: boolean;
}

export const MAX_STATEMENT_DEPTH = 250;
export const MAX_STATEMENT_TABLES = 20;

const NO_TABLES: ReadonlySet<string> = new Set();

/** `more`: tables beside the views. `serialized`: what the engine's `json_serialize_sql` returned. */
export function checkTree(serialized: TreeNode, rows: RowLimits, more: ReadonlySet<string> = NO_TABLES): CheckedTree {
  if (serialized['error'] === true) throw parseError(serialized);
  const statements = serialized['statements'];
  if (!Array.isArray(statements) || statements.length === 0) {
    throw new SqlRefusal('syntax', 'The statement is empty. Write a SELECT.');
  }
  if (statements.length > 1) throw new SqlRefusal('many_statements', 'Send one statement at a time.');
  const check = new TreeCheck(more);
  const statement = check.visit(statements[0] ?? null, ROOT, 0) as TreeNode;
  check.finish();
  const node = statement['node'];
  if (!isNode(node)) throw unsupported();
  return {
    ...applyLimit(node, rows),
    counted: countedColumns(node),
    readsEvents: check.readsEvents,
    tree: { error: false, statements: [statement] },
  };
}

function parseError({ error_type: type, position }: TreeNode): SqlRefusal {
  if (type === 'not implemented') return new SqlRefusal('not_a_select', 'Only SELECT statements are run.');
  const at = position === undefined ? undefined : Number(position);
  return new SqlRefusal('syntax', 'The statement cannot be parsed.', at);
}

interface Scope {
  /** Names of common table expressions, in lower case. */
  ctes: ReadonlySet<string>;
  /** Names in the FROM clause under which the columns of `events` can be read; `''` if it is the only table. */
  events: ReadonlySet<string>;
}

const ROOT: Scope = { ctes: new Set(), events: new Set() };

const QUERY_NODES = ['SELECT_NODE', 'SET_OPERATION_NODE'];
const TABLE_NODES = ['BASE_TABLE', 'SUBQUERY', 'JOIN', 'TABLE_FUNCTION', 'EXPRESSION_LIST', 'EMPTY'];
const MODIFIERS = ['ORDER_MODIFIER', 'LIMIT_MODIFIER', 'DISTINCT_MODIFIER'];
const ORDERS = ['ORDER_DEFAULT', 'ASCENDING', 'DESCENDING'];
const EXPRESSIONS = [
  'BETWEEN',
  'CASE',
  'CAST',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'FUNCTION',
  'LAMBDA',
  'OPERATOR',
  'PARAMETER',
  'STAR',
  'SUBQUERY',
  'WINDOW',
];
/** Fields of objects that are no nodes themselves. */
const CONTAINER_FIELDS = new Set([
  ...['node', 'named_param_map', 'map', 'key', 'value', 'query', 'aliases', 'materialized', 'key_targets'],
  ...['when_expr', 'then_expr'],
]);
const TYPES = new Set([
  ...['BOOLEAN', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT'],
  ...[
    'FLOAT',
    'DOUBLE',
    'DECIMAL',
    'VARCHAR',
    'DATE',
    'TIME',
    'TIMESTAMP',
    'TIMESTAMP WITH TIME ZONE',
    'INTERVAL',
    'UUID',
  ],
  ...['LIST', 'NULL'],
]);
/** The parser writes these with a schema. */
const GENERATED = new Set([
  ...['date_part', 'like_escape', 'ilike_escape', 'not_like_escape', 'not_ilike_escape', 'list_apply', 'list_filter'],
  ...['list_value', 'position', 'row', 'struct_extract', 'substring', 'timezone', 'trim', 'ltrim', 'rtrim'],
]);

const unsupported = (what = 'This syntax'): SqlRefusal => new SqlRefusal('syntax', `${what} is not supported.`);

class TreeCheck {
  readonly #more: ReadonlySet<string>;
  readonly #eventTables: TreeNode[] = [];
  readsEvents = false;
  #tables = 0;
  /** Whether properties of persons are read. */
  #usesPersons = false;
  /** Whether a column may be `person_id`: by its name, by a star, or by a join on columns that are not named. */
  #mayReadPersonId = false;
  /** Columns without a table before them, in lower case: the name of a table there means all of its columns. */
  readonly #bareNames = new Set<string>();

  constructor(more: ReadonlySet<string>) {
    this.#more = more;
  }

  visit(value: Json, scope: Scope, depth: number): Json {
    if (depth > MAX_STATEMENT_DEPTH)
      throw new SqlRefusal('too_deep', `Statements may be nested ${MAX_STATEMENT_DEPTH} levels deep.`);
    if (Array.isArray(value)) return value.map((item) => this.visit(item, scope, depth));
    if (!isNode(value)) return value;
    if (typeof value['class'] === 'string') return this.#expression(value, scope, depth + 1);
    if (typeof value['type'] === 'string') return this.#typed(value, value['type'], scope, depth + 1);
    for (const field of Object.keys(value)) if (!CONTAINER_FIELDS.has(field)) throw unsupported();
    return this.#fields(value, scope, depth);
  }

  /** Once all is visited: whether persons are read is known only then. */
  finish(): void {
    const view = this.#usesPersons ? EVENTS_WITH_PERSONS : this.#readsPersonId() ? null : EVENTS_WITHOUT_PERSONS;
    if (view === null) return;
    for (const table of this.#eventTables) {
      if (table['alias'] === '') table['alias'] = 'events';
      table['table_name'] = view;
    }
  }

  #readsPersonId(): boolean {
    const isWholeRow = (table: TreeNode): boolean =>
      this.#bareNames.has(String(table['alias'] || 'events').toLowerCase());
    // Columns that are renamed are counted from the first.
    return (
      this.#mayReadPersonId ||
      this.#eventTables.some((table) => isWholeRow(table) || !isEmptyList(table['column_name_alias']))
    );
  }

  #fields(node: TreeNode, scope: Scope, depth: number): TreeNode {
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, this.visit(value, scope, depth)]));
  }

  #typed(node: TreeNode, type: string, scope: Scope, depth: number): Json {
    if (node['sample'] !== null && node['sample'] !== undefined) throw unsupported('SAMPLE');
    if (QUERY_NODES.includes(type)) return this.#query(node, scope, depth);
    if (type === 'BASE_TABLE') return this.#table(node, scope);
    if (type === 'TABLE_FUNCTION') requireUnnest(node);
    if (type === 'JOIN' && joinsByPersonId(node)) this.#mayReadPersonId = true;
    if (type === 'EXPRESSION_LIST' && !isEmptyList(node['expected_types'])) throw unsupported();
    if ([...TABLE_NODES, ...MODIFIERS, ...ORDERS].includes(type)) return this.#fields(node, scope, depth);
    if (type === 'SHOW_REF' || type === 'PIVOT') {
      throw new SqlRefusal('not_a_select', 'DESCRIBE, SUMMARIZE and PIVOT are not run; write a SELECT.');
    }
    if (type === 'RECURSIVE_CTE_NODE') throw unsupported('A recursive WITH');
    if (type === 'LIMIT_PERCENT_MODIFIER') throw unsupported('A limit in percent');
    throw unsupported();
  }

  /** A common table expression sees those before it, and the rest of the node sees all of them. */
  #query(node: TreeNode, outer: Scope, depth: number): TreeNode {
    const { cte_map: map, from_table: from, ...rest } = node;
    const ctes = new Set(outer.ctes);
    const entries = ((map as { map?: TreeNode[] } | null)?.map ?? []).map((entry) => {
      const checked = this.#fields(entry, { ...outer, ctes }, depth);
      ctes.add(String(entry['key']).toLowerCase());
      return checked;
    });
    const scope: Scope = { ctes: new Set(ctes), events: eventNames(from, ctes) };
    const table = from === undefined ? {} : { from_table: this.visit(from, scope, depth) };
    const checked: TreeNode = { ...this.#fields(rest, scope, depth), cte_map: { map: entries }, ...table };
    const list = checked['select_list'];
    if (Array.isArray(list)) checked['select_list'] = list.map((item, at) => named(item, node, at));
    return checked;
  }

  #table(node: TreeNode, scope: Scope): TreeNode {
    const { schema_name: schema, catalog_name: catalog, at_clause: at } = node;
    const name = String(node['table_name']).toLowerCase();
    const isPlain = schema === '' && catalog === '' && (at === null || at === undefined);
    if (isPlain && scope.ctes.has(name)) return node;
    if (!isPlain || !(isView(name) || this.#more.has(name))) {
      const shown = [catalog, schema, node['table_name']].filter((part) => part !== '').join('.');
      throw new SqlRefusal(
        'table_not_allowed',
        `There is no table ${shown.slice(0, 100)}. Tables are ${Object.keys(VIEWS).join(', ')}.`,
        position(node),
      );
    }
    this.#tables++;
    if (this.#tables > MAX_STATEMENT_TABLES)
      throw new SqlRefusal('too_long', `A statement may read ${MAX_STATEMENT_TABLES} tables.`);
    const table = { ...node, table_name: name };
    if (isMadeOfEvents(name)) this.readsEvents = true;
    if (name === 'events') this.#eventTables.push(table);
    return table;
  }

  #expression(node: TreeNode, scope: Scope, depth: number): TreeNode {
    const kind = String(node['class']);
    if (!EXPRESSIONS.includes(kind)) throw unsupported();
    switch (kind) {
      case 'COLUMN_REF':
        return this.#column(node, scope);
      case 'CONSTANT':
        requireType((node['value'] as TreeNode | null)?.['type']);
        return node;
      case 'CAST':
        requireType(node['cast_type']);
        return { ...node, child: this.visit(node['child'] ?? null, scope, depth) };
      case 'STAR':
        this.#mayReadPersonId = true;
        if (node['columns'] === true || node['expr'] !== null) throw unsupported('COLUMNS()');
        return this.#fields(node, scope, depth);
      case 'OPERATOR':
        return this.#propertyByKey(node, scope) ?? this.#fields(node, scope, depth);
      case 'FUNCTION':
      case 'WINDOW':
        return this.#call(node, scope, depth);
      default:
        return this.#fields(node, scope, depth);
    }
  }

  #call(node: TreeNode, scope: Scope, depth: number): TreeNode {
    const name = String(node['function_name']).toLowerCase();
    const isQualified = node['catalog'] !== '' || (node['schema'] !== '' && !GENERATED.has(name));
    if (isQualified || node['export_state'] === true) throw notAllowed(node);
    const checked = this.#fields(node, scope, depth);
    if (isRewritten(name) && node['class'] === 'FUNCTION') return rewriteCall(name, checked);
    const engine = engineName(name);
    if (engine === null) throw notAllowed(node);
    return { ...checked, function_name: engine };
  }

  /** `properties.plan`, `e.properties.plan`, `person.properties.email`. */
  #column(node: TreeNode, scope: Scope): TreeNode {
    const names = (node['column_names'] as string[]).map(String);
    if (names.some((name) => name.toLowerCase() === PERSON_ID)) this.#mayReadPersonId = true;
    if (names.length === 1) this.#bareNames.add(String(names[0]).toLowerCase());
    const at = names.findIndex((name) => name.toLowerCase() === 'properties');
    if (at < 0) return node;
    const base = this.#propertiesColumn(names.slice(0, at + 1));
    const keys = names.slice(at + 1);
    if (keys.length === 0) return { ...base, alias: node['alias'] ?? '' };
    return { ...readProperty(base, keys, scope), alias: node['alias'] ?? '' };
  }

  /** `properties['a key']`. */
  #propertyByKey(node: TreeNode, scope: Scope): TreeNode | null {
    const [column, key] = (node['children'] ?? []) as Json[];
    if (node['type'] !== 'ARRAY_EXTRACT' || !isNode(column) || column['class'] !== 'COLUMN_REF') return null;
    const names = (column['column_names'] as string[]).map(String);
    const text = isNode(key) && isNode(key['value']) ? key['value']['value'] : undefined;
    if (names.at(-1)?.toLowerCase() !== 'properties' || typeof text !== 'string') return null;
    return { ...readProperty(this.#propertiesColumn(names), [text], scope), alias: node['alias'] ?? '' };
  }

  /** `names` end with `properties`. */
  #propertiesColumn(names: readonly string[]): TreeNode {
    if (names.at(-2)?.toLowerCase() !== 'person') return columnNode(names);
    this.#usesPersons = true;
    return columnNode([...names.slice(0, -2), 'person_properties']);
  }
}

const PERSON_ID = 'person_id';

/** `join … using (person_id)`, or a natural join. */
function joinsByPersonId({ ref_type: kind, using_columns: columns }: TreeNode): boolean {
  const names = Array.isArray(columns) ? columns.map((name) => String(name).toLowerCase()) : [];
  return kind === 'NATURAL' || names.includes(PERSON_ID);
}

function readProperty(base: TreeNode, keys: readonly string[], scope: Scope): TreeNode {
  const [key = ''] = keys;
  const names = base['column_names'] as string[];
  const table = names.slice(0, -1).join('.').toLowerCase();
  const hasColumn = keys.length === 1 && isHotProperty(key) && names.at(-1)?.toLowerCase() === 'properties';
  if (hasColumn && scope.events.has(table)) return columnNode([...names.slice(0, -1), key]);
  const pointer = keys.map((part) => `/${escapePointer(part)}`).join('');
  return callNode('json_extract_string', [base, textNode(pointer)]);
}

/** The names of `events` in a FROM clause. */
function eventNames(from: Json | undefined, ctes: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set<string>();
  const tables = tablesOf(from);
  for (const table of tables) {
    const name = String(table['table_name'] ?? '').toLowerCase();
    if (table['type'] !== 'BASE_TABLE' || name !== 'events' || ctes.has(name)) continue;
    if (!isEmptyList(table['column_name_alias'])) continue;
    names.add(String(table['alias'] || name).toLowerCase());
    if (tables.length === 1) names.add('');
  }
  return names;
}

function tablesOf(from: Json | undefined): TreeNode[] {
  if (!isNode(from)) return [];
  return from['type'] === 'JOIN' ? [...tablesOf(from['left']), ...tablesOf(from['right'])] : [from];
}

const isEmptyList = (value: Json | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** A property that is selected without a name gets that of its key. */
function named(item: Json, before: TreeNode, at: number): Json {
  const original = (before['select_list'] as Json[])[at];
  if (!isNode(item) || !isNode(original) || item['alias'] !== '') return item;
  if (original['class'] === 'COLUMN_REF') {
    const names = original['column_names'] as string[];
    return { ...item, alias: String(names.at(-1)) };
  }
  return original['class'] === 'FUNCTION' && original['function_name'] !== item['function_name']
    ? { ...item, alias: String(original['function_name']) }
    : item;
}

function requireUnnest(node: TreeNode): void {
  const call = node['function'];
  if (!isNode(call) || engineName(String(call['function_name'])) !== 'unnest')
    throw notAllowed(isNode(call) ? call : node);
}

function requireType(type: Json | undefined): void {
  if (!isNode(type) || !TYPES.has(String(type['id']))) throw unsupported('This type');
  const info = type['type_info'];
  if (isNode(info) && info['child_type'] !== undefined) requireType(info['child_type']);
}

function notAllowed(call: TreeNode): SqlRefusal {
  const name = String(call['function_name'] ?? 'this');
  const near = nearestFunction(name);
  return new SqlRefusal(
    'function_not_allowed',
    `There is no function ${name.slice(0, 60)}.${near === undefined ? ' See query/schema/ for the list.' : ` Did you mean ${near}?`}`,
    position(call),
  );
}

function position({ query_location: at }: TreeNode): number | undefined {
  return typeof at === 'number' && at < 1e9 ? at : undefined;
}

const COUNTS = new Set(['count', 'count_star', 'count_if']);

function countedColumns(node: TreeNode): number[] {
  const list = node['select_list'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, at) => (isNode(item) && COUNTS.has(String(item['function_name'])) ? [at] : []));
}

/** Sets the limit to one row more than asked for, which tells whether there are more. */
function applyLimit(node: TreeNode, { byDefault, max }: RowLimits) {
  const modifiers = (node['modifiers'] ?? []) as TreeNode[];
  const own = modifiers.find(({ type }) => type === 'LIMIT_MODIFIER');
  const asksForAll = own === undefined ? byDefault === max : own['limit'] === null;
  const asked = own === undefined ? byDefault : own['limit'] === null ? max : constantNumber(own['limit']);
  const offset = own === undefined || own['offset'] === null ? 0 : constantNumber(own['offset']);
  if (asked === null || offset === null) {
    throw new SqlRefusal('syntax', 'The limit and the offset must be whole numbers.');
  }
  const limit = Math.min(asked, max);
  const rest = modifiers.filter((modifier) => modifier !== own);
  node['modifiers'] = [...rest, { ...limitNode(limit + 1), offset: own?.['offset'] ?? null }];
  return { limit, isLimitLowered: asksForAll || asked > max, offset };
}

function constantNumber(node: Json | undefined): number | null {
  const value = isNode(node) && node['class'] === 'CONSTANT' && isNode(node['value']) ? node['value']['value'] : null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
