import { sql } from 'kysely';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';
import type { Sql } from '../tables.ts';

const COLUMNS = {
  projectId: 'integer',
  personUuid: 'text',
  key: 'text',
  before: 'text',
  after: 'text',
  eventUuid: 'text',
  at: 'integer',
} as const;

export async function writeHistory({ db, dialect }: Sql, history: readonly HistoryEntry[]): Promise<void> {
  if (history.length === 0) return;
  const entries = history.map(({ before, after, ...entry }) => ({
    ...entry,
    before: before === undefined ? null : stringifyExact(before),
    after: after === undefined ? null : stringifyExact(after),
  }));
  await sql`
    insert into person_property_history
      (project_id, person_uuid, name, before_value, after_value, event_uuid, happened_at)
    select project_id, person_uuid, key, before, after, event_uuid, at
    from ${dialect.rows(COLUMNS, entries)} r`.execute(db);
}
