/** Builds the subject of an evaluation: stored data, as far as some flag needs it, overridden by the request. */

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
  /** Told why something could not be read or written; the response only says that there were errors. */
  onReadError(error: unknown): void;
}

export type UnreadData = 'person' | 'groups' | 'continuity';

export interface LoadedSubject {
  subject: Subject;
  /** What could not be read: flags that need it fail. */
  unread: readonly UnreadData[];
  /** The stored person, where nothing else that is stored can change a value; null: none. */
  person?: SubjectPerson | null;
}

type Groups = ReadonlyMap<number, SubjectGroup>;

const NO_GROUPS: Groups = new Map();
const NO_COHORTS: ReadonlySet<number> = new Set();
const NO_OVERRIDES: Overrides = new Map();

/** Synchronous where flags need the person only and the store has it in memory, as in most projects. */
export function loadSubject(
  deps: LoadSubjectDeps,
  projectId: number,
  snapshot: FlagSnapshot,
  request: DecideRequest,
): MaybePromise<LoadedSubject> {
  const { needs } = snapshot.prepared;
  const needsGroups = needs.groupTypes.size > 0 && request.groups.size > 0;
  if (needs.hasContinuity || needs.staticCohorts.size > 0 || needsGroups) {
    return loadAll(deps, projectId, snapshot, request);
  }
  if (!needsStoredPerson(needs, request)) return subjectOf(deps, request, null);
  try {
    const person = deps.metadata.subjects.getPerson(projectId, request.distinctId);
    if (person instanceof Promise) return loadAll(deps, projectId, snapshot, request, person);
    return subjectOf(deps, request, person);
  } catch (error) {
    deps.onReadError(error);
    return { subject: subjectWith(deps, request, null), unread: ['person'] };
  }
}

const NOTHING_UNREAD: readonly UnreadData[] = [];

const subjectOf = (deps: LoadSubjectDeps, request: DecideRequest, person: SubjectPerson | null): LoadedSubject => ({
  subject: subjectWith(deps, request, person),
  unread: NOTHING_UNREAD,
  person,
});

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
  const errors = new ReadErrors(deps);
  const persons = needsStoredPerson(needs, request)
    ? await readPersons(deps, projectId, needs, request, errors, person)
    : NO_PERSONS;
  const staticCohorts = needs.staticCohorts.size > 0 ? await readCohorts(deps, persons, needs, errors) : NO_COHORTS;
  const overrides = needs.hasContinuity
    ? await readOverrides(deps, projectId, snapshot, request, persons, errors)
    : NO_OVERRIDES;
  const requested = needs.groupTypes.size > 0 && request.groups.size > 0 ? knownGroups(snapshot, request) : NO_GROUPS;
  const groups = requested.size > 0 ? await readGroups(deps, projectId, requested, errors) : NO_GROUPS;
  const subject = { ...subjectWith(deps, request, persons.own), groups, staticCohorts, overrides };
  return { subject, unread: errors.unread };
}

class ReadErrors {
  readonly unread: UnreadData[] = [];
  readonly #deps: LoadSubjectDeps;

  constructor(deps: LoadSubjectDeps) {
    this.#deps = deps;
  }

  /** What `read` gives; `fallback` where it fails, which is noted. */
  async orElse<T>(what: UnreadData, fallback: T, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      this.unread.push(what);
      this.#deps.onReadError(error);
      return fallback;
    }
  }
}

/** Whether stored data of the person can change a value. */
export const needsStoredPerson = (
  needs: Needs,
  { personProperties }: Pick<DecideRequest, 'personProperties'>,
): boolean => needs.hasContinuity || needs.staticCohorts.size > 0 || !covers(personProperties, needs.personProperties);

function covers(sent: SubjectProperties, keys: ReadonlySet<string>): boolean {
  for (const key of keys) if (key !== 'distinct_id' && !Object.hasOwn(sent, key)) return false;
  return true;
}

function readPersons(
  { metadata: { subjects } }: LoadSubjectDeps,
  projectId: number,
  { hasContinuity }: Needs,
  { distinctId, anonDistinctId }: DecideRequest,
  errors: ReadErrors,
  person?: Promise<SubjectPerson | null>,
): Promise<LoginPersons> {
  return errors.orElse('person', NO_PERSONS, async () => {
    if (!hasContinuity || anonDistinctId === null) {
      return { own: await (person ?? subjects.getPerson(projectId, distinctId)), other: null };
    }
    const found = await subjects.getPersons(projectId, [distinctId, anonDistinctId]);
    return { own: found.get(distinctId) ?? null, other: found.get(anonDistinctId) ?? null };
  });
}

async function readCohorts(
  { metadata }: LoadSubjectDeps,
  { own }: LoginPersons,
  { staticCohorts }: Needs,
  errors: ReadErrors,
): Promise<ReadonlySet<number>> {
  if (own === null) return NO_COHORTS;
  const read = async () => new Set(await metadata.subjects.listCohortsWith(own.id, [...staticCohorts]));
  return errors.orElse('person', NO_COHORTS, read);
}

/** Not if the persons could not be read: the login would be taken for one without a person. */
async function readOverrides(
  { continuity }: LoadSubjectDeps,
  projectId: number,
  { continuityKeys: flagKeys }: FlagSnapshot,
  { distinctId, anonDistinctId }: DecideRequest,
  persons: LoginPersons,
  errors: ReadErrors,
): Promise<Overrides> {
  if (errors.unread.length > 0) return NO_OVERRIDES;
  const login = { projectId, distinctId, anonDistinctId, flagKeys };
  return errors.orElse('continuity', NO_OVERRIDES, () => continuity.overridesFor(login, persons));
}

/** The request's groups by type index, without types that the project does not have or no flag uses. */
function knownGroups({ groupTypeIndexes, prepared }: FlagSnapshot, { groups, groupProperties }: DecideRequest): Groups {
  const requested = new Map<number, SubjectGroup>();
  for (const [type, key] of groups) {
    const index = groupTypeIndexes.get(type);
    if (index === undefined || !prepared.needs.groupTypes.has(index)) continue;
    requested.set(index, { key, properties: groupProperties.get(type) ?? {} });
  }
  return requested;
}

function readGroups(
  { metadata }: LoadSubjectDeps,
  projectId: number,
  requested: Groups,
  errors: ReadErrors,
): Promise<Groups> {
  const keys = [...requested].map(([typeIndex, { key }]) => ({ typeIndex, key }));
  return errors.orElse('groups', requested, async () => {
    const stored = await metadata.subjects.listGroups(projectId, keys);
    const properties = new Map(stored.map((group) => [group.typeIndex, group.properties]));
    return new Map(
      [...requested].map(([index, { key, properties: sent }]) => [
        index,
        { key, properties: overlay(properties.get(index), sent) },
      ]),
    );
  });
}

/** Both are parsed JSON, where a key called `__proto__` is an ordinary own key. */
function overlay(stored: SubjectProperties | undefined, sent: SubjectProperties): SubjectProperties {
  if (stored === undefined) return sent;
  for (const _key in sent) return { ...stored, ...sent };
  return stored;
}
