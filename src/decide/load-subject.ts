/** Whom flags are evaluated for: what the request says, over what is stored, as far as some flag asks for it. */
import type { Needs } from '../core/flags/prepared-flags.ts';
import type { Properties, Subject, SubjectGroup } from '../core/flags/subject.ts';
import type { Clock } from '../lib/clock.ts';
import type { MetadataStore } from '../stores/metadata-store.ts';
import type { SubjectPerson } from '../stores/subject-store.ts';
import type { Continuity, Overrides } from './continuity.ts';
import type { DecideRequest } from './decide-request.ts';
import type { Snapshot } from './definitions.ts';

export interface LoadDeps {
  metadata: Pick<MetadataStore, 'subjects'>;
  continuity: Continuity;
  clock: Clock;
  /** Hears why something could not be read or kept; the answer says only that it is not whole. */
  onFault(error: unknown): void;
}

export interface Loaded {
  subject: Subject;
  /** What could not be read: flags that need it have no value. */
  lost: ReadonlySet<'person' | 'groups' | 'continuity'>;
}

type Lost = 'person' | 'groups' | 'continuity';

const NOTHING_LOST: ReadonlySet<Lost> = new Set();
const NO_PERSONS: ReadonlyMap<string, SubjectPerson> = new Map();
const NO_GROUPS: ReadonlyMap<number, SubjectGroup> = new Map();
const NO_COHORTS: ReadonlySet<number> = new Set();
const NO_OVERRIDES: Overrides = new Map();

export async function loadSubject(
  deps: LoadDeps,
  projectId: number,
  snapshot: Snapshot,
  request: DecideRequest,
): Promise<Loaded> {
  const { needs } = snapshot.prepared;
  const lost = new Set<Lost>();
  const unless = async <T>(what: Lost, work: () => Promise<T>, instead: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      lost.add(what);
      deps.onFault(error);
      return instead;
    }
  };
  const persons = needsPerson(needs, request)
    ? await unless('person', () => readPersons(deps, projectId, needs, request), NO_PERSONS)
    : NO_PERSONS;
  const person = persons.get(request.distinctId);
  const staticCohorts =
    person && needs.staticCohorts.size > 0
      ? await unless('person', () => cohortsOf(deps, person, needs), NO_COHORTS)
      : NO_COHORTS;
  const overrides =
    needs.hasContinuity && !lost.has('person')
      ? await unless('continuity', () => overridesOf(deps, projectId, snapshot, request, persons), NO_OVERRIDES)
      : NO_OVERRIDES;
  const groups = needs.groupTypes.size > 0 && request.groups.size > 0 ? namedGroups(snapshot, request) : NO_GROUPS;
  const subject: Subject = {
    distinctId: request.distinctId,
    deviceId: request.deviceId,
    properties: overlay(person?.properties, request.personProperties),
    groups: groups.size > 0 ? await unless('groups', () => readGroups(deps, projectId, groups), groups) : NO_GROUPS,
    staticCohorts,
    overrides,
    now: deps.clock.now(),
  };
  return { subject, lost: lost.size === 0 ? NOTHING_LOST : lost };
}

/** Whether something stored of the person can change a value. */
export const needsPerson = (needs: Needs, { personProperties }: Pick<DecideRequest, 'personProperties'>): boolean =>
  needs.hasContinuity || needs.staticCohorts.size > 0 || !covers(personProperties, needs.personProperties);

function covers(sent: Properties, asked: ReadonlySet<string>): boolean {
  for (const key of asked) if (key !== 'distinct_id' && !Object.hasOwn(sent, key)) return false;
  return true;
}

async function readPersons(
  { metadata: { subjects } }: LoadDeps,
  projectId: number,
  needs: Needs,
  { distinctId, anonDistinctId }: DecideRequest,
): Promise<ReadonlyMap<string, SubjectPerson>> {
  if (needs.hasContinuity && anonDistinctId !== null)
    return subjects.personsOf(projectId, [distinctId, anonDistinctId]);
  const person = await subjects.personOf(projectId, distinctId);
  return person === null ? NO_PERSONS : new Map([[distinctId, person]]);
}

async function cohortsOf({ metadata }: LoadDeps, { id }: SubjectPerson, needs: Needs): Promise<ReadonlySet<number>> {
  return new Set(await metadata.subjects.cohortsWith(id, [...needs.staticCohorts]));
}

function overridesOf(
  { continuity }: LoadDeps,
  projectId: number,
  { continuityKeys: flagKeys }: Snapshot,
  { distinctId, anonDistinctId }: DecideRequest,
  persons: ReadonlyMap<string, SubjectPerson>,
): Promise<Overrides> {
  return continuity.overridesFor({ projectId, distinctId, anonDistinctId, flagKeys }, persons);
}

/** The request's groups by index, as far as the project knows their kinds and some flag looks at them. */
function namedGroups(
  { groupTypeIndexes, prepared }: Snapshot,
  { groups, groupProperties }: DecideRequest,
): ReadonlyMap<number, SubjectGroup> {
  const named = new Map<number, SubjectGroup>();
  for (const [type, key] of groups) {
    const index = groupTypeIndexes.get(type);
    if (index === undefined || !prepared.needs.groupTypes.has(index)) continue;
    named.set(index, { key, properties: groupProperties.get(type) ?? {} });
  }
  return named;
}

async function readGroups(
  { metadata }: LoadDeps,
  projectId: number,
  named: ReadonlyMap<number, SubjectGroup>,
): Promise<ReadonlyMap<number, SubjectGroup>> {
  const keys = [...named].map(([typeIndex, { key }]) => ({ typeIndex, key }));
  const stored = new Map((await metadata.subjects.groups(projectId, keys)).map((group) => [group.typeIndex, group]));
  return new Map(
    [...named].map(([index, { key, properties }]) => [
      index,
      { key, properties: overlay(stored.get(index)?.properties, properties) },
    ]),
  );
}

/** Both come out of a JSON parser, so a key called `__proto__` is data here and stays data. */
function overlay(stored: Properties | undefined, sent: Properties): Properties {
  if (stored === undefined) return sent;
  for (const _key in sent) return { ...stored, ...sent };
  return stored;
}
