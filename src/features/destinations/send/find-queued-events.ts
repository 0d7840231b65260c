/** The events of a part of the queue, in their order, and whether each matches the filters. */
import type { JsonObject } from '../../../core/json/json.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { readDestinationFilters } from '../read-destination-filters.ts';
import type { SentEvent } from '../rules/event-values.ts';

interface FoundEvents {
  /** Those that match. */
  events: SentEvent[];
  filtered: number;
  /** Deleted since they were processed. */
  missing: number;
}

interface EventsToFind {
  uuids: readonly string[];
  firstTimestamp: number;
  lastTimestamp: number;
}

export async function findQueuedEvents(
  deps: QueryDeps,
  project: Project,
  filters: JsonObject,
  { uuids, firstTimestamp, lastTimestamp }: EventsToFind,
): Promise<FoundEvents> {
  const { entities, filter } = await readDestinationFilters(deps.metadata, project, filters, deps.clock.now());
  const query = await prepareEventQuery(deps, project.id, {
    filters: [filter],
    entities,
    sessionRange: { from: firstTimestamp, until: lastTimestamp + 1 },
    timezone: project.timezone,
    // The view with the person of now, which is what templates show.
    hasActors: true,
    persons: 'listed',
  });
  const statement = query.begin();
  const { sql } = statement;
  const isOne = entities.length === 0 ? 'true' : `(${entities.map((entity) => statement.isOf(entity)).join(' or ')})`;
  const fits = `(${isOne} and ${statement.matches(filter)})`;
  const text = (name: 'properties' | 'elements_chain'): string =>
    `case when ${fits} then ${sql.wholeText('e', name)} else '' end`;
  const rows = await statement.query(
    `select e.uuid, e.event, e.distinct_id, e.person_id, e.timestamp, e.created_at, ${fits} as fits,
      ${text('properties')} as properties, ${text('elements_chain')} as elements_chain
    ${statement.from()}
    where ${statement.inProject()}
      and e.timestamp >= ${sql.time(firstTimestamp)} and e.timestamp <= ${sql.time(lastTimestamp)}
      and e.uuid in (select cast(p.uuid as UUID) from ${sql.rows(
        ['uuid'],
        uuids.map((uuid) => ({ uuid })),
      )} p)`,
  );
  const found = new Map(rows.map((row) => [String(row['uuid']), row]));
  const events = uuids.flatMap((uuid) => {
    const row = found.get(uuid);
    if (row === undefined || !isTrue(row['fits'])) return [];
    return [
      {
        uuid,
        event: String(row['event']),
        distinctId: String(row['distinct_id']),
        personId: String(row['person_id']),
        timestamp: Number(row['timestamp']),
        createdAt: Number(row['created_at']),
        properties: String(row['properties']),
        elementsChain: String(row['elements_chain']),
      },
    ];
  });
  return { events, filtered: found.size - events.length, missing: uuids.length - found.size };
}

/** ClickHouse answers with 1. */
const isTrue = (value: unknown): boolean => value === true || Number(value) === 1;
