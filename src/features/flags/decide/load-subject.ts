/** Whom flags are evaluated for: what the request says, over what is stored, as far as some flag asks for it. */

import type { Clock } from '../../../lib/clock.ts';
import type { MaybePromise } from '../../../lib/maybe-async.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { SubjectPerson } from '../../../stores/metadata/subjects.ts';
import type { Needs } from '../rules/compile/prepared-flags.ts';
import type { Subject, SubjectGroup, SubjectProperties } from '../rules/subject.ts';
import { type Continuity, type LoginPersons, NO_PERSONS, type Overrides } from './continuity.ts';
import type { DecideRequest } from './decide-request.ts';
import type { FlagSnapshot } from './flag-snapshots.ts';

export interface LoadSubjectDeps {
  metadata: Pick<MetadataStore, 'subjects'>;
  continuity: Continuity;
  clock: Clock;
  /** Hears why something could not be read or kept; the answer says only that it is not whole. */
  onReadError(error: unknown): void;
}

export type UnreadData = 'person' | 'groups' | 'continuity';

interface LoadedSubject {
  subject: Subject;
  /** What could not be read: flags that need it have no value. */
  unread: readonly UnreadData[];
}

type Groups = ReadonlyMap<number, SubjectGroup>;

const NO_GROUPS: Groups = new Map();
const NO_COHORTS: ReadonlySet<number> = new Set();
const NO_OVERRIDES: Overrides = new Map();

/** At once, where nothing but the person is asked for and the store has them at hand: as it is for most projects. */
export function loadSubject(
  deps: LoadSubjectDeps,
  projectId: number,
  snapshot: FlagSnapshot,
  request: DecideRequest,
): MaybePromise<LoadedSubject> {
  const { needs } = snapshot.prepared;
  const isWithGroups = needs.groupTypes.size > 0 && request.groups.size > 0;
  if (needs.hasContinuity || needs.staticCohorts.size > 0 || isWithGroups) {
    return loadAll(deps, projectId, snapshot, request);
  }
  if (!needsPerson(needs, request)) return { subject: subjectWith(deps, request, null), unread: NOTHING_UNREAD };
  try {
    const person = deps.metadata.subjects.getPerson(projectId, request.distinctId);
    if (person instanceof Promise) return loadAll(deps, projectId, snapshot, request, person);
    return { subject: subjectWith(deps, request, person), unread: NOTHING_UNREAD };
  } catch (error) {
    deps.onReadError(error);
    return { subject: subjectWith(deps, request, null), unread: ['person'] };
  }
}

const NOTHING_UNREAD: readonly UnreadData[] = [];

const subjectWith = (
  { clock }: LoadSubjectDeps,
  { distinctId, deviceId, personProperties }: DecideRequest,
  person: SubjectPerson | null,
): Subject => ({
  distinctId,
  deviceId,
  properties: overlay(person?.properties, personProperties),
  groups: NO_GROUPS,
  staticCohorts: NO_COHORTS,
  overrides: NO_OVERRIDES,
  now: clock.now(),
});

async function loadAll(
  deps: LoadSubjectDeps,
  projectId: number,
  snapshot: FlagSnapshot,
  request: DecideRequest,
  person?: Promise<SubjectPerson | null>,
): Promise<LoadedSubject> {
  const { needs } = snapshot.prepared;
  const faults = new ReadErrors(deps);
  const persons = needsPerson(needs, request)
    ? await readPersons(deps, projectId, needs, request, faults, person)
    : NO_PERSONS;
  const staticCohorts = needs.staticCohorts.size > 0 ? await readCohorts(deps, persons, needs, faults) : NO_COHORTS;
  const overrides = needs.hasContinuity
    ? await readOverrides(deps, projectId, snapshot, request, persons, faults)
    : NO_OVERRIDES;
  const named = needs.groupTypes.size > 0 && request.groups.size > 0 ? knownGroups(snapshot, request) : NO_GROUPS;
  const groups = named.size > 0 ? await readGroups(deps, projectId, named, faults) : NO_GROUPS;
  const subject = { ...subjectWith(deps, request, persons.own), groups, staticCohorts, overrides };
  return { subject, unread: faults.lost };
}

