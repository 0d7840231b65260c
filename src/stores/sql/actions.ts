import type { Insertable, Selectable } from 'kysely';
import type { Json } from '../../core/json/json.ts';
import type { Action, ActionStore } from '../metadata/actions.ts';
import { parseStoredJson } from './json-text.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

const toAction = (row: Selectable<Tables['actions']>): Action => ({
  ...row,
  id: Number(row.id),
  tags: JSON.parse(row.tags),
  // An action with damaged steps has none and never matches.
  steps: [parseStoredJson(row.steps)].flat().filter((step) => typeof step === 'object') as Json[],
  deleted: row.deleted === 1,
});

const toColumns = (action: Omit<Action, 'id'>): Insertable<Tables['actions']> => ({
  ...action,
  tags: JSON.stringify(action.tags),
  steps: JSON.stringify(action.steps),
  deleted: toBit(action.deleted),
});

export function actionStore({ db }: Sql): ActionStore {
  const ofProject = (projectId: number) => db.selectFrom('actions').selectAll().where('projectId', '=', projectId);
  return {
    async create(action) {
      const row = await db.insertInto('actions').values(toColumns(action)).returningAll().executeTakeFirstOrThrow();
      return toAction(row);
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toAction(row) : null;
    },
    async getByName(projectId, name) {
      const row = await ofProject(projectId).where('name', '=', name).where('deleted', '=', 0).executeTakeFirst();
      return row ? toAction(row) : null;
    },
    async listByProject(projectId) {
      const rows = await ofProject(projectId)
        .where('deleted', '=', 0)
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toAction);
    },
    async update({ id, ...action }) {
      await db.updateTable('actions').set(toColumns(action)).where('id', '=', id).execute();
    },
  };
}
