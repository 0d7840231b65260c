/**
 * The catalog that PostgreSQL's clients ask for tables and columns, made from the views. It has what psql, JDBC, Grafana and
 * DBeaver read; tables that they only look into, and that have nothing to tell here, are empty.
 */
import { VIEWS } from './views.ts';

interface PostgresType {
  oid: number;
  name: string;
  /** As `format_type` writes it. */
  title: string;
  length: number;
  category: string;
}

const type = (oid: number, name: string, title: string, length: number, category: string): PostgresType => ({
  oid,
  name,
  title,
  length,
  category,
});

export const TEXT = type(25, 'text', 'text', -1, 'S');
const INT4 = type(23, 'int4', 'integer', 4, 'N');
const INT8 = type(20, 'int8', 'bigint', 8, 'N');
const TYPES = [
  type(16, 'bool', 'boolean', 1, 'B'),
  INT8,
  type(21, 'int2', 'smallint', 2, 'N'),
  INT4,
  TEXT,
  type(114, 'json', 'json', -1, 'U'),
  type(701, 'float8', 'double precision', 8, 'N'),
  type(1043, 'varchar', 'character varying', -1, 'S'),
  type(1082, 'date', 'date', 4, 'D'),
  type(1184, 'timestamptz', 'timestamp with time zone', 8, 'D'),
  type(2950, 'uuid', 'uuid', 16, 'U'),
];
const named = (name: string): PostgresType => TYPES.find((one) => one.name === name) ?? TEXT;

/** By the names of types in answers. */
export function postgresType(answered: string): PostgresType {
  const plain = answered.replace(/^Nullable\((.*)\)$/, '$1');
  if (plain === 'Bool') return named('bool');
  if (/^U?Int(?:8|16)$|^Int32$/.test(plain)) return INT4;
  // Larger ones are texts that PostgreSQL's clients would take for numbers of 64 bits.
  if (/^(?:U?Int64|UInt32)$/.test(plain)) return INT8;
  if (/^(?:Float|Decimal)/.test(plain)) return named('float8');
  if (plain === 'Date') return named('date');
  if (plain.startsWith('DateTime64')) return named('timestamptz');
  if (plain === 'UUID') return named('uuid');
  if (plain.startsWith('Array')) return named('json');
  return TEXT;
}

type Value = string | number | boolean | null;
/** `name type` each. */
type Columns = string;

interface CatalogTable {
  columns: Columns;
  rows: readonly (readonly Value[])[];
}

const PUBLIC = 2200;
const CATALOG = 11;
const INFORMATION = 13000;
const OWNER = 10;
const TABLESPACE = 1663;
/** The table of tables. */
const PG_CLASS = 1259;
const FIRST_TABLE = 16384;
export const DATABASE = 'cairn';

const views = Object.entries(VIEWS).map(([name, view], at) => ({ oid: FIRST_TABLE + at, name, ...view }));

/** For `'events'::regclass`. */
export const tableOid = (name: string): number | null =>
  name === 'pg_class' ? PG_CLASS : (views.find((view) => view.name === name.replace(/^public\./, ''))?.oid ?? null);

const attributes = views.flatMap(({ oid, name: table, columns }) =>
  columns.map(({ name, type: answered, about }, at) => ({
    oid,
    table,
    name,
    about,
    number: at + 1,
    type: postgresType(answered),
    isNullable: answered.startsWith('Nullable'),
  })),
);

/** Words that need quotes as names: reserved ones, and those that are so but for functions, types or columns. */
const KEYWORDS = [
  [
    'R',
    'reserved',
    `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create
    current_catalog current_date current_role current_time current_timestamp current_user default deferrable desc distinct
    do else end except false fetch for foreign from grant group having in initially intersect into lateral leading limit
    localtime localtimestamp not null offset on only or order placing primary references returning select session_user some
    symmetric table then to trailing true union unique user using variadic when where window with`,
  ],
  [
    'T',
    'reserved (can be function or type name)',
    `authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull join left like
    natural notnull outer overlaps right similar tablesample verbose`,
  ],
  [
    'C',
    'unreserved (cannot be function or type name)',
    `between bigint bit boolean char character coalesce dec decimal exists extract float greatest grouping inout int integer
    interval least national nchar none normalize nullif numeric out overlay position precision real row setof smallint
    substring time timestamp treat trim values varchar`,
  ],
] as const;

