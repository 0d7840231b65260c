/**
 * Keeps what was measured of each person, so that the next question about the same experiment reads only the events of
 * those of whom something is new: an event, a merge, a changed property, or an event in the time that has passed since.
 * They are measured anew from all of their events, like everybody at first, and everybody is added up again. So late
 * events, windows that end and merges need no rules of their own.
 *
 * What is kept is not used if rows were changed or deleted since, if the question is another one, or if too many changed.
 */
import { type FilterOwner, leafFilters } from '../../../core/filters/property-filter.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { filtersOfMatcher } from '../../../query/filters/action-step-sql.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { ChangeMark } from '../../../stores/events/event-changes.ts';
import type { UuidColumn } from '../../../stores/events/event-store.ts';
import type { ExperimentQuestion } from '../rules/experiment-question.ts';
import { ActorTable } from './actor-table.ts';
import { changedPersonsStatement } from './changed-persons.ts';
import { type EverybodyDeps, measureEverybody } from './measure-everybody.ts';
import { addUp, type ExperimentMeasurement, measureExperiment, prepareExperimentQuery } from './measure-experiment.ts';
import { type MeasuredActors, measureActors } from './measured-actors.ts';
import { entitiesOf } from './metric-plan.ts';
import { rowsOfPersons } from './read-apart.ts';

/** About three experiments with ten metrics and 200,000 persons each. */
const MAX_BYTES = 96 * 1024 * 1024;
const UNUSED_MS = 60 * MINUTE_MS;
/** With more it takes about as long to measure everybody. */
const MAX_CHANGED = 20_000;
/** How often persons may change while they are read. */
const MAX_TRIES = 3;

interface KeptMeasurement {
  mark: ChangeMark;
  /** The end of the range that was measured. */
  until: number;
  /** One for each group of metrics that are read together. */
  tables: readonly ActorTable[];
  usedAt: number;
}

/** Deps of one question. */
type KeptDeps = ScanDeps & EverybodyDeps;

export class KeptMeasurements {
  readonly #maxBytes: number;
  /** Those used last are at the end. */
  readonly #kept = new Map<string, KeptMeasurement>();

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  async measure(deps: KeptDeps, projectId: number, question: ExperimentQuestion): Promise<ExperimentMeasurement> {
    const { exposure, metrics, split } = question;
    if (!canKeep(question)) return measureExperiment(deps, projectId, exposure, metrics, split);
    const query = await prepareExperimentQuery(deps, projectId, exposure, metrics.flatMap(entitiesOf));
    const key = keyOf(projectId, question);
    const known = this.#take(key, deps.clock.now());
    const renewed = known === undefined ? null : await this.#renew(deps, query, question, key, known);
    return renewed ?? this.#measureAll(deps, query, question, key);
  }

  async #renew(
    deps: KeptDeps,
    query: EventQuery,
    question: ExperimentQuestion,
    key: string,
    known: KeptMeasurement,
  ): Promise<ExperimentMeasurement | null> {
    try {
      const renewed = await measureChanged(deps, query, question, known);
      if (renewed === null) return null;
      const { ids, measured, mark, measurement } = renewed;
      for (const [place, own] of measured.entries()) known.tables[place]?.replace(ids, own);
      this.#put(key, { ...known, mark, until: question.exposure.range.until, usedAt: deps.clock.now() });
      return measurement;
    } catch (error) {
      // Nothing was replaced yet.
      this.#put(key, known);
      throw error;
    }
  }

  async #measureAll(
    deps: KeptDeps,
    query: EventQuery,
    question: ExperimentQuestion,
    key: string,
  ): Promise<ExperimentMeasurement> {
    const mark = await deps.changes.mark();
    const { exposure } = question;
    let tables: ActorTable[] | null = [];
    const keep = (place: number, ids: UuidColumn, measured: MeasuredActors): void => {
      if (tables?.[place] === undefined) tables?.push(new ActorTable(ids, measured));
      else tables[place].append(ids, measured);
      if (bytesOf(tables ?? []) > this.#maxBytes) tables = null;
    };
    const measurement = await addUp(question, async function* (metrics, place) {
      for await (const { ids, measured } of measureEverybody(deps, query, { ...question, metrics }, mark)) {
        yield measured;
        keep(place, ids, measured);
      }
    });
    if (tables !== null) this.#put(key, { mark, until: exposure.range.until, tables, usedAt: deps.clock.now() });
    return measurement;
  }

  /** Out of the list while it is used, so that only one question changes it. Another one meanwhile measures everybody. */
  #take(key: string, now: number): KeptMeasurement | undefined {
    for (const [other, { usedAt }] of this.#kept) if (usedAt < now - UNUSED_MS) this.#kept.delete(other);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    return known;
  }

  #put(key: string, kept: KeptMeasurement): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    let bytes = [...this.#kept.values()].reduce((sum, { tables }) => sum + bytesOf(tables), 0);
    for (const [oldest, { tables }] of this.#kept) {
      if (bytes <= this.#maxBytes) break;
      this.#kept.delete(oldest);
      bytes -= bytesOf(tables);
    }
  }
}

