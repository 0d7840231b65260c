/** Random SQL statements: right ones over the views, and ones that try to read or do what they must not. */

type Random = () => number;

const COLUMNS = {
  events: {
    text: ['event', 'distinct_id', 'properties.note', 'properties.$browser', `properties['a key']`, 'elements_chain'],
    number: ['toFloat(properties.ms)', 'length(event)', 'toInt(properties.n)'],
    time: ['timestamp'],
  },
  persons: { text: ['properties.email', 'properties.plan'], number: ['length(properties)'], time: [] },
  person_distinct_ids: { text: ['distinct_id'], number: ['length(distinct_id)'], time: [] },
  sessions: {
    text: ['session_id', 'distinct_id', '"$entry_current_url"'],
    number: ['"$session_duration"', '"$event_count"', '"$pageview_count"'],
    time: ['"$start_timestamp"'],
  },
  groups: { text: ['key', 'type'], number: ['index'], time: [] },
  cohorts: { text: ['name'], number: ['id', 'count'], time: [] },
} as const;
type Table = keyof typeof COLUMNS;

const FORBIDDEN_TABLES = ['event_rows', 'person_rows', 'sqlite_master', 'duckdb_tables()', 'information_schema.tables'];
const FORBIDDEN_CALLS = ['getenv', 'read_text', 'current_setting', 'nextval', 'version', 'query_table', 'repeat'];
const NOISE = [
  ...[
    '(',
    ')',
    ',',
    ';',
    "'",
    '"',
    '--',
    '/*',
    '*/',
    '{',
    '}',
    '$1',
    '?',
    '::',
    'from',
    'select',
    'union',
    'with',
    '\\',
  ],
  ...[
    'é',
    '\u0000',
    '💥',
    '1e999',
    '0x',
    'null',
    'lateral',
    'recursive',
    'qualify',
    'pivot',
    'into',
    '[1]',
    '=>',
    ':=',
  ],
];

export class RandomStatements {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** One that is answered; with `order by` of all columns, so that its rows have one order. */
  right(): string {
    const table = this.#pick(Object.keys(COLUMNS) as Table[]);
    return this.#chance(0.3) ? this.#grouped(table) : this.#plain(table);
  }

  /** Anything: right, forbidden, or broken. */
  any(): string {
    const sql = this.#chance(0.2) ? this.#nested() : this.right();
    const roll = this.#random();
    if (roll < 0.4) return sql;
    if (roll < 0.6) return this.#withForbidden(sql);
    return this.#withNoise(sql);
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #text(table: Table, depth = 0): string {
    const column = this.#pick(COLUMNS[table].text);
    if (depth > 2 || this.#chance(0.5)) return column;
    const inner = this.#text(table, depth + 1);
    return this.#pick([
      `upper(${inner})`,
      `lower(${inner})`,
      `coalesce(${inner}, '-')`,
      `substring(${inner}, 1, ${this.#below(9)})`,
      `replace(${inner}, 'a', 'b')`,
      `concat(${inner}, ${this.#literal()})`,
      `multiIf(${this.#condition(table, depth + 1)}, ${inner}, 'x')`,
      `if(${this.#condition(table, depth + 1)}, ${inner}, 'y')`,
    ]);
  }

  #number(table: Table, depth = 0): string {
    const column = this.#pick(COLUMNS[table].number);
    if (depth > 2 || this.#chance(0.4)) return this.#chance(0.2) ? String(this.#below(1000)) : column;
    const inner = this.#number(table, depth + 1);
    return this.#pick([
      `abs(${inner})`,
      `round(${inner}, 2)`,
      `(${inner} + ${this.#number(table, depth + 1)})`,
      `(${inner} * ${this.#below(10)})`,
      `greatest(${inner}, ${this.#below(100)})`,
      `ifNull(${inner}, 0)`,
      `case when ${this.#condition(table, depth + 1)} then ${inner} else 0 end`,
      `length(${this.#text(table, depth + 1)})`,
    ]);
  }

  #literal(): string {
    return this.#pick([`'own'`, `'a'`, `'O''Brien'`, `''`, `'%'`, `'${'x'.repeat(this.#below(20))}'`]);
  }

  #condition(table: Table, depth = 0): string {
    const text = () => this.#text(table, depth + 1);
    const simple = this.#pick([
      () => `${text()} = ${this.#literal()}`,
      () => `${text()} like ${this.#literal()}`,
      () => `${text()} is null`,
      () => `${text()} in (${this.#literal()}, ${this.#literal()})`,
      () => `${this.#number(table, depth + 1)} > ${this.#below(200)}`,
      () => `${this.#number(table, depth + 1)} between 1 and ${this.#below(500)}`,
    ])();
    if (depth > 1 || this.#chance(0.6)) return simple;
    return `(${simple} ${this.#pick(['and', 'or'])} not ${this.#condition(table, depth + 1)})`;
  }

  #plain(table: Table): string {
    const count = 1 + this.#below(3);
    const columns = Array.from({ length: count }, () => (this.#chance(0.6) ? this.#text(table) : this.#number(table)));
    const where = this.#chance(0.6) ? ` where ${this.#condition(table)}` : '';
    const order = columns.map((_, at) => at + 1).join(', ');
    const named = columns.map((column, at) => `${column} as c${at}`).join(', ');
    return `select ${this.#chance(0.2) ? 'distinct ' : ''}${named} from ${table}${where} order by ${order} limit ${1 + this.#below(50)}`;
  }

  #grouped(table: Table): string {
    const key = this.#text(table);
    const total = this.#pick(['count()', `sum(${this.#number(table)})`, `max(${this.#text(table)})`, `uniq(${key})`]);
    const where = this.#chance(0.5) ? ` where ${this.#condition(table)}` : '';
    const having = this.#chance(0.3) ? ' having count() > 1' : '';
    return `select ${key} as k, ${total} as v from ${table}${where} group by k${having} order by 1, 2 limit 100`;
  }

  #nested(): string {
    const inner = this.right();
    return this.#pick([
      `with a as (${inner}) select count() as n from a`,
      `select count() as n from (${inner}) x`,
      `select (select count() from (${inner}) y) as n`,
      `(${inner}) union all (${inner})`,
      `select event from events where event in (select distinct_id from events) order by 1`,
      `select e.event, p.id is null as p from events e left join persons p on p.id = e.person_id order by 1, 2`,
    ]);
  }

  #withForbidden(sql: string): string {
    const call = `${this.#pick(FORBIDDEN_CALLS)}('x')`;
    return this.#pick([
      () => sql.replace(/from \w+/, `from ${this.#pick(FORBIDDEN_TABLES)}`),
      () => sql.replace('select ', `select ${call}, `),
      () => `select 1 where exists (select 1 from ${this.#pick(FORBIDDEN_TABLES)})`,
      () => `${this.#pick(['explain', 'describe', 'pragma', 'create table t as', 'copy', 'set', 'attach'])} ${sql}`,
      () => `${sql}; ${this.#pick(['drop table events', 'select 1', 'checkpoint'])}`,
    ])();
  }

  /** Some of its words replaced, doubled or taken out. */
  #withNoise(sql: string): string {
    const words = sql.split(/(?<=[\s(),])|(?=[\s(),])/);
    for (let i = 0; i <= this.#below(3); i++) {
      const at = this.#below(words.length);
      const change = this.#pick([
        [this.#pick(NOISE)],
        [],
        [words[at] ?? '', words[at] ?? ''],
        [` ${this.#pick(NOISE)} `],
      ]);
      words.splice(at, 1, ...change);
    }
    return words.join('');
  }
}
