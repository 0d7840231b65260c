import type pg from 'pg';
import type { Errand, ErrandStore } from '../cluster/owner-tasks.ts';
import { ask } from './log-pool.ts';

export const postgresErrands = (pool: pg.Pool): ErrandStore => ({
  async ask(kind, args) {
    const [row] = await ask<{ id: number }>(pool, 'ask_errand', ASK, [kind, JSON.stringify(args)]);
    return row?.id ?? 0;
  },
  async outcome(id) {
    const [row] = await ask<{ answer: string | null; failure: string | null }>(pool, 'errand_outcome', OUTCOME, [id]);
    return row;
  },
  waiting: () => ask<Errand>(pool, 'errands', 'select id, kind, arguments from errands where not ended order by id'),
  async end(id, { answer, failure }) {
    await ask(pool, 'end_errand', END, [id, answer ?? null, failure ?? null]);
  },
});

/** Whoever asked an hour ago has long stopped waiting. */
const ASK = `
  with old as (delete from errands where asked_at < now() - interval '1 hour'),
  fresh as (insert into errands (kind, arguments) values ($1, $2) returning id)
  select id, pg_notify('cairn', '{"queued":true}') from fresh`;

const OUTCOME = 'delete from errands where id = $1 and ended returning answer, failure';

const END = `
  with ended as (update errands set ended = true, answer = $2, failure = $3 where id = $1 returning id)
  select pg_notify('cairn', json_build_object('errand', id)::text) from ended`;
