/**
 * One chunk of the log, from accepted requests to stored events: reads in bulk, rules in memory, bulk writes.
 *
 * On one machine the order of the two commits makes a crash harmless. Persons, definitions, counters and the position are
 * written in one transaction of the metadata store, which holds the write lock from before the first read, and stay
 * uncommitted. Then the events are committed to the event store with the log position; then the metadata store commits.
 * If the process dies in between, the metadata store is as it was: the chunk is computed again from the same state with
 * the same result, and the event store skips what it has. So no step may use a clock or chance, and everything that can
 * be refused is refused before an event is stored.
 */
import type { PersonChanges } from '../../core/persons/person-changes.ts';
import { PersonUpdates } from '../../core/persons/person-updates.ts';
import type { StoredEvent } from '../../stores/events/event-store.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { IngestStore, IngestTransaction } from '../../stores/ingest/ingest-store.ts';
import type { LogProgress } from '../../stores/ingest/log-progress.ts';
import { NO_CHANGES } from '../../stores/ingest/no-changes.ts';
import { CookielessRecorder } from './cookieless-recorder.ts';
import type { DefinitionLimits } from './definition-limits.ts';
import type { DefinitionRecorder, SeenDefinitions } from './definition-recorder.ts';
import { DestinationRecorder } from './destination-recorder.ts';
import { FateRecorder } from './fate-recorder.ts';
import { GroupRecorder } from './group-recorder.ts';
import { LateEventRecorder } from './late-event-recorder.ts';
import { loadKnownPersons } from './load-persons.ts';
import { type NewEvent, type NormalisedEvent, normaliseEntries, type Projects } from './normalise-entries.ts';
import { isStillValid, type ReadAheadChunk } from './read-ahead.ts';
import { hasClientUuid, selectNewEvents } from './select-new-events.ts';
import type { Sink } from './sink.ts';
import type { StepTimes } from './step-times.ts';
import { WebhookRecorder } from './webhook-recorder.ts';
import { writeProperties } from './written-properties.ts';

export interface ChunkDeps {
  ingest: IngestStore;
  sink: Sink;
  definitions: DefinitionRecorder;
  limits: DefinitionLimits;
  stepTimes: StepTimes;
}

export interface ProcessedChunk {
  entries: readonly LogEntry[];
  /** How far the log is processed now; null where the sink writes that. */
  progress: LogProgress | null;
  /** How many events of the log it has dealt with: stored, dropped, duplicates, dead letters. */
  events: number;
  /** In the order of the log. */
  stored: readonly StoredEvent[];
  /** How many webhook messages it has queued. */
  messages: number;
  projectsWithNewGroupTypes: readonly number[];
  /** Uuids of persons who were created, changed or merged away. */
  persons: readonly string[];
}

export interface ChunkOptions {
  now: number;
  /** The same entries, if they were read ahead. */
  readAhead?: ReadAheadChunk | null;
  /** Called while the events are committed. */
  whileCommitting?(projects: Projects): void;
}

/** What the steps pass on to each other. */
class Chunk {
  readonly store: IngestTransaction;
  readonly sink: Sink;
  readonly entries: readonly LogEntry[];
  readonly options: ChunkOptions;
  readonly fates: FateRecorder;
  readonly webhooks: WebhookRecorder;
  readonly destinations: DestinationRecorder;
  readonly lateEvents = new LateEventRecorder();
  readonly groups = new GroupRecorder();
  readonly cookieless = new CookielessRecorder();
  readonly definitions: SeenDefinitions;
  readonly limits: DefinitionLimits;
  projects: Projects = new Map();
  normalised: readonly NormalisedEvent[] = [];
  events: readonly NewEvent[] = [];
  persons = new PersonUpdates({ persons: [], distinctIds: [], isTaken: () => false });
  readonly stored: StoredEvent[] = [];
  personChanges: PersonChanges = NO_CHANGES.persons;
  messages = 0;
  progress: LogProgress | null = null;

  constructor(deps: ChunkDeps, store: IngestTransaction, entries: readonly LogEntry[], options: ChunkOptions) {
    this.store = store;
    this.sink = deps.sink;
    this.entries = entries;
    this.options = options;
    this.fates = new FateRecorder(options.now);
    this.webhooks = new WebhookRecorder(options.now);
    this.destinations = new DestinationRecorder(options.now);
    this.definitions = deps.definitions.startChunk(options.now);
    this.limits = deps.limits;
  }

  result(): ProcessedChunk {
    const { persons, overrides } = this.personChanges;
    const newTypes = this.groups.changes().groupTypes;
    return {
      entries: this.entries,
      progress: this.progress,
      events: this.fates.total,
      stored: this.stored,
      messages: this.messages,
      projectsWithNewGroupTypes: [...new Set(newTypes.map(({ projectId }) => projectId))],
      persons: [...persons.map(({ person }) => person.uuid), ...overrides.map(({ from }) => from)],
    };
  }
}

