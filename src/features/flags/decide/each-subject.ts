/**
 * All persons, or all groups of a type, as subjects of a flag, in batches. Other work runs between two batches, so that
 * a hundred thousand persons do not block the server.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { orderDistinctIds } from '../../../core/persons/person-name.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { Needs } from '../rules/compile/prepared-flags.ts';
import type { Subject } from '../rules/subject.ts';

export interface SubjectScanDeps {
  metadata: Pick<MetadataStore, 'persons' | 'groups' | 'subjects'>;
  clock: Clock;
}

export interface Candidate {
  /** The id of the person, or the key of the group. */
  id: number | string;
  subject: Subject;
}

const BATCH_SIZE = 500;
/** How many distinct ids of a person are read to choose the one that is shown. */
const MAX_DISTINCT_IDS = 10;

const NO_IDS: ReadonlyMap<number, string[]> = new Map();
const EMPTY_SUBJECT = { deviceId: null, groups: new Map(), staticCohorts: new Set<number>(), overrides: new Map() };

interface Scan {
  projectId: number;
  needs: Needs;
  /** The group type; null for persons. */
  groupIndex: number | null;
  /** Whether the flag has rollout percentages or variants; if not, distinct ids need not be read. */
  isBucketed: boolean;
}

export const eachSubject = (deps: SubjectScanDeps, scan: Scan): AsyncGenerator<Candidate[]> =>
  scan.groupIndex === null ? eachPerson(deps, scan) : eachGroup(deps, scan.projectId, scan.groupIndex);

/** Of a person's distinct ids the one that the console shows is used for bucketing. */
async function* eachPerson(deps: SubjectScanDeps, { projectId, needs, isBucketed }: Scan): AsyncGenerator<Candidate[]> {
  const { persons, subjects } = deps.metadata;
  const now = deps.clock.now();
  const propertyKeys = [...needs.personProperties];
  const readsDistinctIds = isBucketed || needs.personProperties.has('distinct_id');
  for (let after = null; ; ) {
    const slice = await persons.scan(projectId, after, BATCH_SIZE, [], propertyKeys);
    const ids = slice.persons.map(({ id }) => id);
    const distinctIds = readsDistinctIds ? await persons.listDistinctIds(ids, MAX_DISTINCT_IDS) : NO_IDS;
    const overrides = needs.hasContinuity ? await overridesByPerson(deps, ids) : new Map();
    const candidates: Candidate[] = [];
    for (const person of slice.persons) {
      const cohorts =
        needs.staticCohorts.size > 0 ? await subjects.listCohortsWith(person.id, [...needs.staticCohorts]) : [];
      const subject: Subject = {
        ...EMPTY_SUBJECT,
        distinctId: orderDistinctIds(distinctIds.get(person.id) ?? [])[0] ?? '',
        properties: person.properties,
        staticCohorts: new Set(cohorts),
        overrides: overrides.get(person.id) ?? EMPTY_SUBJECT.overrides,
        now,
      };
      candidates.push({ id: person.id, subject });
    }
    yield candidates;
    if (slice.cursor === null) return;
    after = slice.cursor;
    await yieldToOthers();
  }
}

async function overridesByPerson({ metadata }: SubjectScanDeps, ids: readonly number[]) {
  const byPerson = new Map<number, Map<string, string>>();
  for (const { personId, flagKey, identifier } of await metadata.subjects.listOverrides(ids)) {
    const overrides = byPerson.get(personId) ?? new Map<string, string>();
    byPerson.set(personId, overrides.set(flagKey, identifier));
  }
  return byPerson;
}

async function* eachGroup(deps: SubjectScanDeps, projectId: number, index: number): AsyncGenerator<Candidate[]> {
  const now = deps.clock.now();
  for (let from: { direction: 'behind'; cursor: { createdAt: number; key: string } } | undefined; ; ) {
    const groups = await deps.metadata.groups.list(projectId, index, { search: undefined, from, limit: BATCH_SIZE });
    yield groups.map(({ key, properties }) => {
      const subject: Subject = {
        ...EMPTY_SUBJECT,
        distinctId: '',
        properties: {},
        groups: new Map([[index, { key, properties }]]),
        now,
      };
      return { id: key, subject };
    });
    const last = groups.at(-1);
    if (last === undefined || groups.length < BATCH_SIZE) return;
    from = { direction: 'behind', cursor: last };
    await yieldToOthers();
  }
}
