import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import type { ActivityStore, InstallationStore } from '../metadata/metadata-store.ts';
import { paged } from './paging.ts';
import type { Sql } from './tables.ts';

export function activityStore({ db }: Sql): ActivityStore {
  return {
    async create(activity) {
      await db
        .insertInto('activity')
        .values({ ...activity, detail: stringifyExact(activity.detail) })
        .execute();
    },
    async list({ organizationId, projectId, scope, itemId, scopes = [], withoutScopes = [], after, before }, page) {
      const matching = db
        .selectFrom('activity')
        .where('organizationId', '=', organizationId)
        .$if(projectId !== undefined, (q) => q.where('projectId', '=', projectId ?? null))
        .$if(scope !== undefined, (q) => q.where('scope', '=', scope ?? ''))
        .$if(scopes.length > 0, (q) => q.where('scope', 'in', scopes))
        .$if(after !== undefined, (q) => q.where('createdAt', '>=', after ?? 0))
        .$if(before !== undefined, (q) => q.where('createdAt', '<=', before ?? 0))
        .$if(withoutScopes.length > 0, (q) => q.where('scope', 'not in', withoutScopes))
        .$if(itemId !== undefined, (q) => q.where('itemId', '=', itemId ?? ''));
      return paged(matching.selectAll().orderBy('position', 'desc'), page, ({ position: _, ...row }) => ({
        ...row,
        detail: parseExact(row.detail),
      }));
    },
  };
}

export function installationStore({ db }: Sql): InstallationStore {
  return {
    async get(name) {
      const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst();
      return row?.value ?? null;
    },
    async set(name, value) {
      await db
        .insertInto('installation')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
    async getOrAdd(name, value) {
      const row = await db
        .insertInto('installation')
        .values({ name, value })
        // Without an effect, but so the row is returned, whoever has added it.
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((row) => ({ value: row.ref('installation.value') })),
        )
        .returning('value')
        .executeTakeFirstOrThrow();
      return row.value;
    },
    async delete(name) {
      await db.deleteFrom('installation').where('name', '=', name).execute();
    },
  };
}
