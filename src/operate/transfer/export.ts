/** Exports a project as lines of JSON, with one page in memory at a time. */
import { NO_FILTER } from '../../core/filters/property-filter.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { countByDay, iterateEvents } from '../../features/events/iterate-events.ts';
import type { FoundEvent } from '../../features/events/list-events.ts';
import { listDistinctIds } from '../../features/persons/persons.ts';
import { recordExport } from '../../features/persons/record-export.ts';
import { eachPersonBatch } from '../../features/persons/search/search-persons.ts';
import { createPatternSearch } from '../../lib/search-pattern.ts';
import type { PersonStore, StoredPerson } from '../../stores/metadata/persons.ts';
import type { OperateDeps } from '../deps.ts';
import { chosenProject } from '../lookups.ts';
import type { Operation, OperationOutput } from '../operation.ts';

interface EventExport {
  project: number | null;
  event: string | null;
  from: number | null;
  to: number | null;
}

interface Exported {
  project: number;
  exported: number;
}

/** Waits for processing, so that every acknowledged event is in the export. */
export const exportEvents: Operation<EventExport, Exported> = async (deps, { project, ...range }, outlet) => {
  const chosen = await chosenProject(deps.metadata, project);
  const { id } = chosen;
  await recordExport(deps, null, chosen, 'Event');
  await deps.whenProcessed();
  const wanted = { projectId: id, ...range };
  const days = await countByDay(deps.eventQueries, wanted);
  const total = days.reduce((sum, { events }) => sum + events, 0);
  const exported = await sendLines(iterateEvents(deps.eventQueries, wanted, days), eventLine, 'events', total, outlet);
  return { project: id, exported };
};

export const exportPersons: Operation<{ project: number | null }, Exported> = async (deps, { project }, outlet) => {
  const chosen = await chosenProject(deps.metadata, project);
  const { id } = chosen;
  await recordExport(deps, null, chosen);
  await deps.whenProcessed();
  const { persons } = deps.metadata;
  const all = withDistinctIds(
    persons,
    eachPersonBatch({ persons, search: createPatternSearch() }, { projectId: id, filter: NO_FILTER }),
  );
  const exported = await sendLines(all, stringifyExact, 'persons', await countPersons(deps, id), outlet);
  return { project: id, exported };
};

async function sendLines<T>(
  pages: AsyncIterable<readonly T[]>,
  lineOf: (one: T) => string,
  what: string,
  total: number | null,
  { signal, write, progress }: OperationOutput,
): Promise<number> {
  let done = 0;
  for await (const page of pages) {
    signal.throwIfAborted();
    await write(Buffer.from(page.map((one) => `${lineOf(one)}\n`).join('')));
    done += page.length;
    progress({ what, done, total: total === null ? null : Math.max(total, done) });
  }
  return done;
}

/** Properties are JSON text already. */
function eventLine(found: FoundEvent): string {
  const { properties, ...rest } = {
    uuid: found.uuid,
    event: found.event,
    distinct_id: found.distinctId,
    person_id: found.personId,
    timestamp: new Date(found.timestamp).toISOString(),
    created_at: new Date(found.createdAt).toISOString(),
    elements_chain: found.elementsChain,
    properties: found.properties,
  };
  return `${stringifyExact(rest).slice(0, -1)},"properties":${properties}}`;
}

const DISTINCT_ID_BATCH_SIZE = 100;

async function* withDistinctIds(
  persons: PersonStore,
  pages: AsyncIterable<readonly StoredPerson[]>,
): AsyncGenerator<ExportedPerson[]> {
  for await (const page of pages) {
    const numbers = page.map(({ id }) => id);
    const some = await persons.listDistinctIds(numbers, DISTINCT_ID_BATCH_SIZE);
    const shown: ExportedPerson[] = [];
    for (const person of page) {
      const first = some.get(person.id) ?? [];
      shown.push(
        present(person, first.length < DISTINCT_ID_BATCH_SIZE ? first : await listDistinctIds(persons, person.id)),
      );
    }
    yield shown;
  }
}

/** PostHog's exports have a line for each distinct id instead. */
interface ExportedPerson {
  person_id: string;
  distinct_ids: string[];
  created_at: string;
  is_identified: boolean;
  properties: JsonObject;
}

const present = (person: StoredPerson, distinctIds: string[]): ExportedPerson => ({
  person_id: person.uuid,
  distinct_ids: distinctIds,
  created_at: new Date(person.createdAt).toISOString(),
  is_identified: person.isIdentified,
  properties: person.properties,
});

/** Approximately, for the progress. */
async function countPersons({ eventQueries }: OperateDeps, projectId: number): Promise<number | null> {
  await eventQueries.mirrorPersons(projectId);
  const sql = eventQueries.dialect.newStatement();
  const [row] = await eventQueries.events.query(
    `select count(*) as n from person_rows where project_id = ${sql.param(projectId)}`,
    sql.values,
  );
  return Number(row?.['n'] ?? 0);
}
