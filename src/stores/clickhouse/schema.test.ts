import { expect, it } from 'vitest';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import {
  addColumnStatements,
  dropColumnStatements,
  EVENT_COLUMNS,
  migrationSteps,
  mutableTable,
  systemTable,
  viewStatements,
} from './schema.ts';

const alone = { cluster: null };
const many = { cluster: 'main' };
const flat = (options: { cluster: string | null }): string[] =>
  migrationSteps(options)
    .flat()
    .map((sql) => sql.replace(/\s+/g, ' '));
const statement = (options: { cluster: string | null }, begin: string): string =>
  flat(options).find((sql) => sql.startsWith(begin)) ?? '';

it('creates plain tables on one server, with deduplication of inserts', () => {
  const all = flat(alone).join('\n');
  expect(all).not.toMatch(/on cluster|Replicated|Distributed/);
  expect(statement(alone, 'create table if not exists event_rows')).toContain(
    'engine = MergeTree() partition by toYYYYMM(',
  );
  expect(all).toContain('settings non_replicated_deduplication_window = 1000, fsync_after_insert = 1');
  expect(statement(alone, 'create table if not exists person_versions')).toContain(
    'engine = ReplacingMergeTree(version, is_gone) order by (project_id, person_id)',
  );
});

it('creates replicated tables on a cluster: events sharded, the rest on every node', () => {
  for (const sql of flat(many)) expect(sql).toContain('on cluster "main"');
  const events = statement(many, 'create table if not exists event_rows_local on cluster "main"');
  expect(events).toContain(
    `engine = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') partition by`,
  );
  expect(events).toContain('replicated_deduplication_window = 1000, replicated_deduplication_window_seconds = 7776000');
  expect(statement(many, 'create table if not exists event_rows on cluster')).toBe(
    'create table if not exists event_rows on cluster "main" as event_rows_local engine = Distributed("main", ' +
      'currentDatabase(), event_rows_local, cityHash64(project_id, person_id))',
  );
  expect(statement(many, 'create table if not exists person_override_rows')).toContain(
    `ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}', version)`,
  );
  expect(statement(many, 'create table if not exists store_notes')).toContain(
    `ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}') order by name`,
  );
});

it('sorts events by immutable columns that queries filter on', () => {
  for (const [options, name] of [
    [alone, 'event_rows '],
    [many, 'event_rows_local '],
  ] as const) {
    const [, order = ''] =
      /order by (\(.*?\)) settings/.exec(statement(options, `create table if not exists ${name}`)) ?? [];
    expect(order).toBe('(project_id, event, intDiv(timestamp, 86400000), distinct_id, timestamp)');
  }
});

it('has a column for each hot property, in the table and in the view', () => {
  const table = statement(alone, 'create table if not exists event_rows');
  const [view = ''] = viewStatements(alone, { event: ['promoted_3'], person: [] });
  for (const name of HOT_PROPERTIES) {
    expect(table).toMatch(new RegExp(`"${name.replace('$', '\\$')}" (LowCardinality\\(Nullable|Nullable)\\(String\\)`));
    expect(view).toContain(`e."${name}" as "${name}"`);
  }
  expect(EVENT_COLUMNS).toHaveLength(14 + HOT_PROPERTIES.length);
  expect(view).toContain('e."promoted_3" as "promoted_3"');
});

it('alters events on every shard, and replicated tables on one node', () => {
  expect(mutableTable(many, 'event_rows')).toBe('event_rows_local on cluster "main"');
  expect(mutableTable(many, 'person_versions')).toBe('person_versions');
  expect(addColumnStatements(many, 'person_versions', 'promoted_1', 'a').map((sql) => sql.slice(0, 60))).toEqual([
    'alter table person_versions add column if not exists promote',
  ]);
  expect([systemTable(many, 'parts'), systemTable(alone, 'parts')]).toEqual([
    "clusterAllReplicas('main', system.parts)",
    'system.parts',
  ]);
});

it('adds and drops columns in the distributed table too, there first when dropping', () => {
  const [local = '', all = ''] = addColumnStatements(many, 'event_rows', 'promoted_1', `it's`);
  expect(local).toMatch(/^alter table event_rows_local on cluster "main" add column if not exists promoted_1 /);
  expect(all).toMatch(/^alter table event_rows on cluster "main" add column if not exists promoted_1 /);
  expect(local).toContain(`unhex('69742773')`);
  expect(dropColumnStatements(many, 'event_rows', 'promoted_1')).toEqual([
    'alter table event_rows on cluster "main" drop column if exists promoted_1',
    'alter table event_rows_local on cluster "main" drop column if exists promoted_1',
  ]);
  expect(addColumnStatements(alone, 'event_rows', 'promoted_1', 'a')).toHaveLength(1);
});