interface Renewed {
  measurement: ExperimentMeasurement;
  ids: UuidColumn;
  /** What these persons did, for each group of metrics. */
  measured: readonly MeasuredActors[];
  mark: ChangeMark;
}

/** Measures everybody of whom something is new, and adds up all; null if everybody has to be measured. */
async function measureChanged(
  deps: KeptDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  { mark, until, tables }: KeptMeasurement,
): Promise<Renewed | null> {
  const { exposure } = question;
  const passed = { from: until, until: exposure.range.until };
  if (passed.from > passed.until) return null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const changed = await deps.changes.queryAdded(
      mark,
      query.projectId,
      (added) => changedPersonsStatement(query, added, passed, MAX_CHANGED + 1),
      deps.signal,
    );
    if (changed === null || changed.table.rowCount > MAX_CHANGED) return null;
    const ids = changed.table.uuids('id');
    const persons = Array.from({ length: changed.table.rowCount }, (_, at) => ids.textAt(at));
    const measured: MeasuredActors[] = [];
    const measurement = await addUp(question, async function* (metrics, place) {
      const table = tables[place];
      if (table === undefined) return;
      if (persons.length === 0) {
        yield table.measured;
        return;
      }
      const { begun, rows } = rowsOfPersons(deps, query, { ...question, metrics }, persons);
      // They are awaited only after the others are added up, and reading them may fail before.
      rows.catch(() => undefined);
      // The statements before are short, and would each wait for a part of that.
      await begun;
      yield table.without(ids);
      const own = await measureActors(await rows, exposure, exposure.range.until);
      measured.push(own);
      yield own;
    });
    // Somebody who was merged meanwhile could be there twice.
    if (!deps.changes.havePersonsChanged(changed.mark, query.projectId))
      return { measurement, ids, measured, mark: changed.mark };
  }
  return null;
}

const bytesOf = (tables: readonly ActorTable[]): number => tables.reduce((sum, { bytes }) => sum + bytes, 0);

/** Without what moves with the clock: the end of the range, and who counts by then. */
const keyOf = (projectId: number, { exposure, metrics, split }: ExperimentQuestion): string =>
  JSON.stringify([
    projectId,
    { ...exposure, range: exposure.range.from },
    metrics.map((metric) => ({ ...metric, exposedBefore: null })),
    split,
  ]);

/**
 * Whether what is measured of a person depends only on their own events and properties. Members of cohorts, groups and
 * sessions change without that, and so do groups whose persons are merged.
 */
function canKeep({ exposure, metrics }: ExperimentQuestion): boolean {
  if (exposure.actor.kind !== 'person') return false;
  const entities = [exposure.event, exposure.activation ?? null, ...metrics.flatMap(entitiesOf)];
  const filters = [exposure.filter, ...entities.flatMap((entity) => (entity === null ? [] : filtersOfMatcher(entity)))];
  return filters
    .flatMap(leafFilters)
    .every((filter) => filter.kind === 'property' && OWN_PROPERTIES.includes(filter.owner));
}

const OWN_PROPERTIES: readonly FilterOwner[] = ['event', 'person', 'element'];
