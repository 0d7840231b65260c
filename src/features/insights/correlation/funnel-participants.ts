/** The entrants of a funnel, their events in it, and their properties. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../../core/json/json.ts';
import { inChunks } from '../../../lib/id-set.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { actorColumn, type EventStatement } from '../../../query/event-statement.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import { entrantAttempts } from '../funnel/funnel-entrants.ts';
import { type FunnelOutcome, outcomeOf } from '../funnel/rules/funnel-outcome.ts';
import type { FunnelQuestion } from '../rules/question.ts';

export interface Participant extends FunnelOutcome {
  actor: string;
}

export async function participantsOf(
  deps: ScanDeps,
  projectId: number,
  funnel: FunnelQuestion,
): Promise<Participant[]> {
  const participants: Participant[] = [];
  for await (const { actor, attempts } of entrantAttempts(deps, projectId, funnel)) {
    participants.push({ actor, ...outcomeOf(funnel, attempts) });
  }
  return participants;
}

const PARTICIPANT_BATCH_SIZE = 50_000;

/**
 * Queries the events of participants while they were in the funnel: events are `e`, participants `t`, with `t.actor` and
 * `t.outcome`, which is 1 for those who converted.
 */
export async function* queryParticipantEvents(
  query: EventQuery,
  funnel: FunnelQuestion,
  participants: readonly Participant[],
  write: (statement: EventStatement) => { select: string; where: string; groupBy?: string },
): AsyncGenerator<SqlRow[]> {
  for (const batch of inChunks(participants, PARTICIPANT_BATCH_SIZE)) {
    const statement = query.begin();
    const { sql } = statement;
    const rows = batch.map(({ actor, hasConverted, from, until }) => ({
      actor,
      outcome: hasConverted ? '1' : '0',
      started: String(from),
      ended: String(until),
    }));
    const table = sql.rows(['actor', 'outcome', 'started', 'ended'], rows);
    const at = sql.ms('e.timestamp');
    const own = funnel.actor.kind === 'person' ? 'cast(t.actor as UUID)' : 't.actor';
    const { select, where, groupBy } = write(statement);
    const join = `join ${table} t on ${own} = ${actorColumn(funnel.actor)}`;
    yield await statement.query(
      `select ${select}
      ${statement.fromActors(funnel.actor, funnel.range, join)}
        and ${at} > cast(t.started as bigint) and ${at} < cast(t.ended as bigint) and ${where}
      ${groupBy === undefined ? '' : `group by ${groupBy}`}`,
    );
    await nextTurn();
  }
}

const PROPERTY_BATCH_SIZE = 250;

/** In batches; those who no longer exist have no properties. */
export async function* participantProperties(
  { metadata, signal }: ScanDeps,
  projectId: number,
  { actor: kind }: FunnelQuestion,
  participants: readonly Participant[],
): AsyncGenerator<{ participant: Participant; properties: JsonObject }> {
  for (const batch of inChunks(participants, PROPERTY_BATCH_SIZE)) {
    signal?.throwIfAborted();
    const known = new Map<string, JsonObject>();
    if (kind.kind === 'person') {
      const uuids = batch.map(({ actor }) => actor);
      for (const { uuid, properties } of await metadata.eventPersons.listByUuids(projectId, uuids)) {
        known.set(uuid, properties);
      }
    } else {
      for (const { actor } of batch) {
        known.set(actor, (await metadata.groups.get(projectId, kind.index, actor))?.properties ?? {});
      }
    }
    for (const participant of batch) yield { participant, properties: known.get(participant.actor) ?? {} };
    await nextTurn();
  }
}
