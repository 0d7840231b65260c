/** Those who entered a funnel, and what they did on their way through it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../../core/json/json.ts';
import { inSlices } from '../../../lib/id-set.ts';
import { type AskedDeps, type AskedEvents, actorColumn } from '../../../query/asked-events.ts';
import type { InsightSql } from '../../../stores/events/dialect.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { funnelEntrants } from '../funnel/funnel-entrants.ts';
import { type Journey, journeyOf } from '../funnel/rules/funnel-outcome.ts';
import type { FunnelQuestion } from '../rules/question.ts';

export interface Traveller extends Journey {
  actor: string;
}

export interface TravelDeps extends AskedDeps {
  metadata: AskedDeps['metadata'] & Pick<MetadataStore, 'groups'>;
}

export async function travellersOf(deps: AskedDeps, projectId: number, funnel: FunnelQuestion): Promise<Traveller[]> {
  const travellers: Traveller[] = [];
  for await (const { actor, attempts } of funnelEntrants(deps, projectId, funnel)) {
    travellers.push({ actor, ...journeyOf(funnel, attempts) });
  }
  return travellers;
}

const WAYS = 50_000;

/**
 * Asks about the events of travellers' ways: read as `e`, the traveller as `t`, who is named in `t.actor` and has
 * `t.outcome` 1 after a conversion. `write` gives what is selected and what has to hold.
 */
export async function* askWays(
  deps: AskedDeps,
  asked: AskedEvents,
  funnel: FunnelQuestion,
  travellers: readonly Traveller[],
  write: (sql: InsightSql) => { select: string; where: string; groupBy?: string },
): AsyncGenerator<SqlRow[]> {
  for (const slice of inSlices(travellers, WAYS)) {
    const sql = deps.dialect.begin('e');
    const rows = slice.map(({ actor, hasConverted, from, until }) => ({
      actor,
      outcome: hasConverted ? '1' : '0',
      began: String(from),
      ended: String(until),
    }));
    const table = sql.rows(['actor', 'outcome', 'began', 'ended'], rows);
    const at = sql.millis('e.timestamp');
    const own = funnel.actor.kind === 'person' ? 'cast(t.actor as UUID)' : 't.actor';
    const { select, where, groupBy } = write(sql);
    yield await deps.events.query(
      `select ${select}
      ${asked.source(sql, funnel.actor, funnel.range, `join ${table} t on ${own} = ${actorColumn(funnel.actor)}`)}
        and ${at} > cast(t.began as bigint) and ${at} < cast(t.ended as bigint) and ${where}
      ${groupBy === undefined ? '' : `group by ${groupBy}`}`,
      sql.values,
    );
    await nextTurn();
  }
}

const PROPERTIES = 1000;

/** What the travellers are like, some at a time; who is not known any more is like nobody. */
export async function* travellerProperties(
  { metadata, signal }: TravelDeps,
  projectId: number,
  { actor: kind }: FunnelQuestion,
  travellers: readonly Traveller[],
): AsyncGenerator<{ traveller: Traveller; properties: JsonObject }> {
  for (const slice of inSlices(travellers, PROPERTIES)) {
    signal?.throwIfAborted();
    const known = new Map<string, JsonObject>();
    if (kind.kind === 'person') {
      const uuids = slice.map(({ actor }) => actor);
      for (const { uuid, properties } of await metadata.eventPersons.byUuids(projectId, uuids)) {
        known.set(uuid, properties);
      }
    } else {
      for (const { actor } of slice) {
        known.set(actor, (await metadata.groups.find(projectId, kind.index, actor))?.properties ?? {});
      }
    }
    for (const traveller of slice) yield { traveller, properties: known.get(traveller.actor) ?? {} };
    await nextTurn();
  }
}
