/**
 * One chunk of the log, from accepted requests to stored events: reads in bulk, rules in memory, writes at once.
 *
 * On one machine, the order of the two commits is what makes a crash harmless. Persons, definitions, counters and the position are
 * written in one transaction of the relational shelf, which has kept other writers out since before the first read, and
 * stay uncommitted. Then events are committed, with the log position, in one transaction of the event store; then the
 * shelf commits. If the process dies between the two, the shelf still is as it was: the chunk is computed again from the
 * same state, gives the same result, and the event store passes over what it has. Nothing in the computation asks a
 * clock or chance. Whatever the shelf has to object to a chunk, it objects before an event is stored.
 */

import type { Event } from '../../core/events/event.ts';
import { hotProperties } from '../../core/events/hot-properties.ts';
import { personUuid } from '../../core/events/uuid.ts';
import { distinctIdsOf } from '../../core/persons/merge-attempt.ts';
import { PersonUpdates } from '../../core/persons/person-updates.ts';
import type { StoredEvent } from '../../stores/events/event-store.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { DistinctId, IngestStore, IngestTransaction } from '../../stores/ingest/ingest-store.ts';
import type { DefinitionRecorder, SeenDefinitions } from './definition-recorder.ts';
import { FateRecorder } from './fate-recorder.ts';
import { GroupRecorder } from './group-recorder.ts';
import { isStillValid, type Projects, type ReadChunk } from './read-ahead.ts';
import { type FreshEvent, normaliseEntries, type ReadEvent } from './read-entries.ts';
import type { Sink } from './sink.ts';
import { WebhookRecorder } from './webhook-recorder.ts';

export interface ChunkDeps {
  ingest: IngestStore;
  sink: Sink;
  definitions: DefinitionRecorder;
}

export interface ProcessedChunk {
  /** The entries that it was made from. */
  entries: readonly LogEntry[];
  /** Events of the log that have met their fate. */
  events: number;
  /** Those that are stored, in order. */
  stored: readonly StoredEvent[];
  /** How many messages to webhooks it has left behind. */
  messages: number;
  /** Projects that have got a new kind of group. */
  projectsWithNewGroupTypes: readonly number[];
  /** Uuids of persons who are new, have changed or are no more. */
  persons: readonly string[];
}

export interface ChunkOptions {
  now: number;
  /** The same entries, if they were read ahead. */
  readAhead?: ReadChunk | null;
  /** Called while the events are committed. */
  whileCommitting?(projects: Projects): void;
}

export async function processChunk(
  deps: ChunkDeps,
  entries: readonly LogEntry[],
  { now, readAhead, whileCommitting }: ChunkOptions,
): Promise<ProcessedChunk> {
  const chunk = await deps.ingest.transaction(async (store) => {
    await deps.sink.prepare(store);
    const projects = await projectsOf(store, entries);
    const fates = new FateRecorder(now);
    const events =
      readAhead && isStillValid(readAhead, projects) ? readAhead.events : [...normaliseEntries(entries, projects)];
    const fresh = await freshEvents(store, events, fates);
    const groups = await GroupRecorder.load(store, fresh);
    const book = new PersonUpdates(await loadPersons(store, fresh));
    const sightings = deps.definitions.startChunk();
    const news = await WebhookRecorder.load(store, projects, now);
    const stored: StoredEvent[] = [];
    for (const one of fresh) {
      try {
        const settled = toStoredEvent(one, book, groups, sightings, fates);
        // From here on nothing fails: it is stored and seen, or a dead letter that is neither, so that it can be replayed.
        stored.push(settled);
        news.record(settled, one.source.context);
        if (hasClientUuid(one)) fates.recordSeen(one.event);
      } catch (error) {
        fates.recordFailed(one.source, error);
      }
    }
    const persons = book.changes();
    const { messages } = news.changes(persons.overrides);
    fates.count('stored', stored.length);
    const grouped = groups.changes();
    await store.apply({
      persons,
      ...grouped,
      ...sightings.changes(),
      ...fates.changes(),
      messages,
      firstEvents: firstEvents(projects, stored),
      position: deps.sink.position(entries),
    });
    await deps.sink.write(
      { entries, events: stored, overrides: persons.overrides, whileCommitting: () => whileCommitting?.(projects) },
      store,
    );
    const regrouped = [...new Set(grouped.groupTypes.map(({ projectId }) => projectId))];
    const changed = [...persons.persons.map(({ person }) => person.uuid), ...persons.overrides.map(({ from }) => from)];
    const result = {
      entries,
      events: fates.total,
      stored,
      messages: messages.length,
      projectsWithNewGroupTypes: regrouped,
      persons: changed,
    };
    return { result, sightings };
  });
  // Only what is committed is known from now on.
  deps.definitions.remember(chunk.sightings);
  return chunk.result;
}

