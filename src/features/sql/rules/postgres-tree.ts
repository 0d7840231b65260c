/**
 * Statements as PostgreSQL's clients write them: tables in the schema `public`, the catalog, and functions about the session.
 * The result is checked like any other tree (`check-tree.ts`), which knows the tables of the catalog by other names.
 */
import type { Json } from '../../../core/json/json.ts';
import { CATALOG_VIEWS, catalogTable, DATABASE, TABLE_TITLES, TYPE_TITLES, tableOid } from './postgres-catalog.ts';
import {
  callNode,
  caseNode,
  castNode,
  columnNode,
  equalsNode,
  isNode,
  nullNode,
  numberNode,
  type TreeNode,
  textNode,
} from './tree-nodes.ts';
import { isView } from './views.ts';

const MAX_DEPTH = 400;

export function adaptPostgresTree(tree: TreeNode): TreeNode {
  return adapt(tree, 0) as TreeNode;
}

function adapt(value: Json, depth: number): Json {
  // Deeper ones are refused by the check.
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => adapt(item, depth + 1));
  if (!isNode(value)) return value;
  const node: TreeNode = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, adapt(field, depth + 1)]),
  );
  switch (node['class'] ?? node['type']) {
    case 'BASE_TABLE':
      return adaptTable(node);
    case 'TABLE_FUNCTION':
      return adaptTableFunction(node);
    case 'SUBQUERY':
      return adaptArray(node);
    case 'COLUMN_REF':
      return adaptColumn(node);
    case 'COLLATE':
      return node['child'] ?? node;
    case 'CAST':
      return adaptCast(node);
    case 'FUNCTION':
      return adaptCall(node);
    default:
      return node;
  }
}

function adaptTable(node: TreeNode): TreeNode {
  const schema = String(node['schema_name']).toLowerCase();
  const name = String(node['table_name']).toLowerCase();
  if (node['catalog_name'] !== '' && node['catalog_name'] !== DATABASE) return node;
  if (schema === 'public' && isView(name)) return { ...node, schema_name: '', catalog_name: '' };
  const found = catalogTable(schema, name);
  if (found === null) return node;
  return { ...node, schema_name: '', catalog_name: '', table_name: found, alias: node['alias'] || name };
}

const TABLE_FUNCTIONS = ['pg_get_keywords', 'pg_partition_tree'];

/** Some of them are tables here. */
function adaptTableFunction(node: TreeNode): TreeNode {
  const call = isNode(node['function']) ? node['function'] : {};
  const name = String(call['function_name']).toLowerCase();
  const found = TABLE_FUNCTIONS.includes(name) ? catalogTable(String(call['schema']).toLowerCase(), name) : null;
  if (found === null) return node;
  const { sample = null, query_location: at = 0, column_name_alias: columns = [] } = node;
  return {
    ...{ type: 'BASE_TABLE', schema_name: '', catalog_name: '', table_name: found, alias: node['alias'] || name },
    ...{ sample, query_location: at, column_name_alias: columns, at_clause: null },
  };
}

const ITEM = 'array_item';

/** `array(select …)`: the parser makes it an aggregate of the first column, which gets a name here. */
function adaptArray(node: TreeNode): TreeNode {
  const query = isNode(node['subquery']) && isNode(node['subquery']['node']) ? node['subquery']['node'] : null;
  const from = query?.['from_table'];
  const list = query?.['select_list'];
  const isArray = node['subquery_type'] === 'SCALAR' && isNode(from) && from['type'] === 'SUBQUERY';
  if (!isArray || query === null || !JSON.stringify(list).includes('"POSITIONAL_REFERENCE"')) return node;
  const named = {
    ...query,
    select_list: withItem(list ?? null),
    from_table: { ...from, alias: 'array_items', column_name_alias: [ITEM] },
  };
  return { ...node, subquery: { ...(node['subquery'] as TreeNode), node: named } };
}

function withItem(value: Json): Json {
  if (Array.isArray(value)) return value.map(withItem);
  if (!isNode(value)) return value;
  if (value['class'] === 'POSITIONAL_REFERENCE' && value['index'] === 1) return columnNode([ITEM]);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withItem(field)]));
}

