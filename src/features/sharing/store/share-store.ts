/** Links to shared things, their passwords, and how often they were opened. Times are in ms UTC. */
import { type Generated, type Insertable, type Selectable, sql } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';
import type { SharedKind } from '../rules/share-settings.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly shares: ShareStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    shares: {
      id: string;
      projectId: number;
      kind: SharedKind;
      itemId: number;
      enabled: Flag;
      token: string;
      previousToken: string | null;
      previousUntil: number | null;
      passwordRequired: Flag;
      settings: string;
      expiresAt: number | null;
      allowedOrigins: string;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
    };
    sharePasswords: {
      id: Generated<number>;
      projectId: number;
      shareId: string;
      hash: string;
      note: string | null;
      createdAt: number;
      createdBy: number | null;
    };
    shareViews: { projectId: number; shareId: string; day: string; count: number };
  }
}

export interface Share {
  id: string;
  projectId: number;
  kind: SharedKind;
  /** Of the insight, dashboard, or part of the site; 0 for all of the site. */
  itemId: number;
  enabled: boolean;
  /** What opens it. Kept as it is, because everybody who may see the project may copy the link. */
  token: string;
  /** The one before it, which opens it until then. */
  previousToken: string | null;
  previousUntil: number | null;
  passwordRequired: boolean;
  /** As they were sent; see `readShareSettings`. */
  settings: JsonObject;
  /** Null: never. */
  expiresAt: number | null;
  /** Sites that may show it in a frame; empty: all. */
  allowedOrigins: string[];
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

export interface SharePassword {
  id: number;
  projectId: number;
  shareId: string;
  hash: string;
  note: string | null;
  createdAt: number;
  createdBy: number | null;
}

interface ShareStore {
  get(projectId: number, kind: SharedKind, itemId: number): Promise<Share | null>;
  /** By its token or the one before it, whether it may be opened or not. */
  getByToken(token: string): Promise<Share | null>;
  /** The one that is there stays, if another request was faster. */
  create(share: Share): Promise<void>;
  update(share: Share): Promise<void>;
  /** With its passwords, and how often it was opened. */
  delete(shareId: string): Promise<void>;
  /** The oldest first. */
  listPasswords(shareId: string): Promise<SharePassword[]>;
  createPassword(password: Omit<SharePassword, 'id'>): Promise<SharePassword>;
  /** False if there was none. */
  deletePassword(shareId: string, id: number): Promise<boolean>;
  /** Days are dates in UTC. */
  countView(share: Pick<Share, 'id' | 'projectId'>, day: string): Promise<void>;
  /** On this day and later. */
  viewsSince(shareId: string, day: string): Promise<number>;
}

const toShare = (row: Selectable<Tables['shares']>): Share => ({
  ...row,
  itemId: Number(row.itemId),
  enabled: row.enabled === 1,
  passwordRequired: row.passwordRequired === 1,
  settings: parseStoredJson(row.settings) as JsonObject,
  allowedOrigins: JSON.parse(row.allowedOrigins),
});

const toColumns = (share: Share): Insertable<Tables['shares']> => ({
  ...share,
  enabled: toBit(share.enabled),
  passwordRequired: toBit(share.passwordRequired),
  settings: JSON.stringify(share.settings),
  allowedOrigins: JSON.stringify(share.allowedOrigins),
});

const toPassword = (row: Selectable<Tables['sharePasswords']>): SharePassword => ({ ...row, id: Number(row.id) });

export function shareStore({ db }: Sql): ShareStore {
  return {
    async get(projectId, kind, itemId) {
      const row = await db
        .selectFrom('shares')
        .selectAll()
        .where('projectId', '=', projectId)
        .where('kind', '=', kind)
        .where('itemId', '=', itemId)
        .executeTakeFirst();
      return row ? toShare(row) : null;
    },
    async getByToken(token) {
      const row = await db
        .selectFrom('shares')
        .selectAll()
        .where((eb) => eb.or([eb('token', '=', token), eb('previousToken', '=', token)]))
        .executeTakeFirst();
      return row ? toShare(row) : null;
    },
    async create(share) {
      await db
        .insertInto('shares')
        .values(toColumns(share))
        .onConflict((conflict) => conflict.columns(['projectId', 'kind', 'itemId']).doNothing())
        .execute();
    },
    async update(share) {
      const { id, ...columns } = toColumns(share);
      await db.updateTable('shares').set(columns).where('id', '=', id).execute();
    },
    async delete(shareId) {
      await db.deleteFrom('sharePasswords').where('shareId', '=', shareId).execute();
      await db.deleteFrom('shareViews').where('shareId', '=', shareId).execute();
      await db.deleteFrom('shares').where('id', '=', shareId).execute();
    },
    async listPasswords(shareId) {
      const rows = await db
        .selectFrom('sharePasswords')
        .selectAll()
        .where('shareId', '=', shareId)
        .orderBy('id')
        .execute();
      return rows.map(toPassword);
    },
    async createPassword(password) {
      const row = await db.insertInto('sharePasswords').values(password).returningAll().executeTakeFirstOrThrow();
      return toPassword(row);
    },
    async deletePassword(shareId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('sharePasswords')
        .where('shareId', '=', shareId)
        .where('id', '=', id)
        .executeTakeFirst();
      return Number(numDeletedRows) === 1;
    },
    async countView({ id: shareId, projectId }, day) {
      await db
        .insertInto('shareViews')
        .values({ projectId, shareId, day, count: 1 })
        .onConflict((conflict) =>
          conflict.columns(['shareId', 'day']).doUpdateSet({ count: sql`share_views.count + 1` }),
        )
        .execute();
    },
    async viewsSince(shareId, day) {
      const row = await db
        .selectFrom('shareViews')
        .select((eb) => eb.fn.sum('count').as('views'))
        .where('shareId', '=', shareId)
        .where('day', '>=', day)
        .executeTakeFirst();
      return Number(row?.views ?? 0);
    },
  };
}