async function projectsOf(store: IngestTransaction, entries: readonly LogEntry[]): Promise<Projects> {
  const projects = await store.listProjects([...new Set(entries.map((entry) => entry.projectId))]);
  return new Map(projects.map((project) => [project.id, project]));
}

/** Sorts out what is dropped, what failed and what has been there before; the rest is fresh. */
async function freshEvents(
  store: IngestTransaction,
  all: readonly ReadEvent[],
  fates: FateRecorder,
): Promise<FreshEvent[]> {
  const candidates: FreshEvent[] = [];
  for (const source of all) {
    const { outcome } = source;
    if (outcome.kind === 'event') {
      fates.recordWarnings(source, outcome.warnings);
      candidates.push({ event: outcome.event, source });
    } else if (outcome.kind === 'dropped') {
      fates.recordWarnings(source, outcome.warnings);
      fates.recordDropped(source, outcome.reason, outcome.uuid);
    } else if (outcome.kind === 'no_project') {
      fates.recordDropped(source, 'project_deleted', source.fallbackUuid);
    } else {
      fates.recordFailed(source, outcome.error);
    }
  }
  const named = candidates.filter(hasClientUuid).map(({ event }) => event);
  const seen = new Set((await store.listSeenEvents(named.map(eventId))).map(eventKey));
  return candidates.filter((candidate) => {
    if (!hasClientUuid(candidate)) return true;
    const { event } = candidate;
    const key = eventKey(event);
    if (seen.has(key)) {
      fates.recordDuplicate(event);
      return false;
    }
    seen.add(key);
    return true;
  });
}

/** Whether the client gave it an id. One that we made ourselves is new by construction. */
const hasClientUuid = ({ event, source }: FreshEvent): boolean => event.uuid !== source.fallbackUuid;

const eventId = ({ projectId, uuid }: Event) => ({ projectId, uuid });
const eventKey = ({ projectId, uuid }: { projectId: number; uuid: string }): string => `${projectId}:${uuid}`;

/** Loads the persons behind every distinct id of the chunk, and finds out which of the uuids to come are taken. */
async function loadPersons(store: IngestTransaction, fresh: readonly FreshEvent[]) {
  const ids = new Map<string, DistinctId>();
  for (const { event } of fresh) {
    const { projectId } = event;
    for (const distinctId of distinctIdsOf(event)) ids.set(`${projectId}:${distinctId}`, { projectId, distinctId });
  }
  const known = await store.listPersonsByDistinctIds([...ids.values()]);
  for (const { projectId, distinctId } of known.distinctIds) ids.delete(`${projectId}:${distinctId}`);
  const taken = await takenUuids(store, [...ids.values()]);
  return { ...known, isTaken: (_projectId: number, uuid: string) => taken.has(uuid) };
}

/** As `PersonRegister.freeUuid` counts on from a taken uuid, so does this, until every unknown id has a free one. */
async function takenUuids(store: IngestTransaction, unknown: readonly DistinctId[]): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  let asked = unknown;
  for (let n = 0; asked.length > 0; n++) {
    const uuidOf = ({ projectId, distinctId }: DistinctId): string =>
      personUuid(projectId, n === 0 ? distinctId : `${distinctId}\u0000${n}`);
    const found = new Set(await store.listTakenUuids(asked.map(uuidOf)));
    for (const uuid of found) taken.add(uuid);
    asked = asked.filter((id) => found.has(uuidOf(id)));
  }
  return taken;
}

/** Joins an event with its person and groups, and takes down what is new about either. */
function toStoredEvent(
  { event, source }: FreshEvent,
  book: PersonUpdates,
  groups: GroupRecorder,
  sightings: SeenDefinitions,
  fates: FateRecorder,
): StoredEvent {
  const groupKeys = groups.handle(event);
  const { personId, warnings } = book.handle(event);
  sightings.record(event, groups);
  fates.recordWarnings(source, warnings);
  return {
    projectId: event.projectId,
    uuid: event.uuid,
    event: event.event,
    distinctId: event.distinctId,
    personId,
    timestamp: event.timestamp,
    createdAt: event.receivedAt,
    properties: JSON.stringify(event.properties),
    parsed: event.properties,
    hot: hotProperties(event.properties),
    elementsChain: event.elementsChain,
    groups: groupKeys,
  };
}

function firstEvents(projects: Projects, stored: readonly StoredEvent[]): number[] {
  const withEvents = new Set(stored.map((event) => event.projectId));
  return [...projects.values()]
    .filter(({ id, ingestedEvent }) => !ingestedEvent && withEvents.has(id))
    .map(({ id }) => id);
}