/** In this order; the names are those of the metric. */
const STEPS: readonly (readonly [name: string, step: (chunk: Chunk) => void | Promise<void>])[] = [
  ['prepare', ({ sink, store }) => sink.prepare(store)],
  ['load_projects', loadProjects],
  ['normalise', normaliseEvents],
  ['drop_and_deduplicate', dropAndDeduplicate],
  ['identify_cookieless', identifyCookieless],
  ['load_groups', ({ groups, store, events }) => groups.load(store, events)],
  ['load_persons', loadPersons],
  ['load_webhooks', ({ webhooks, store, projects }) => webhooks.load(store, projects)],
  ['load_destinations', ({ destinations, store, projects }) => destinations.load(store, projects)],
  ['load_exports', ({ lateEvents, store, projects }) => lateEvents.load(store, projects)],
  ['apply_events', applyEvents],
  ['write_metadata', writeMetadata],
  ['write_events', writeEvents],
];

export async function processChunk(
  deps: ChunkDeps,
  entries: readonly LogEntry[],
  options: ChunkOptions,
): Promise<ProcessedChunk> {
  const finished = deps.stepTimes.stopwatch();
  const chunk = await deps.ingest.transaction(async (store) => {
    finished('begin');
    const chunk = new Chunk(deps, store, entries, options);
    for (const [name, step] of STEPS) {
      await step(chunk);
      finished(name);
    }
    return chunk;
  });
  finished('commit');
  // Only now: what is not committed must be written again.
  deps.definitions.remember(chunk.definitions);
  return chunk.result();
}

async function loadProjects(chunk: Chunk): Promise<void> {
  const ids = [...new Set(chunk.entries.map((entry) => entry.projectId))];
  chunk.projects = new Map((await chunk.store.listProjects(ids)).map((project) => [project.id, project]));
}

function normaliseEvents(chunk: Chunk): void {
  const { entries, projects, options } = chunk;
  const { readAhead } = options;
  chunk.normalised =
    readAhead && isStillValid(readAhead, projects) ? readAhead.events : normaliseEntries(entries, projects);
}

async function dropAndDeduplicate(chunk: Chunk): Promise<void> {
  chunk.events = await selectNewEvents(chunk.store, chunk.normalised, chunk.fates);
}

async function identifyCookieless(chunk: Chunk): Promise<void> {
  chunk.events = await chunk.cookieless.identify(chunk.store, chunk.events);
}

async function loadPersons(chunk: Chunk): Promise<void> {
  chunk.persons = new PersonUpdates(await loadKnownPersons(chunk.store, chunk.events));
}

function applyEvents(chunk: Chunk): void {
  const { fates, stored, webhooks, destinations, lateEvents } = chunk;
  for (const newEvent of chunk.events) {
    try {
      const event = toStoredEvent(newEvent, chunk);
      // Nothing fails from here on: an event is stored and seen, or a dead letter that is neither and can be replayed.
      stored.push(event);
      fates.countLabels(newEvent.event.properties);
      webhooks.record(event, newEvent.source.context);
      destinations.record(event, newEvent.source.context);
      lateEvents.record(event);
      if (hasClientUuid(newEvent)) fates.recordSeen(newEvent.event);
    } catch (error) {
      fates.recordFailed(newEvent.source, error);
    }
  }
  fates.count('stored', stored.length);
}

/** Joins an event with its person and groups, and records what is new about either. */
function toStoredEvent(
  { event, source }: NewEvent,
  { groups, persons, definitions, fates }: Pick<Chunk, 'groups' | 'persons' | 'definitions' | 'fates'>,
): StoredEvent {
  const { keys: groupKeys, warnings: groupWarnings } = groups.handle(event);
  const { personId, warnings } = persons.handle(event);
  definitions.record(event, groups);
  fates.recordWarnings(source, groupWarnings);
  fates.recordWarnings(source, warnings);
  const { json, hot } = source.written?.of === event.properties ? source.written : writeProperties(event.properties);
  return {
    projectId: event.projectId,
    uuid: event.uuid,
    event: event.event,
    distinctId: event.distinctId,
    personId,
    timestamp: event.timestamp,
    createdAt: event.receivedAt,
    properties: json,
    parsed: event.properties,
    hot,
    elementsChain: event.elementsChain,
    groups: groupKeys,
  };
}

async function writeMetadata(chunk: Chunk): Promise<void> {
  const { entries, store, sink, groups, cookieless, definitions, limits, fates, webhooks, destinations, options } =
    chunk;
  chunk.personChanges = chunk.persons.changes();
  const messages = webhooks.messages(chunk.personChanges.overrides);
  chunk.messages = messages.length;
  chunk.progress = await sink.progress(entries);
  await store.apply({
    persons: chunk.personChanges,
    ...groups.changes(),
    ...cookieless.changes(),
    ...(await limits.apply(store, definitions, fates, options.now)),
    ...fates.changes(),
    messages,
    queued: destinations.queued(),
    late: chunk.lateEvents.late(),
    firstEvents: projectsWithFirstEvents(chunk),
    position: chunk.progress?.position ?? null,
    ...(chunk.progress ? { ahead: chunk.progress.ahead } : {}),
  });
}

function projectsWithFirstEvents({ projects, stored }: Chunk): number[] {
  const withEvents = new Set(stored.map((event) => event.projectId));
  return [...projects.values()]
    .filter(({ id, ingestedEvent }) => !ingestedEvent && withEvents.has(id))
    .map(({ id }) => id);
}

async function writeEvents(chunk: Chunk): Promise<void> {
  const { entries, stored, personChanges, projects, sink, store, options } = chunk;
  const { overrides } = personChanges;
  const whileCommitting = (): void => options.whileCommitting?.(projects);
  await sink.write({ entries, events: stored, overrides, whileCommitting }, store);
}