const empty = (columns: Columns): CatalogTable => ({ columns, rows: [] });

const TABLES: Readonly<Record<string, CatalogTable>> = {
  pg_namespace: {
    columns: 'oid bigint, nspname varchar, nspowner bigint, nspacl varchar',
    rows: [
      [PUBLIC, 'public', OWNER, null],
      [CATALOG, 'pg_catalog', OWNER, null],
      [INFORMATION, 'information_schema', OWNER, null],
    ],
  },
  pg_class: {
    columns: `oid bigint, relname varchar, relnamespace bigint, reltype bigint, reloftype bigint, relowner bigint, relam bigint,
      relfilenode bigint, reltablespace bigint, relpages integer, reltuples double, reltoastrelid bigint, relhasindex boolean,
      relisshared boolean, relpersistence varchar, relkind varchar, relnatts integer, relchecks integer, relhasrules boolean,
      relhastriggers boolean, relhassubclass boolean, relrowsecurity boolean, relforcerowsecurity boolean, relispopulated boolean,
      relreplident varchar, relispartition boolean, relacl varchar, reloptions varchar[], relpartbound varchar, xmin bigint,
      tableoid bigint`,
    rows: views.map(({ oid, name, columns }) => [
      ...[oid, name, PUBLIC, 0, 0, OWNER, 0, 0, 0, 0, -1, 0, false, false, 'p', 'v', columns.length, 0, false, false],
      ...[false, false, false, true, 'n', false, null, null, null, 1, PG_CLASS],
    ]),
  },
  pg_attribute: {
    columns: `attrelid bigint, attname varchar, atttypid bigint, attlen integer, attnum integer, attndims integer,
      atttypmod integer, attnotnull boolean, atthasdef boolean, atthasmissing boolean, attidentity varchar,
      attgenerated varchar, attisdropped boolean, attislocal boolean, attinhcount integer, attcollation bigint,
      attstorage varchar, attcompression varchar, attstattarget integer, attoptions varchar, attfdwoptions varchar,
      attacl varchar`,
    rows: attributes.map(({ oid, name, type: { oid: typeOid, length }, number, isNullable }) => [
      ...[oid, name, typeOid, length, number, 0, -1, !isNullable, false, false, '', '', false, true, 0, 0],
      ...['p', '', -1, null, null, null],
    ]),
  },
  pg_type: {
    columns: `oid bigint, typname varchar, typnamespace bigint, typowner bigint, typlen integer, typtype varchar,
      typcategory varchar, typrelid bigint, typelem bigint, typarray bigint, typbasetype bigint, typtypmod integer,
      typnotnull boolean, typcollation bigint, typinput varchar, typdelim varchar, typdefault varchar, typisdefined boolean,
      typndims integer, typreceive varchar, typoutput varchar, typacl varchar, tableoid bigint`,
    rows: TYPES.map(({ oid, name, length, category }) => [
      ...[oid, name, CATALOG, OWNER, length, 'b', category, 0, 0, 0, 0, -1, false, 0, `${name}in`, ',', null, true, 0],
      ...[`${name}recv`, `${name}out`, null, 1247],
    ]),
  },
  pg_description: {
    columns: 'objoid bigint, classoid bigint, objsubid integer, description varchar',
    rows: [
      ...views.map(({ oid, about }) => [oid, PG_CLASS, 0, about]),
      ...attributes.map(({ oid, number, about }) => [oid, PG_CLASS, number, about]),
    ],
  },
  pg_database: {
    columns: `oid bigint, datname varchar, datdba bigint, encoding integer, datcollate varchar, datctype varchar,
      datistemplate boolean, datallowconn boolean, datconnlimit integer, dattablespace bigint, datacl varchar,
      datlocprovider varchar, daticulocale varchar`,
    rows: [[1, DATABASE, OWNER, 6, 'C', 'C', false, true, -1, TABLESPACE, null, 'c', null]],
  },
  pg_roles: {
    columns: `oid bigint, rolname varchar, rolsuper boolean, rolinherit boolean, rolcreaterole boolean, rolcreatedb boolean,
      rolcanlogin boolean, rolreplication boolean, rolconnlimit integer, rolvaliduntil varchar, rolbypassrls boolean`,
    rows: [[OWNER, DATABASE, false, true, false, false, true, false, -1, null, false]],
  },
  pg_user: {
    columns: 'usename varchar, usesysid bigint, usecreatedb boolean, usesuper boolean',
    rows: [[DATABASE, OWNER, false, false]],
  },
  pg_settings: empty(`name varchar, setting varchar, unit varchar, category varchar, short_desc varchar, source varchar,
    boot_val varchar, vartype varchar, context varchar`),
  pg_parameter_acl: empty('oid bigint, parname varchar, paracl varchar[]'),
  pg_default_acl: empty(
    'oid bigint, defaclrole bigint, defaclnamespace bigint, defaclobjtype varchar, defaclacl varchar[]',
  ),
  pg_db_role_setting: empty('setdatabase bigint, setrole bigint, setconfig varchar[]'),
  pg_auth_members: empty('roleid bigint, member bigint, grantor bigint, admin_option boolean'),
  pg_depend:
    empty(`classid bigint, objid bigint, objsubid integer, refclassid bigint, refobjid bigint, refobjsubid integer,
    deptype varchar`),
  pg_am: empty('oid bigint, amname varchar, amhandler varchar, amtype varchar'),
  pg_attrdef: empty('oid bigint, adrelid bigint, adnum integer, adbin varchar'),
  pg_collation: empty(`oid bigint, collname varchar, collnamespace bigint, collencoding integer, collcollate varchar,
    collctype varchar, colliculocale varchar, collprovider varchar, collisdeterministic boolean`),
  pg_constraint:
    empty(`oid bigint, conname varchar, connamespace bigint, contype varchar, conrelid bigint, confrelid bigint,
    conindid bigint, conkey integer[], confkey integer[], condeferrable boolean, condeferred boolean, convalidated boolean,
    conparentid bigint, contypid bigint, confupdtype varchar, confdeltype varchar, confmatchtype varchar, consrc varchar, conbin varchar,
    tableoid bigint`),
  pg_index: empty(`indexrelid bigint, indrelid bigint, indnatts integer, indnkeyatts integer, indisunique boolean,
    indisprimary boolean, indisexclusion boolean, indimmediate boolean, indisclustered boolean, indisvalid boolean,
    indisready boolean, indislive boolean, indisreplident boolean, indkey integer[], indclass integer[], indoption integer[],
    indexprs varchar, indpred varchar`),
  pg_inherits: empty('inhrelid bigint, inhparent bigint, inhseqno integer, inhdetachpending boolean'),
  pg_trigger: empty(
    'oid bigint, tgrelid bigint, tgname varchar, tgenabled varchar, tgisinternal boolean, tgparentid bigint, tableoid bigint',
  ),
  pg_proc: empty(`oid bigint, proname varchar, pronamespace bigint, proowner bigint, prokind varchar, prorettype bigint,
    proargtypes integer[], proretset boolean, proisagg boolean, provolatile varchar, proparallel varchar, prosecdef boolean,
    proacl varchar, prolang bigint, prosrc varchar, pronargs integer`),
  pg_enum: empty('oid bigint, enumtypid bigint, enumsortorder double, enumlabel varchar'),
  pg_range: empty('rngtypid bigint, rngsubtype bigint'),
  pg_policy: empty(
    'oid bigint, polname varchar, polrelid bigint, polcmd varchar, polpermissive boolean, polroles integer[], polqual varchar, polwithcheck varchar',
  ),
  pg_rewrite: empty(
    'oid bigint, rulename varchar, ev_class bigint, ev_type varchar, ev_enabled varchar, tableoid bigint',
  ),
  pg_tablespace: {
    columns: 'oid bigint, spcname varchar, spcowner bigint, spcacl varchar, spcoptions varchar',
    rows: [[TABLESPACE, 'pg_default', OWNER, null, null]],
  },
  pg_get_keywords: {
    columns: 'word varchar, catcode varchar, barelabel boolean, catdesc varchar, baredesc varchar',
    rows: KEYWORDS.flatMap(([code, about, words]) =>
      words.split(/\s+/).map((word) => [word, code, true, about, 'can be bare label']),
    ),
  },
  pg_partition_tree: empty('relid bigint, parentrelid bigint, isleaf boolean, level integer'),
  pg_language: empty(`oid bigint, lanname varchar, lanowner bigint, lanispl boolean, lanpltrusted boolean,
    lanplcallfoid bigint, laninline bigint, lanvalidator bigint, lanacl varchar, tableoid bigint`),
  pg_operator:
    empty(`oid bigint, oprname varchar, oprnamespace bigint, oprkind varchar, oprleft bigint, oprright bigint,
    oprresult bigint, oprcode bigint`),
  pg_opclass:
    empty(`oid bigint, opcname varchar, opcnamespace bigint, opcowner bigint, opcmethod bigint, opcfamily bigint,
    opcintype bigint, opckeytype bigint, opcdefault boolean, tableoid bigint`),
  pg_opfamily: empty(
    'oid bigint, opfname varchar, opfnamespace bigint, opfowner bigint, opfmethod bigint, tableoid bigint',
  ),
  pg_amop: empty(`oid bigint, amopfamily bigint, amoplefttype bigint, amoprighttype bigint, amopstrategy integer,
    amoppurpose varchar, amopopr bigint, amopmethod bigint, amopsortfamily bigint`),
  pg_amproc: empty(`oid bigint, amprocfamily bigint, amproclefttype bigint, amprocrighttype bigint, amprocnum integer,
    amproc bigint`),
  pg_conversion: empty(`oid bigint, conname varchar, connamespace bigint, conforencoding integer, contoencoding integer,
    condefault boolean, tableoid bigint`),
  pg_cast: empty(`oid bigint, castsource bigint, casttarget bigint, castfunc bigint, castcontext varchar,
    castmethod varchar, tableoid bigint`),
  pg_ts_config: empty('oid bigint, cfgname varchar, cfgnamespace bigint, cfgparser bigint'),
  pg_ts_dict: empty('oid bigint, dictname varchar, dictnamespace bigint, dicttemplate bigint, dictinitoption varchar'),
  pg_ts_parser: empty('oid bigint, prsname varchar, prsnamespace bigint'),
  pg_ts_template: empty('oid bigint, tmplname varchar, tmplnamespace bigint, tmplinit varchar, tmpllexize varchar'),
  pg_extension: empty('oid bigint, extname varchar, extnamespace bigint, extversion varchar'),
  pg_foreign_table: empty('ftrelid bigint, ftserver bigint, ftoptions varchar[]'),
  pg_foreign_server:
    empty(`oid bigint, srvname varchar, srvowner bigint, srvfdw bigint, srvtype varchar, srvversion varchar,
    srvacl varchar[], srvoptions varchar[], tableoid bigint`),
  pg_foreign_data_wrapper: empty(`oid bigint, fdwname varchar, fdwowner bigint, fdwhandler bigint, fdwvalidator bigint,
    fdwacl varchar[], fdwoptions varchar[], tableoid bigint`),
  pg_user_mappings: empty('umid bigint, srvname varchar, usename varchar, umoptions varchar[]'),
  pg_largeobject_metadata: empty('oid bigint, lomowner bigint, lomacl varchar[]'),
  pg_event_trigger:
    empty(`oid bigint, evtname varchar, evtevent varchar, evtowner bigint, evtfoid bigint, evtenabled varchar,
    evttags varchar[]`),
  pg_statistic_ext: empty('oid bigint, stxrelid bigint, stxname varchar, stxnamespace bigint, stxkind varchar[]'),
  pg_publication: empty(`oid bigint, pubname varchar, pubowner bigint, puballtables boolean, pubinsert boolean,
    pubupdate boolean, pubdelete boolean, pubtruncate boolean, pubviaroot boolean`),
  pg_subscription: empty(`oid bigint, subdbid bigint, subname varchar, subowner bigint, subenabled boolean,
    subpublications varchar[], subbinary boolean, substream boolean, subtwophasestate varchar, subdisableonerr boolean,
    subsynccommit varchar, subconninfo varchar, subskiplsn varchar`),
  pg_publication_rel: empty('oid bigint, prpubid bigint, prrelid bigint'),
  pg_stat_user_tables: empty('relid bigint, schemaname varchar, relname varchar, n_live_tup bigint'),
  pg_matviews: empty('schemaname varchar, matviewname varchar'),
  pg_tables: empty('schemaname varchar, tablename varchar, tableowner varchar'),
  pg_views: {
    columns: 'schemaname varchar, viewname varchar, viewowner varchar, definition varchar',
    rows: views.map(({ name }) => ['public', name, DATABASE, '']),
  },
  'information_schema.schemata': {
    columns: 'catalog_name varchar, schema_name varchar, schema_owner varchar',
    rows: ['public', 'pg_catalog', 'information_schema'].map((name) => [DATABASE, name, DATABASE]),
  },
  'information_schema.tables': {
    columns: `table_catalog varchar, table_schema varchar, table_name varchar, table_type varchar,
      is_insertable_into varchar, is_typed varchar`,
    rows: views.map(({ name }) => [DATABASE, 'public', name, 'VIEW', 'NO', 'NO']),
  },
  'information_schema.views': {
    columns: 'table_catalog varchar, table_schema varchar, table_name varchar, view_definition varchar',
    rows: views.map(({ name }) => [DATABASE, 'public', name, null]),
  },
  'information_schema.columns': {
    columns: `table_catalog varchar, table_schema varchar, table_name varchar, column_name varchar, ordinal_position integer,
      column_default varchar, is_nullable varchar, data_type varchar, character_maximum_length integer,
      numeric_precision integer, numeric_scale integer, datetime_precision integer, udt_catalog varchar, udt_schema varchar,
      udt_name varchar, is_identity varchar, is_generated varchar, is_updatable varchar`,
    rows: attributes.map(({ table, name, number, isNullable, type: { name: udt, title } }) => [
      ...[DATABASE, 'public', table, name, number, null, isNullable ? 'YES' : 'NO', title, null, null, null, null],
      ...[DATABASE, 'pg_catalog', udt, 'NO', 'NEVER', 'NO'],
    ]),
  },
  'information_schema.table_constraints': empty(
    'constraint_name varchar, table_schema varchar, table_name varchar, constraint_type varchar, constraint_schema varchar',
  ),
  'information_schema.key_column_usage': empty(
    'constraint_name varchar, table_schema varchar, table_name varchar, column_name varchar, ordinal_position integer',
  ),
};

