/**
 * Finds the members of cohorts: each criterion gives a set of persons, and AND, OR and negation are set operations. Persons
 * are read a page at a time, so memory depends on the page size and on a bit for each person.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { criteriaOf } from '../../core/cohorts/cohort-criteria.ts';
import { type Behaviour, type Criteria, leafCriteria, type PersonCriterion } from '../../core/cohorts/criteria.ts';
import type { PatternSearch } from '../../core/filters/compile-pattern.ts';
import { matches } from '../../core/filters/matches.ts';
import { cohortFiltersIn, type Filter } from '../../core/filters/property-filter.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { IdSet, inChunks } from '../../lib/id-set.ts';
import { createPause } from '../../lib/in-batches.ts';
import { preparePatternSearch } from '../../lib/search-pattern.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { FindCohorts } from '../event-query.ts';
import type { QueryDeps } from '../query-deps.ts';
import { prepareBehaviour } from './behaviour-query.ts';
import { behaviourSql } from './behaviour-sql.ts';
import { type CohortUuids, personUuidsOf } from './cohort-sql.ts';

/** Takes about 10 ms, after which other work gets its turn. */
const PERSON_PAGE_SIZE = 1000;
/** Pages of ids only. */
const ID_PAGE_SIZE = 10_000;

/** The cohorts of a project at one moment. Caches what it found, so use one for each query. */
export class CohortMembers {
  readonly #deps: QueryDeps;
  readonly #projectId: number;
  readonly #now: number;
  readonly #known = new Map<number, IdSet | null>();

  constructor(deps: QueryDeps, projectId: number, now: number) {
    this.#deps = deps;
    this.#projectId = projectId;
    this.#now = now;
  }

  /** As last calculated, or calculated now if it never was. Null where there is no such cohort. */
  async get(id: number): Promise<IdSet | null> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    // A cohort that refers to itself is empty there.
    this.#known.set(id, new IdSet());
    const found = await this.#find(id);
    this.#known.set(id, found);
    return found;
  }

  /** The members of every cohort in a filter; null where there is no such cohort. */
  async idsIn(filter: Filter): Promise<ReadonlyMap<number, IdSet | null>> {
    const ids = new Map<number, IdSet | null>();
    for (const { id } of cohortFiltersIn(filter)) ids.set(id, await this.get(id));
    return ids;
  }

  /** The same by UUID, as events know persons. */
  async uuidsIn(filter: Filter): Promise<CohortUuids> {
    const uuids = new Map<number, string[] | null>();
    for (const [id, ids] of await this.idsIn(filter)) {
      uuids.set(id, ids && (await personUuidsOf(this.#deps.metadata, this.#projectId, ids)));
    }
    return uuids;
  }

  async #find(id: number): Promise<IdSet | null> {
    const cohort = await this.#deps.metadata.cohorts.get(this.#projectId, id);
    if (!cohort || cohort.deleted) return null;
    const isStored = cohort.isStatic || cohort.lastCalculation !== null;
    return isStored ? storedMembers(this.#deps.metadata, id) : this.calculate(criteriaOf(cohort));
  }

  /** The persons who meet the criteria now. */
  async calculate(criteria: Criteria): Promise<IdSet> {
    if (criteria === null) return new IdSet();
    const leaves = leafCriteria(criteria);
    const isNegated = leaves.some((leaf) => leaf.kind !== 'person' && leaf.negated);
    const persons = leaves.filter((leaf) => leaf.kind === 'person');
    const scanned = isNegated || persons.length > 0 ? await this.#scanPersons(persons) : NO_PERSONS;
    return this.#combine(criteria, scanned);
  }

  async #combine(criteria: NonNullable<Criteria>, scanned: ScannedPersons): Promise<IdSet> {
    switch (criteria.kind) {
      case 'person':
        return scanned.matching.get(criteria) ?? new IdSet();
      case 'behaviour': {
        const did = await this.#whoDid(criteria.behaviour);
        return criteria.negated ? scanned.everyone.without(did) : did;
      }
      case 'cohort': {
        const members = await this.get(criteria.id);
        if (members === null) return new IdSet();
        return criteria.negated ? scanned.everyone.without(members) : members;
      }
      default: {
        const sets: IdSet[] = [];
        for (const inner of criteria.criteria) sets.push(await this.#combine(inner, scanned));
        return sets.reduce((all, set) => (criteria.kind === 'and' ? all.and(set) : all.or(set)));
      }
    }
  }

  /** Reads all persons once, for all criteria on them. */
  async #scanPersons(criteria: readonly PersonCriterion[]): Promise<ScannedPersons> {
    const everyone = new IdSet();
    const matching = new Map(criteria.map((criterion) => [criterion, new IdSet()]));
    const search = await preparePatternSearch({ kind: 'and', filters: criteria.map(({ filter }) => filter) });
    const pause = createPause();
    for (let after = 0; ; ) {
      const page = await this.#deps.metadata.eventPersons.listAfter(this.#projectId, after, PERSON_PAGE_SIZE);
      for (const person of page) {
        everyone.add(person.id);
        if (criteria.length > 0) recordMatches(matching, person, search);
        const paused = pause();
        if (paused !== undefined) await paused;
      }
      if (page.length === 0) return { everyone, matching };
      after = page.at(-1)?.id ?? after;
      await nextTurn();
    }
  }

  async #whoDid(behaviour: Behaviour): Promise<IdSet> {
    const findCohorts: FindCohorts = (filter) => this.uuidsIn(filter);
    const prepared = await prepareBehaviour(this.#deps, this.#projectId, behaviour, findCohorts);
    const { statement } = prepared;
    // A few hundred long texts are much faster to fetch than a row for each person.
    const rows = await statement.query(
      `select ${statement.sql.joinTexts('b.person_id')} as uuids
      from (${behaviourSql(prepared, behaviour, this.#now)}) b
      group by right(cast(b.person_id as varchar), 2)`,
    );
    const { cohortMembers } = this.#deps.metadata;
    const set = new IdSet();
    for (const row of rows) {
      for (const uuids of inChunks(String(row['uuids']).split(','), PERSON_PAGE_SIZE)) {
        for (const id of await cohortMembers.listPersonIdsByUuid(this.#projectId, uuids)) set.add(id);
      }
      await nextTurn();
    }
    return set;
  }
}

interface ScannedPersons {
  everyone: IdSet;
  matching: ReadonlyMap<PersonCriterion, IdSet>;
}

const NO_PERSONS: ScannedPersons = { everyone: new IdSet(), matching: new Map() };

function recordMatches(
  matching: ReadonlyMap<PersonCriterion, IdSet>,
  { id, properties }: { id: number; properties: string },
  search: PatternSearch,
): void {
  const owners = { event: {}, person: parseExact(properties) as JsonObject };
  for (const [{ filter }, set] of matching) if (matches(filter, owners, search)) set.add(id);
}

export async function storedMembers(
  { cohortMembers }: Pick<MetadataStore, 'cohortMembers'>,
  cohortId: number,
): Promise<IdSet> {
  const set = new IdSet();
  for (let after = 0; ; ) {
    const page = await cohortMembers.listAfter(cohortId, after, ID_PAGE_SIZE);
    for (const id of page) set.add(id);
    if (page.length < ID_PAGE_SIZE) return set;
    after = page.at(-1) ?? after;
    await nextTurn();
  }
}
