/** Where the audit log of an organization is sent. Times are in ms UTC. */
import type { Selectable } from 'kysely';
import type { Sql, Tables } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly auditWebhooks: AuditWebhookStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    auditWebhooks: {
      organizationId: string;
      url: string;
      secret: string;
      previousSecret: string | null;
      rolledAt: number | null;
      lastNumber: number;
      createdBy: number | null;
      createdAt: number;
      updatedAt: number;
    };
  }
}

export interface AuditWebhook {
  organizationId: string;
  url: string;
  secret: string;
  /** Valid for a day after `rolledAt`. */
  previousSecret: string | null;
  rolledAt: number | null;
  /** Of the last entry that was put into the outbox. */
  lastNumber: number;
  /** Who is told if the address does not exist any more. */
  createdBy: number | null;
  createdAt: number;
  updatedAt: number;
}

interface AuditWebhookStore {
  get(organizationId: string): Promise<AuditWebhook | null>;
  list(): Promise<AuditWebhook[]>;
  /** Creates or replaces it. */
  set(webhook: AuditWebhook): Promise<void>;
  setLastNumber(organizationId: string, lastNumber: number): Promise<void>;
  delete(organizationId: string): Promise<void>;
}

const toWebhook = (row: Selectable<Tables['auditWebhooks']>): AuditWebhook => ({
  ...row,
  lastNumber: Number(row.lastNumber),
});

export function auditWebhookStore({ db }: Sql): AuditWebhookStore {
  return {
    async get(organizationId) {
      const row = await db
        .selectFrom('auditWebhooks')
        .selectAll()
        .where('organizationId', '=', organizationId)
        .executeTakeFirst();
      return row ? toWebhook(row) : null;
    },
    async list() {
      const rows = await db.selectFrom('auditWebhooks').selectAll().orderBy('organizationId').execute();
      return rows.map(toWebhook);
    },
    async set(webhook) {
      const { organizationId, ...rest } = webhook;
      await db
        .insertInto('auditWebhooks')
        .values({ organizationId, ...rest })
        .onConflict((conflict) => conflict.column('organizationId').doUpdateSet(rest))
        .execute();
    },
    async setLastNumber(organizationId, lastNumber) {
      await db.updateTable('auditWebhooks').set({ lastNumber }).where('organizationId', '=', organizationId).execute();
    },
    async delete(organizationId) {
      await db.deleteFrom('auditWebhooks').where('organizationId', '=', organizationId).execute();
    },
  };
}