class ReadErrors {
  readonly lost: UnreadData[] = [];
  readonly #deps: LoadSubjectDeps;

  constructor(deps: LoadSubjectDeps) {
    this.#deps = deps;
  }

  add(what: UnreadData, error: unknown): void {
    this.lost.push(what);
    this.#deps.onReadError(error);
  }
}

/** Whether something stored of the person can change a value. */
export const needsPerson = (needs: Needs, { personProperties }: Pick<DecideRequest, 'personProperties'>): boolean =>
  needs.hasContinuity || needs.staticCohorts.size > 0 || !covers(personProperties, needs.personProperties);

function covers(sent: SubjectProperties, asked: ReadonlySet<string>): boolean {
  for (const key of asked) if (key !== 'distinct_id' && !Object.hasOwn(sent, key)) return false;
  return true;
}

async function readPersons(
  { metadata: { subjects } }: LoadSubjectDeps,
  projectId: number,
  { hasContinuity }: Needs,
  { distinctId, anonDistinctId }: DecideRequest,
  faults: ReadErrors,
  asked?: Promise<SubjectPerson | null>,
): Promise<LoginPersons> {
  try {
    if (!hasContinuity || anonDistinctId === null) {
      return { own: await (asked ?? subjects.getPerson(projectId, distinctId)), other: null };
    }
    const found = await subjects.getPersons(projectId, [distinctId, anonDistinctId]);
    return { own: found.get(distinctId) ?? null, other: found.get(anonDistinctId) ?? null };
  } catch (error) {
    faults.add('person', error);
    return NO_PERSONS;
  }
}

async function readCohorts(
  { metadata }: LoadSubjectDeps,
  { own }: LoginPersons,
  { staticCohorts }: Needs,
  faults: ReadErrors,
): Promise<ReadonlySet<number>> {
  if (own === null) return NO_COHORTS;
  try {
    return new Set(await metadata.subjects.listCohortsWith(own.id, [...staticCohorts]));
  } catch (error) {
    faults.add('person', error);
    return NO_COHORTS;
  }
}

/** Not without the persons: a login that nobody could be found for would be taken for one without a person. */
async function readOverrides(
  { continuity }: LoadSubjectDeps,
  projectId: number,
  { continuityKeys: flagKeys }: FlagSnapshot,
  { distinctId, anonDistinctId }: DecideRequest,
  persons: LoginPersons,
  faults: ReadErrors,
): Promise<Overrides> {
  if (faults.lost.length > 0) return NO_OVERRIDES;
  try {
    return await continuity.overridesFor({ projectId, distinctId, anonDistinctId, flagKeys }, persons);
  } catch (error) {
    faults.add('continuity', error);
    return NO_OVERRIDES;
  }
}

/** The request's groups by index, as far as the project knows their kinds and some flag looks at them. */
function knownGroups({ groupTypeIndexes, prepared }: FlagSnapshot, { groups, groupProperties }: DecideRequest): Groups {
  const named = new Map<number, SubjectGroup>();
  for (const [type, key] of groups) {
    const index = groupTypeIndexes.get(type);
    if (index === undefined || !prepared.needs.groupTypes.has(index)) continue;
    named.set(index, { key, properties: groupProperties.get(type) ?? {} });
  }
  return named;
}

async function readGroups(
  { metadata }: LoadSubjectDeps,
  projectId: number,
  named: Groups,
  faults: ReadErrors,
): Promise<Groups> {
  const keys = [...named].map(([typeIndex, { key }]) => ({ typeIndex, key }));
  try {
    const stored = await metadata.subjects.listGroups(projectId, keys);
    const properties = new Map(stored.map((group) => [group.typeIndex, group.properties]));
    return new Map(
      [...named].map(([index, { key, properties: sent }]) => [
        index,
        { key, properties: overlay(properties.get(index), sent) },
      ]),
    );
  } catch (error) {
    faults.add('groups', error);
    return named;
  }
}

/** Both come out of a JSON parser, so a key called `__proto__` is data here and stays data. */
function overlay(stored: SubjectProperties | undefined, sent: SubjectProperties): SubjectProperties {
  if (stored === undefined) return sent;
  for (const _key in sent) return { ...stored, ...sent };
  return stored;
}
