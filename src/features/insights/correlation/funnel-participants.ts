/** Those who entered a funnel, and what they did on their way through it. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../../core/json/json.ts';
import { inChunks } from '../../../lib/id-set.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { actorColumn, type EventStatement } from '../../../query/event-statement.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { funnelEntrants } from '../funnel/funnel-entrants.ts';
import { type FunnelOutcome, outcomeOf } from '../funnel/rules/funnel-outcome.ts';
import type { FunnelQuestion } from '../rules/question.ts';

export interface Participant extends FunnelOutcome {
  actor: string;
}

export interface AnswerDeps extends ScanDeps {
  metadata: ScanDeps['metadata'] & Pick<MetadataStore, 'groups'>;
}

export async function participantsOf(
  deps: ScanDeps,
  projectId: number,
  funnel: FunnelQuestion,
): Promise<Participant[]> {
  const travellers: Participant[] = [];
  for await (const { actor, attempts } of funnelEntrants(deps, projectId, funnel)) {
    travellers.push({ actor, ...outcomeOf(funnel, attempts) });
  }
  return travellers;
}

const PARTICIPANT_BATCH_SIZE = 50_000;

/**
 * Asks about the events of travellers' ways: read as `e`, the traveller as `t`, who is named in `t.actor` and has
 * `t.outcome` 1 after a conversion. `write` gives what is selected and what has to hold.
 */
export async function* queryParticipantEvents(
  query: EventQuery,
  funnel: FunnelQuestion,
  travellers: readonly Participant[],
  write: (statement: EventStatement) => { select: string; where: string; groupBy?: string },
): AsyncGenerator<SqlRow[]> {
  for (const slice of inChunks(travellers, PARTICIPANT_BATCH_SIZE)) {
    const statement = query.begin();
    const { sql } = statement;
    const rows = slice.map(({ actor, hasConverted, from, until }) => ({
      actor,
      outcome: hasConverted ? '1' : '0',
      began: String(from),
      ended: String(until),
    }));
    const table = sql.rows(['actor', 'outcome', 'began', 'ended'], rows);
    const at = sql.ms('e.timestamp');
    const own = funnel.actor.kind === 'person' ? 'cast(t.actor as UUID)' : 't.actor';
    const { select, where, groupBy } = write(statement);
    const join = `join ${table} t on ${own} = ${actorColumn(funnel.actor)}`;
    yield await statement.query(
      `select ${select}
      ${statement.fromActors(funnel.actor, funnel.range, join)}
        and ${at} > cast(t.began as bigint) and ${at} < cast(t.ended as bigint) and ${where}
      ${groupBy === undefined ? '' : `group by ${groupBy}`}`,
    );
    await nextTurn();
  }
}

const PROPERTY_BATCH_SIZE = 1000;

/** What the travellers are like, some at a time; who is not known any more is like nobody. */
export async function* participantProperties(
  { metadata, signal }: AnswerDeps,
  projectId: number,
  { actor: kind }: FunnelQuestion,
  travellers: readonly Participant[],
): AsyncGenerator<{ traveller: Participant; properties: JsonObject }> {
  for (const slice of inChunks(travellers, PROPERTY_BATCH_SIZE)) {
    signal?.throwIfAborted();
    const known = new Map<string, JsonObject>();
    if (kind.kind === 'person') {
      const uuids = slice.map(({ actor }) => actor);
      for (const { uuid, properties } of await metadata.eventPersons.listByUuids(projectId, uuids)) {
        known.set(uuid, properties);
      }
    } else {
      for (const { actor } of slice) {
        known.set(actor, (await metadata.groups.get(projectId, kind.index, actor))?.properties ?? {});
      }
    }
    for (const traveller of slice) yield { traveller, properties: known.get(traveller.actor) ?? {} };
    await nextTurn();
  }
}