/** What a table of the catalog is called here; null if there is none. `schema` may be empty. */
export function catalogTable(schema: string, name: string): string | null {
  const full = schema === 'information_schema' ? `information_schema.${name}` : name;
  if (schema !== '' && schema !== 'pg_catalog' && schema !== 'information_schema') return null;
  return Object.hasOwn(TABLES, full) ? viewName(full) : null;
}

const viewName = (name: string): string => `cairn_${name.replace('.', '_')}`;

export const CATALOG_VIEWS: ReadonlySet<string> = new Set(Object.keys(TABLES).map(viewName));

const literal = (value: Value): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

/** Temporary tables of the connection that answers. */
export const CATALOG_SQL: string = Object.entries(TABLES)
  .map(([name, { columns, rows }]) => {
    const values = rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ');
    const create = `create temp table ${viewName(name)} (${columns});`;
    return rows.length === 0 ? create : `${create} insert into ${viewName(name)} values ${values};`;
  })
  .join('\n');

/** What the views are, by their oids. */
export const TABLE_TITLES: readonly (readonly [number, string])[] = views.map(({ oid, about }) => [oid, about]);

/** `format_type`, as pairs of an oid and its words. */
export const TYPE_TITLES: readonly (readonly [number, string])[] = TYPES.map(({ oid, title }) => [oid, title]);