const SESSION_NAMES: Readonly<Record<string, string>> = {
  current_user: DATABASE,
  session_user: DATABASE,
  user: DATABASE,
  current_catalog: DATABASE,
  current_schema: 'public',
};

/** `public.events.event` → `events.event`. */
function adaptColumn(node: TreeNode): TreeNode {
  const names = (node['column_names'] as string[]).map(String);
  const session = names.length === 1 ? SESSION_NAMES[String(names[0]).toLowerCase()] : undefined;
  if (session !== undefined) return named(textNode(session), node, String(names[0]).toLowerCase());
  const isQualified = names.length > 2 && ['public', 'pg_catalog'].includes(String(names[0]).toLowerCase());
  return isQualified ? { ...node, column_names: names.slice(1) } : node;
}

const named = (result: TreeNode, node: TreeNode, name: string): TreeNode => ({
  ...result,
  alias: node['alias'] || name,
});

/** Types of the catalog: numbers and names. */
const TYPES: Readonly<Record<string, string>> = {
  oid: 'BIGINT',
  xid: 'BIGINT',
  int4: 'INTEGER',
  int8: 'BIGINT',
  name: 'VARCHAR',
  regclass: 'VARCHAR',
  regtype: 'VARCHAR',
  regproc: 'VARCHAR',
  regprocedure: 'VARCHAR',
  regoperator: 'VARCHAR',
  regnamespace: 'VARCHAR',
  regrole: 'VARCHAR',
};

