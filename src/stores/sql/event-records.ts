import { type RawBuilder, sql } from 'kysely';
import { countFitting } from '../../core/count-fitting.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type {
  DeadLetterStore,
  EventPerson,
  EventPersonStore,
  FateStore,
  WarningStore,
} from '../metadata/event-records.ts';
import type { SqlDialect } from './dialect.ts';
import { paged } from './paging.ts';
import { getSeen } from './seen/manage-seen.ts';
import type { Sql } from './tables.ts';

/** The properties of a page of persons, about. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** An object with these properties, null where absent. */
const chosenProperties = (dialect: SqlDialect, keys: readonly string[]): RawBuilder<unknown> => {
  const values = keys.map(
    (key) => sql`${`${JSON.stringify(key)}:`} || coalesce(${dialect.jsonValue(sql`p.properties`, key)}, 'null')`,
  );
  return sql`('{' || ${sql.join(values, sql` || ',' || `)} || '}')`;
};

export function eventPersonStore({ db, dialect }: Sql): EventPersonStore {
  return {
    async listByUuids(projectId, uuids, keys): Promise<EventPerson[]> {
      if (uuids.length === 0) return [];
      const wanted = dialect.rows(
        { uuid: 'text' },
        uuids.map((uuid) => ({ uuid })),
      );
      interface Row {
        uuid: string;
        isIdentified: number;
        properties: string;
        firstDistinctId: string | null;
      }
      const { rows } = await sql<Row>`
        select p.uuid, p.is_identified, ${keys === undefined ? sql`p.properties` : chosenProperties(dialect, keys)} as properties,
          (select d.distinct_id from person_distinct_ids d where d.person_id = p.id order by d.id limit 1)
            as first_distinct_id
        from ${wanted} w
        cross join persons p
        where p.uuid = w.uuid and p.project_id = ${projectId}`.execute(db);
      return rows.map((row) => ({
        ...row,
        isIdentified: row.isIdentified === 1,
        properties: JSON.parse(row.properties),
      }));
    },
    async getUuid(projectId, id) {
      const found = db.selectFrom('persons').select('uuid').where('projectId', '=', projectId).where('id', '=', id);
      return (await found.executeTakeFirst())?.uuid ?? null;
    },
    async listAfter(projectId, id, limit) {
      const after = db.selectFrom('persons').where('projectId', '=', projectId).where('id', '>', id).orderBy('id');
      const sizes = await after.select(sql<number>`octet_length(properties)`.as('bytes')).limit(limit).execute();
      const fitting = countFitting(
        sizes.map(({ bytes }) => ({ bytes: Number(bytes) })),
        MAX_PAGE_BYTES,
      );
      const rows = await after.select(['id', 'uuid', 'properties']).limit(fitting).execute();
      return rows.map((row) => ({ ...row, id: Number(row.id) }));
    },
  };
}

export function deadLetterStore({ db }: Sql): DeadLetterStore {
  const ofProject = (projectId: number) => db.selectFrom('deadLetters').where('projectId', '=', projectId);
  return {
    list: (projectId, page) => paged(ofProject(projectId).selectAll().orderBy('id', 'desc'), page, (row) => row),
    async get(projectId, id) {
      return (await ofProject(projectId).selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
    },
    async getByEvent(projectId, eventUuid) {
      const newest = ofProject(projectId).selectAll().where('eventUuid', '=', eventUuid).orderBy('id', 'desc').limit(1);
      return (await newest.executeTakeFirst()) ?? null;
    },
    async delete(projectId, id) {
      await db.deleteFrom('deadLetters').where('projectId', '=', projectId).where('id', '=', id).execute();
    },
    async listOldest(projectId, limit) {
      return (await ofProject(projectId).select('id').orderBy('id').limit(limit).execute()).map(({ id }) => Number(id));
    },
    async count(projectId) {
      const row = await ofProject(projectId)
        .select((eb) => eb.fn.countAll().as('n'))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async listTimes(projectId, { from, until }, limit) {
      const rows = await ofProject(projectId)
        .select('failedAt')
        .where('failedAt', '>=', from)
        .where('failedAt', '<', until)
        .orderBy('failedAt')
        .limit(limit)
        .execute();
      return rows.map(({ failedAt }) => Number(failedAt));
    },
  };
}

export function fateStore(on: Sql): FateStore {
  const { db } = on;
  const droppedOf = (projectId: number) => db.selectFrom('droppedEvents').where('projectId', '=', projectId);
  const COLUMNS = ['projectId', 'uuid', 'reason', 'receivedAt', 'droppedAt'] as const;
  return {
    getSeen: (projectId, uuid) => getSeen(on, projectId, uuid),
    async getDropped(projectId, uuid) {
      const ofEvent = droppedOf(projectId).select(COLUMNS).where('uuid', '=', uuid);
      return (await ofEvent.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null;
    },
    listDropped: (projectId, page) =>
      paged(droppedOf(projectId).select(COLUMNS).orderBy('id', 'desc'), page, (row) => row),
  };
}

export function warningStore({ db }: Sql): WarningStore {
  return {
    list(projectId, type, page) {
      const query = db
        .selectFrom('ingestionWarnings')
        .where('projectId', '=', projectId)
        .$if(type !== undefined, (q) => q.where('type', '=', type ?? ''));
      return paged(query.selectAll().orderBy('id', 'desc'), page, ({ happenedAt, ...row }) => ({
        ...row,
        at: Number(happenedAt),
      }));
    },
    async listDays(projectId, { from, until }) {
      const day = sql<number>`happened_at / ${sql.lit(DAY_MS)}`;
      const rows = await db
        .selectFrom('ingestionWarnings')
        .select((eb) => ['type', eb.fn.min('happenedAt').as('first'), eb.fn.max('happenedAt').as('last')])
        .where('projectId', '=', projectId)
        .where('happenedAt', '>=', from)
        .where('happenedAt', '<', until)
        .groupBy(['type', day])
        .execute();
      return rows.map(({ type, first, last }) => ({ name: type, first: Number(first), last: Number(last) }));
    },
  };
}
