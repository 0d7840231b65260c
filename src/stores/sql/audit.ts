import type { Selectable } from 'kysely';
import { digest } from '../../lib/secrets.ts';
import type { AuditEntry, AuditQuery, AuditStore, BrokenAudit } from '../metadata/audit.ts';
import { paged } from './paging.ts';
import type { Sql, Tables } from './tables.ts';

type AuditRow = Selectable<Tables['audit']>;

const toEntry = (row: AuditRow): AuditEntry => ({ ...row, number: Number(row.number), detail: JSON.parse(row.detail) });

/** What the first entry of all follows. */
const NOTHING = { number: 0, hash: '' };
const PAGE_SIZE = 1000;

const hashOf = (previous: string, row: Omit<AuditRow, 'hash'>): string =>
  digest(
    JSON.stringify([
      previous,
      row.organizationId,
      Number(row.number),
      row.projectId,
      row.userId,
      row.activity,
      row.scope,
      row.itemId,
      row.detail,
      Number(row.createdAt),
    ]),
  );

export function auditStore({ db }: Sql): AuditStore {
  /** The last entry that retention removed. */
  const removedOf = async (organizationId: string) => {
    const row = await db
      .selectFrom('auditRemoved')
      .select(['number', 'hash'])
      .where('organizationId', '=', organizationId)
      .executeTakeFirst();
    return row ? { number: Number(row.number), hash: row.hash } : NOTHING;
  };
  const lastOf = async (organizationId: string) => {
    const row = await db
      .selectFrom('audit')
      .select(['number', 'hash'])
      .where('organizationId', '=', organizationId)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row ? { number: Number(row.number), hash: row.hash } : removedOf(organizationId);
  };
  const rowsAfter = (organizationId: string, number: number, limit: number) =>
    db
      .selectFrom('audit')
      .selectAll()
      .where('organizationId', '=', organizationId)
      .where('number', '>', number)
      .orderBy('number')
      .limit(limit)
      .execute();
  const matching = ({ organizationId, after, before, scope, userId, activity, belowNumber }: AuditQuery) =>
    db
      .selectFrom('audit')
      .where('organizationId', '=', organizationId)
      .$if(after !== undefined, (q) => q.where('createdAt', '>=', after ?? 0))
      .$if(before !== undefined, (q) => q.where('createdAt', '<', before ?? 0))
      .$if(scope !== undefined, (q) => q.where('scope', '=', scope ?? ''))
      .$if(userId !== undefined, (q) => q.where('userId', '=', userId ?? 0))
      .$if(activity !== undefined, (q) => q.where('activity', '=', activity ?? ''))
      .$if(belowNumber !== undefined, (q) => q.where('number', '<', belowNumber ?? 0));
  return {
    async append({ detail, ...entry }) {
      const { number, hash } = await lastOf(entry.organizationId);
      const row = { ...entry, number: number + 1, detail: JSON.stringify(detail) };
      await db
        .insertInto('audit')
        .values({ ...row, hash: hashOf(hash, row) })
        .execute();
    },
    list: (query, page) => paged(matching(query).selectAll().orderBy('number', 'desc'), page, toEntry),
    listAfter: async (organizationId, number, limit) => (await rowsAfter(organizationId, number, limit)).map(toEntry),
    async removeBefore(time) {
      const old = db.selectFrom('audit').select('organizationId').distinct().where('createdAt', '<', time);
      let removed = 0;
      for (const { organizationId } of await old.execute()) removed += await removeOldest(organizationId, time);
      return removed;
    },
    async findBroken() {
      const broken: BrokenAudit[] = [];
      for (const { organizationId } of await db.selectFrom('audit').select('organizationId').distinct().execute()) {
        const number = await firstBroken(organizationId);
        if (number !== null) broken.push({ organizationId, number });
      }
      return broken;
    },
  };

  /** Only from the oldest on: the clock may have been set back, and there must be no gap. */
  async function removeOldest(organizationId: string, time: number): Promise<number> {
    const kept = await db
      .selectFrom('audit')
      .select((eb) => eb.fn.min('number').as('number'))
      .where('organizationId', '=', organizationId)
      .where('createdAt', '>=', time)
      .executeTakeFirst();
    const last = await db
      .selectFrom('audit')
      .select(['number', 'hash'])
      .where('organizationId', '=', organizationId)
      .$if(kept?.number != null, (q) => q.where('number', '<', Number(kept?.number)))
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!last) return 0;
    const { number, hash } = last;
    await db
      .insertInto('auditRemoved')
      .values({ organizationId, number, hash })
      .onConflict((conflict) => conflict.column('organizationId').doUpdateSet({ number, hash }))
      .execute();
    const gone = await db
      .deleteFrom('audit')
      .where('organizationId', '=', organizationId)
      .where('number', '<=', number)
      .executeTakeFirst();
    return Number(gone.numDeletedRows);
  }

  async function firstBroken(organizationId: string): Promise<number | null> {
    let { number, hash } = await removedOf(organizationId);
    for (;;) {
      const rows = await rowsAfter(organizationId, number, PAGE_SIZE);
      for (const row of rows) {
        if (Number(row.number) !== number + 1 || row.hash !== hashOf(hash, row)) return number + 1;
        number++;
        hash = row.hash;
      }
      if (rows.length < PAGE_SIZE) return null;
    }
  }
}
