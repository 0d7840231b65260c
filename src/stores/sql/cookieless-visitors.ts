import { sql } from 'kysely';
import type { CookielessVisitor } from '../../core/cookieless/cookieless-visitor.ts';
import type { CookielessVisitorStore } from '../metadata/cookieless-visitors.ts';
import type { Sql } from './tables.ts';
import { writeRows } from './write-rows.ts';

export const cookielessVisitorStore = ({ db }: Sql): CookielessVisitorStore => ({
  async countSignIns(projectId, base) {
    const row = await db
      .selectFrom('cookielessVisitors')
      .select('signIns')
      .where('projectId', '=', projectId)
      .where('base', '=', base)
      .executeTakeFirst();
    return row?.signIns ?? 0;
  },
  async deleteExpired(now) {
    await db.deleteFrom('cookielessVisitors').where('expiresAt', '<=', now).execute();
  },
});

export async function readCookielessVisitors(
  { db, dialect }: Sql,
  keys: readonly Pick<CookielessVisitor, 'projectId' | 'base'>[],
): Promise<CookielessVisitor[]> {
  const wanted = dialect.rows({ projectId: 'integer', base: 'text' }, keys);
  const { rows } = await sql<Omit<CookielessVisitor, 'sessions'> & { sessions: string }>`
    select v.project_id, v.base, v.expires_at, v.sign_ins, v.signed_in_at, v.sessions
    from ${wanted} w
    cross join cookieless_visitors v
    where v.project_id = w.project_id and v.base = w.base`.execute(db);
  return rows.map((row) => ({ ...row, sessions: JSON.parse(row.sessions) }));
}

const COLUMNS = {
  projectId: 'integer',
  base: 'text',
  expiresAt: 'integer',
  signIns: 'integer',
  signedInAt: 'integer',
  sessions: 'text',
} as const;

export function writeCookielessVisitors(on: Sql, visitors: readonly CookielessVisitor[]): Promise<void> {
  const rows = visitors.map((visitor) => ({ ...visitor, sessions: JSON.stringify(visitor.sessions) }));
  return writeRows(
    on,
    COLUMNS,
    rows,
    (source) => sql`
    insert into cookieless_visitors (project_id, base, expires_at, sign_ins, signed_in_at, sessions)
    ${source}
    on conflict (project_id, base) do update set
      sign_ins = excluded.sign_ins,
      signed_in_at = excluded.signed_in_at,
      sessions = excluded.sessions`,
  );
}
