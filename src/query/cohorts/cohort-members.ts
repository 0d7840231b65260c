/**
 * Who is in a cohort: each criterion is asked of the store that knows, the answers are sets of persons, and AND, OR and
 * negation are set operations. Persons are gone through a page at a time, so the memory used depends on a page and on a
 * bit for each person.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { criteriaOf } from '../../core/cohorts/cohort-criteria.ts';
import { type Behaviour, type Criteria, leafCriteria, type PersonCriterion } from '../../core/cohorts/criteria.ts';
import { matches } from '../../core/filters/matches.ts';
import { cohortFiltersIn, type Filter } from '../../core/filters/property-filter.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { IdSet, inChunks } from '../../lib/id-set.ts';
import { searchPattern } from '../../lib/search-pattern.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { FindCohorts } from '../event-query.ts';
import type { QueryDeps } from '../query-deps.ts';
import { prepareBehaviour } from './behaviour-query.ts';
import { behaviourSql } from './behaviour-sql.ts';
import { type CohortUuids, personUuidsOf } from './cohort-sql.ts';

/** Persons looked at between two turns of others: some 10 ms. */
const PERSON_PAGE_SIZE = 1000;
/** The same where nothing but their numbers is read. */
const ID_PAGE_SIZE = 10_000;

/** The cohorts of a project at one moment. What was found once is remembered, so keep it for one question only. */
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

  /** As last calculated; worked out now where it never was. Null where there is no such cohort. */
  async get(id: number): Promise<IdSet | null> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    // Whoever asks for themselves in a circle finds nobody there.
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
    const isKept = cohort.isStatic || cohort.lastCalculation !== null;
    return isKept ? storedMembers(this.#deps.metadata, id) : this.calculate(criteriaOf(cohort));
  }

  /** Who meets the criteria now. */
  async calculate(criteria: Criteria): Promise<IdSet> {
    if (criteria === null) return new IdSet();
    const leaves = leafCriteria(criteria);
    const isNegated = leaves.some((leaf) => leaf.kind !== 'person' && leaf.negated);
    const persons = leaves.filter((leaf) => leaf.kind === 'person');
    const looked = isNegated || persons.length > 0 ? await this.#lookThrough(persons) : NO_PERSONS;
    return this.#combine(criteria, looked);
  }

  async #combine(criteria: NonNullable<Criteria>, looked: ScannedPersons): Promise<IdSet> {
    switch (criteria.kind) {
      case 'person':
        return looked.matching.get(criteria) ?? new IdSet();
      case 'behaviour': {
        const did = await this.#whoDid(criteria.behaviour);
        return criteria.negated ? looked.everybody.without(did) : did;
      }
      case 'cohort': {
        const members = await this.get(criteria.id);
        if (members === null) return new IdSet();
        return criteria.negated ? looked.everybody.without(members) : members;
      }
      default: {
        const sets: IdSet[] = [];
        for (const inner of criteria.criteria) sets.push(await this.#combine(inner, looked));
        return sets.reduce((all, set) => (criteria.kind === 'and' ? all.and(set) : all.or(set)));
      }
    }
  }

  /** Goes through all persons once, for all criteria on them; others get their turn between two pages. */
  async #lookThrough(criteria: readonly PersonCriterion[]): Promise<ScannedPersons> {
    const everybody = new IdSet();
    const matching = new Map(criteria.map((criterion) => [criterion, new IdSet()]));
    for (let after = 0; ; ) {
      const page = await this.#deps.metadata.eventPersons.listAfter(this.#projectId, after, PERSON_PAGE_SIZE);
      for (const person of page) {
        everybody.add(person.id);
        if (criteria.length > 0) recordMatches(matching, person);
      }
      if (page.length < PERSON_PAGE_SIZE) return { everybody, matching };
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
  everybody: IdSet;
  matching: ReadonlyMap<PersonCriterion, IdSet>;
}

const NO_PERSONS: ScannedPersons = { everybody: new IdSet(), matching: new Map() };

function recordMatches(
  matching: ReadonlyMap<PersonCriterion, IdSet>,
  { id, properties }: { id: number; properties: string },
): void {
  const owners = { event: {}, person: JSON.parse(properties) as JsonObject };
  for (const [{ filter }, set] of matching) if (matches(filter, owners, searchPattern)) set.add(id);
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
