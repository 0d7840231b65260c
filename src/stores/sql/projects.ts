import type { Insertable, Selectable, Updateable } from 'kysely';
import { type CookielessMode, DEFAULT_WEB_SETTINGS } from '../../core/web/web-settings.ts';
import type { Project } from '../metadata/accounts.ts';
import type { ProjectStore } from '../metadata/metadata-store.ts';
import { compiled } from './compiled.ts';
import { paged } from './paging.ts';
import { type ProjectTable, type Sql, type Tables, toBit } from './tables.ts';

type ProjectRow = Selectable<Tables['projects']>;

const toProject = (row: ProjectRow): Project => ({
  ...row,
  id: Number(row.id),
  anonymizeIps: row.anonymizeIps === 1,
  ingestedEvent: row.ingestedEvent === 1,
  testAccountFilters: JSON.parse(row.testAccountFilters),
  pathCleaningFilters: JSON.parse(row.pathCleaningFilters),
  webAnalytics: { ...DEFAULT_WEB_SETTINGS, ...JSON.parse(row.webAnalytics) },
  cookielessServerHashMode: row.cookielessServerHashMode as CookielessMode,
  preferences: JSON.parse(row.preferences),
});

type Columns = Omit<Updateable<Tables['projects']>, 'id'>;

/** How fields other than plain text and numbers are stored. */
const CONVERTERS: { [K in keyof Project]?: (value: Project[K]) => unknown } = {
  anonymizeIps: toBit,
  ingestedEvent: toBit,
  testAccountFilters: JSON.stringify,
  pathCleaningFilters: JSON.stringify,
  webAnalytics: JSON.stringify,
  preferences: JSON.stringify,
};

function toColumns(project: Partial<Omit<Project, 'id'>>): Columns {
  const entries = Object.entries(project).map(([field, value]) => {
    const convert = CONVERTERS[field as keyof Project] as ((value: unknown) => unknown) | undefined;
    return [field, convert ? convert(value) : value];
  });
  return Object.fromEntries(entries) as Columns;
}

export function projectStore({ db }: Sql, projectTables: readonly ProjectTable[]): ProjectStore {
  const byId = compiled<ProjectRow>(db, () => db.selectFrom('projects').selectAll().where('id', '=', 0));
  const one = async (column: 'apiToken' | 'secretHash', value: string): Promise<Project | null> => {
    const row = await db.selectFrom('projects').selectAll().where(column, '=', value).executeTakeFirst();
    return row ? toProject(row) : null;
  };
  return {
    async create(project) {
      const columns = toColumns(project) as Insertable<Tables['projects']>;
      return toProject(await db.insertInto('projects').values(columns).returningAll().executeTakeFirstOrThrow());
    },
    async get(id) {
      const [row] = await byId([id]);
      return row ? toProject(row) : null;
    },
    getByApiToken: (token) => one('apiToken', token),
    async getBySecretHash(hash) {
      const named = await db
        .selectFrom('projectSecretKeys')
        .select('projectId')
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (named === undefined) return one('secretHash', hash);
      const [row] = await byId([named.projectId]);
      return row ? toProject(row) : null;
    },
    async list(organizationIds, page, ids) {
      if (organizationIds.length === 0) return { count: 0, items: [] };
      const mine = db.selectFrom('projects').where('organizationId', 'in', organizationIds);
      const wanted = ids === undefined ? mine : mine.where('id', 'in', ids);
      return paged(wanted.selectAll().orderBy('id'), page, toProject);
    },
    async listAll() {
      return (await db.selectFrom('projects').selectAll().orderBy('id').execute()).map(toProject);
    },
    async update(id, changes) {
      await db.updateTable('projects').set(toColumns(changes)).where('id', '=', id).execute();
    },
    async delete(id) {
      for (const table of projectTables) await db.deleteFrom(table).where('projectId', '=', id).execute();
      await db.deleteFrom('projects').where('id', '=', id).execute();
    },
    async recordDeleted(projectId, deletedAt) {
      await db.insertInto('goneProjects').values({ projectId, goneAt: deletedAt }).execute();
    },
    async listDeleted() {
      const rows = await db.selectFrom('goneProjects').selectAll().orderBy('projectId').execute();
      return rows.map(({ projectId, goneAt }) => ({ projectId: Number(projectId), deletedAt: Number(goneAt) }));
    },
    async clearDeleted(id) {
      await db.deleteFrom('goneProjects').where('projectId', '=', id).execute();
    },
  };
}
