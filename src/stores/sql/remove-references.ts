import { isUuid } from '../../core/events/uuid.ts';
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import { isJsonObject, type Json } from '../../core/json/json.ts';
import { isEventOfPerson, referencesAny } from '../../core/persons/references.ts';
import type { ActivityDetail } from '../metadata/accounts.ts';
import type { MergedPersons, RemovedCounts } from '../metadata/person-identities.ts';
import { plainLower } from './groups.ts';
import type { Sql } from './tables.ts';

const PAGE_SIZE = 500;

/** Visits the rows of a table page by page, oldest first. */
async function eachRow<Row>(
  page: (after: number) => Promise<Row[]>,
  numberOf: (row: Row) => number,
  visit: (row: Row) => Promise<void>,
): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await page(after);
    for (const row of rows) await visit(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = numberOf(last);
  }
}

export async function removeReferences(
  on: Sql,
  projectId: number,
  persons: MergedPersons,
  distinctIds: readonly string[],
): Promise<RemovedCounts> {
  const ids = new Set(distinctIds);
  return {
    deadLetters: await removeDeadLetters(on, projectId, ids),
    ingestionWarnings: await removeWarnings(on, projectId, ids),
    activityEntriesBlanked: await blankActivity(on, projectId, persons, ids),
  };
}

async function removeDeadLetters({ db }: Sql, projectId: number, ids: ReadonlySet<string>): Promise<number> {
  const letters = db.selectFrom('deadLetters').select(['id', 'payload']).where('projectId', '=', projectId);
  let removed = 0;
  await eachRow(
    (after) => letters.where('id', '>', after).orderBy('id').limit(PAGE_SIZE).execute(),
    (row) => row.id,
    async ({ id, payload }) => {
      const raw: Json = parseExact(payload);
      if (!isJsonObject(raw) || !isEventOfPerson(raw, ids)) return;
      await db.deleteFrom('deadLetters').where('id', '=', id).execute();
      removed++;
    },
  );
  return removed;
}

async function removeWarnings({ db }: Sql, projectId: number, ids: ReadonlySet<string>): Promise<number> {
  const warnings = db.selectFrom('ingestionWarnings').select(['id', 'details']).where('projectId', '=', projectId);
  let removed = 0;
  await eachRow(
    (after) => warnings.where('id', '>', after).orderBy('id').limit(PAGE_SIZE).execute(),
    (row) => row.id,
    async ({ id, details }) => {
      if (!referencesAny(parseExact(details), ids)) return;
      await db.deleteFrom('ingestionWarnings').where('id', '=', id).execute();
      removed++;
    },
  );
  return removed;
}

/** The entries stay; their details are removed. */
async function blankActivity(
  { db }: Sql,
  projectId: number,
  persons: MergedPersons,
  ids: ReadonlySet<string>,
): Promise<number> {
  const entries = db
    .selectFrom('activity')
    .select(['position', 'itemId', 'detail'])
    .where('projectId', '=', projectId)
    .where('scope', '=', 'Person');
  const items = new Set(persons.ids.map(String));
  const uuids = new Set(persons.uuids);
  let count = 0;
  await eachRow(
    (after) => entries.where('position', '>', after).orderBy('position').limit(PAGE_SIZE).execute(),
    (row) => row.position,
    async ({ position, itemId, detail }) => {
      const entry: ActivityDetail = parseExact(detail);
      const isAbout = items.has(itemId) || (entry.name !== null && uuids.has(entry.name));
      if (!isAbout && !referencesAny(entry as unknown as Json, ids)) return;
      const text = blanked(entry);
      if (text === detail) return;
      await db.updateTable('activity').set({ detail: text }).where('position', '=', position).execute();
      count++;
    },
  );
  return count;
}

function blanked(entry: ActivityDetail): string {
  const changes = entry.changes?.map((change) => ({ ...change, before: null, after: null })) ?? null;
  const name = entry.name !== null && isUuid(entry.name) ? entry.name : null;
  return stringifyExact({ ...entry, changes, name });
}

export async function blankDefinitionActivity({ db }: Sql, projectId: number, texts: readonly string[]): Promise<void> {
  const entries = db
    .selectFrom('activity')
    .select(['position', 'detail'])
    .where('projectId', '=', projectId)
    .where('scope', 'in', ['EventDefinition', 'PropertyDefinition']);
  const parts = texts.map((text) => plainLower(JSON.stringify(text).slice(1, -1)));
  await eachRow(
    (after) => entries.where('position', '>', after).orderBy('position').limit(PAGE_SIZE).execute(),
    (row) => row.position,
    async ({ position, detail }) => {
      if (!parts.some((part) => plainLower(detail).includes(part))) return;
      const text = blanked(parseExact(detail));
      await db.updateTable('activity').set({ detail: text }).where('position', '=', position).execute();
    },
  );
}
