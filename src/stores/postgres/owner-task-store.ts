import type pg from 'pg';
import type { OwnerTask, OwnerTaskStore } from '../cluster/owner-tasks.ts';
import { queryRows } from './log-pool.ts';

export const postgresOwnerTasks = (pool: pg.Pool): OwnerTaskStore => ({
  async create(kind, args) {
    const [row] = await queryRows<{ id: number }>(pool, 'ask_errand', ASK, [kind, JSON.stringify(args)]);
    return row?.id ?? 0;
  },
  async takeOutcome(id) {
    const [row] = await queryRows<{ answer: string | null; failure: string | null }>(pool, 'errand_outcome', OUTCOME, [
      id,
    ]);
    return row;
  },
  listPending: () =>
    queryRows<OwnerTask>(pool, 'errands', 'select id, kind, arguments from errands where not ended order by id'),
  async finish(id, { answer, failure }) {
    await queryRows(pool, 'end_errand', END, [id, answer ?? null, failure ?? null]);
  },
});

/** Also deletes tasks that nobody waits for any more. */
const ASK = `
  with old as (delete from errands where asked_at < now() - interval '1 hour'),
  fresh as (insert into errands (kind, arguments) values ($1, $2) returning id)
  select id, pg_notify('cairn', '{"queued":true}') from fresh`;

const OUTCOME = 'delete from errands where id = $1 and ended returning answer, failure';

const END = `
  with ended as (update errands set ended = true, answer = $2, failure = $3 where id = $1 returning id)
  select pg_notify('cairn', json_build_object('errand', id)::text) from ended`;
