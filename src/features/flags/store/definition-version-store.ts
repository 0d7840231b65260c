/** The version of each project's flag definitions, with a tag of their content. Times are in ms UTC. */
import { sql } from 'kysely';
import type { Sql } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly definitionVersions: DefinitionVersionStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    flagDefinitionVersions: { projectId: number; version: number; tag: string; changedAt: number };
  }
}

export interface DefinitionVersion {
  version: number;
  /** Of the content. */
  tag: string;
  changedAt: number;
}

interface DefinitionVersionStore {
  /** In a transaction, in which no other can change it. Version 0, with an empty tag, where there was none. */
  lock(projectId: number): Promise<DefinitionVersion>;
  /** After `lock`. */
  set(projectId: number, version: DefinitionVersion): Promise<void>;
  /** 0 where there is none. */
  get(projectId: number): Promise<number>;
}

export function definitionVersionStore({ db }: Sql): DefinitionVersionStore {
  return {
    async lock(projectId) {
      // An update, even of nothing, locks the row.
      const { rows } = await sql<DefinitionVersion>`
        insert into flag_definition_versions (project_id, version, tag, changed_at)
        values (${projectId}, 0, '', 0)
        on conflict (project_id) do update set project_id = excluded.project_id
        returning version, tag, changed_at as "changedAt"`.execute(db);
      const [row = { version: 0, tag: '', changedAt: 0 }] = rows;
      return { version: Number(row.version), tag: row.tag, changedAt: Number(row.changedAt) };
    },
    async set(projectId, version) {
      await db.updateTable('flagDefinitionVersions').set(version).where('projectId', '=', projectId).execute();
    },
    async get(projectId) {
      const row = await db
        .selectFrom('flagDefinitionVersions')
        .select('version')
        .where('projectId', '=', projectId)
        .executeTakeFirst();
      return Number(row?.version ?? 0);
    },
  };
}