/** `'{a,b}'::text[]` */
function adaptList(node: TreeNode): TreeNode {
  const items = /^\{([^{}"\\]*)\}$/.exec(constantText(node['child']) ?? '')?.[1];
  if (items === undefined) return node;
  const texts = items === '' ? [] : items.split(',').map((item) => textNode(item.trim()));
  return { ...node, child: callNode('list_value', texts) };
}

function adaptCast(node: TreeNode): TreeNode {
  const target = node['cast_type'];
  if (isNode(target) && target['id'] === 'LIST') return adaptList(node);
  const info = isNode(target) ? target['type_info'] : null;
  if (!isNode(target) || target['id'] !== 'UNBOUND' || !isNode(info)) return node;
  const name = String(info['name']).toLowerCase();
  const type = TYPES[name];
  if (type === undefined) return node;
  const text = constantText(node['child']);
  if (name === 'regclass' && text !== null) {
    const oid = tableOid(text.replaceAll('"', '').replace(/^pg_catalog\./, ''));
    return { ...(oid === null ? nullNode() : numberNode(oid)), alias: node['alias'] ?? '' };
  }
  return { ...castNode(node['child'] ?? null, type), alias: node['alias'] ?? '' };
}

function constantText(node: Json | undefined): string | null {
  const value = isNode(node) && isNode(node['value']) ? node['value']['value'] : null;
  return typeof value === 'string' ? value : null;
}

const yes = (): TreeNode => castNode(textNode('true'), 'BOOLEAN');
const no = (): TreeNode => castNode(textNode('false'), 'BOOLEAN');

/** The last argument is what somebody wants to do. */
const mayRead = (args: readonly Json[]): TreeNode =>
  /^(?:select|usage|connect)$/i.test(constantText(args.at(-1)) ?? '') ? yes() : no();

const nothing = (): TreeNode => castNode(nullNode(), 'VARCHAR');

/** A text for each of our tables, else null. */
const byTable = (oid: Json, textOf: (about: string) => string): TreeNode =>
  caseNode(
    TABLE_TITLES.map(([known, about]) => [equalsNode(oid, numberNode(known)), textNode(textOf(about))] as const),
    nothing(),
  );

/** PostgreSQL's number of the encoding. */
const UTF8 = 6;

/** Functions about the session and the catalog, with the same answer for everybody. */
const CALLS: Readonly<Record<string, (args: readonly Json[]) => TreeNode>> = {
  version: () => textNode('PostgreSQL 15.0 (Cairn)'),
  current_database: () => textNode(DATABASE),
  current_schema: () => textNode('public'),
  current_setting: ([name = null]) => textNode(SETTINGS[constantText(name)?.toLowerCase() ?? ''] ?? ''),
  pg_backend_pid: () => numberNode(1),
  pg_is_in_recovery: no,
  pg_get_userbyid: () => textNode(DATABASE),
  pg_encoding_to_char: () => textNode('UTF8'),
  pg_char_to_encoding: () => numberNode(UTF8),
  getdatabaseencoding: () => textNode('UTF8'),
  pg_table_is_visible: yes,
  pg_type_is_visible: yes,
  pg_function_is_visible: yes,
  pg_collation_is_visible: yes,
  pg_operator_is_visible: yes,
  pg_opclass_is_visible: yes,
  pg_opfamily_is_visible: yes,
  pg_ts_config_is_visible: yes,
  pg_ts_dict_is_visible: yes,
  pg_ts_parser_is_visible: yes,
  pg_ts_template_is_visible: yes,
  pg_conversion_is_visible: yes,
  pg_statistics_obj_is_visible: yes,
  has_schema_privilege: mayRead,
  has_table_privilege: mayRead,
  has_any_column_privilege: mayRead,
  has_database_privilege: mayRead,
  format_type: ([oid = null]) =>
    caseNode(
      TYPE_TITLES.map(([known, title]) => [equalsNode(oid, numberNode(known)), textNode(title)] as const),
      textNode('text'),
    ),
  pg_get_expr: nothing,
  pg_get_viewdef: ([oid = null]) => byTable(oid, (about) => ` -- Made by Cairn. ${about}`),
  pg_get_constraintdef: nothing,
  pg_get_indexdef: nothing,
  pg_get_partkeydef: nothing,
  pg_get_serial_sequence: nothing,
  obj_description: ([oid = null]) => byTable(oid, (about) => about),
  col_description: nothing,
  shobj_description: nothing,
  pg_relation_size: () => numberNode(0),
  pg_table_size: () => numberNode(0),
  pg_database_size: () => numberNode(0),
  pg_size_pretty: () => textNode('0 bytes'),
  pg_tablespace_location: () => textNode(''),
  pg_get_function_result: nothing,
  pg_get_function_arguments: nothing,
  pg_get_function_identity_arguments: nothing,
  pg_get_function_sqlbody: nothing,
  pg_get_statisticsobjdef_columns: nothing,
  array_remove: ([list = null]) => list as TreeNode,
  parse_ident: ([name = null]) => callNode('list_value', (constantText(name) ?? '').split('.').map(textNode)),
  pg_total_relation_size: () => numberNode(0),
  pg_relation_is_publishable: no,
  quote_ident: ([text = null]) => castNode(text, 'VARCHAR'),
};

/**
 * Lists that psql makes with a SELECT, such as options and policies of a table, and names that it puts together, such as
 * those of operator classes: there are none here.
 */
const isAbsent = (name: string, node: TreeNode): boolean =>
  name === 'format' ||
  (name === 'array_to_string' && /"class":"SUBQUERY"|"array_agg"/.test(JSON.stringify(node['children'])));

function adaptCall(node: TreeNode): TreeNode {
  const schema = String(node['schema']).toLowerCase();
  const name = String(node['function_name']).toLowerCase();
  if (schema === 'pg_catalog' && isAbsent(name, node)) return named(nothing(), node, name);
  const plain = schema === 'pg_catalog' ? { ...node, schema: '' } : node;
  const call = plain['schema'] === '' && Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  return call === undefined ? plain : named(call((node['children'] ?? []) as Json[]), node, name);
}

/** What clients read at the start; others are empty. */
export const SETTINGS: Readonly<Record<string, string>> = {
  server_version: '15.0',
  server_version_num: '150000',
  server_encoding: 'UTF8',
  client_encoding: 'UTF8',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  integer_datetimes: 'on',
  standard_conforming_strings: 'on',
  default_transaction_read_only: 'on',
  transaction_read_only: 'on',
  in_hot_standby: 'off',
  is_superuser: 'off',
  search_path: 'public',
  application_name: '',
  session_authorization: DATABASE,
  transaction_isolation: 'read committed',
  default_transaction_isolation: 'read committed',
  max_identifier_length: '63',
  lc_collate: 'C',
  lc_ctype: 'C',
  statement_timeout: '0',
  ssl: 'on',
};

/** Whether the statement reads the catalog, so that its tables are needed. */
export const readsCatalog = (tree: TreeNode): boolean => {
  const text = JSON.stringify(tree);
  return [...CATALOG_VIEWS].some((name) => text.includes(`"${name}"`));
};
