/** The links to parts of a site: a name, and the filters that whoever has the link cannot leave. */
import type { Generated, Selectable } from 'kysely';
import type { Json } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import type { Sql, Tables } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly webShares: WebShareStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    webShares: {
      id: Generated<number>;
      projectId: number;
      name: string;
      filters: string;
      createdAt: number;
      createdBy: number | null;
    };
  }
}

export interface WebShare {
  id: number;
  projectId: number;
  name: string;
  /** As questions about the site have them. */
  filters: Json[];
  createdAt: number;
  createdBy: number | null;
}

interface WebShareStore {
  get(projectId: number, id: number): Promise<WebShare | null>;
  /** The oldest first. */
  listByProject(projectId: number): Promise<WebShare[]>;
  create(share: Omit<WebShare, 'id'>): Promise<WebShare>;
  update(share: WebShare): Promise<void>;
  delete(projectId: number, id: number): Promise<void>;
}

const toWebShare = (row: Selectable<Tables['webShares']>): WebShare => ({
  ...row,
  id: Number(row.id),
  filters: parseStoredJson(row.filters) as Json[],
});

export function webShareStore({ db }: Sql): WebShareStore {
  return {
    async get(projectId, id) {
      const row = await db
        .selectFrom('webShares')
        .selectAll()
        .where('projectId', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? toWebShare(row) : null;
    },
    async listByProject(projectId) {
      const rows = await db
        .selectFrom('webShares')
        .selectAll()
        .where('projectId', '=', projectId)
        .orderBy('id')
        .execute();
      return rows.map(toWebShare);
    },
    async create({ filters, ...share }) {
      const row = await db
        .insertInto('webShares')
        .values({ ...share, filters: JSON.stringify(filters) })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toWebShare(row);
    },
    async update({ projectId, id, name, filters }) {
      await db
        .updateTable('webShares')
        .set({ name, filters: JSON.stringify(filters) })
        .where('projectId', '=', projectId)
        .where('id', '=', id)
        .execute();
    },
    async delete(projectId, id) {
      await db.deleteFrom('webShares').where('projectId', '=', projectId).where('id', '=', id).execute();
    },
  };
}
