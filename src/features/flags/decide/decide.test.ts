import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uuidOf } from '../../../../test/contract/events.ts';
import { aCohort, aFlag, everybody, those } from '../../../../test/contract/flag-builders.ts';
import { newPersonChanges } from '../../../../test/contract/person-changes.ts';
import { makeTempDir, type TempDir } from '../../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../../test/support/migrated-store.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { NO_CHANGES } from '../../../stores/ingest/no-changes.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { SubjectStore } from '../../../stores/metadata/subjects.ts';
import type { SqliteStores } from '../../../stores/sqlite/metadata-store.ts';
import { Continuity } from './continuity.ts';
import { type DecideDeps, decide } from './decide.ts';
import { type DecideRequest, requestFor } from './decide-request.ts';
import { FlagSnapshots } from './flag-snapshots.ts';
import { RecentDecisions } from './recent-decisions.ts';

const ADA = `first ${uuidOf(1)}`;
const BOB = `first ${uuidOf(2)}`;

let dir: TempDir;
let stores: SqliteStores;
let faults: unknown[];
let asked: string[];
let broken: Set<string>;
let deps: DecideDeps;

beforeEach(async () => {
  dir = makeTempDir();
  stores = await openMigratedStore(dir.path('metadata.sqlite'));
  await stores.ingest.transaction((store) =>
    store.apply({
      ...NO_CHANGES,
      persons: newPersonChanges(1, [uuidOf(1), uuidOf(2)]),
      groupTypes: [{ projectId: 1, index: 0, name: 'company' }],
      groups: [{ projectId: 1, typeIndex: 0, key: 'acme', properties: { size: 9 }, createdAt: 0, version: 1 }],
      position: 1,
    }),
  );
  [faults, asked, broken] = [[], [], new Set()];
  const metadata = { ...stores.metadata, subjects: watched(stores.metadata.subjects) };
  deps = {
    metadata,
    flagSnapshots: new FlagSnapshots(stores.metadata),
    recentDecisions: new RecentDecisions(),
    continuity: new Continuity(metadata),
    writes: { settled: () => undefined },
    clock: { now: () => 0 },
    onReadError: (error) => faults.push(error),
  };
});
afterEach(async () => {
  await stores.metadata.close();
  dir.remove();
});

/** The real store, which records its calls and fails those in `broken`. */
function watched(subjects: SubjectStore): SubjectStore {
  const entries = Object.entries(subjects).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      asked.push(name);
      if (broken.has(name)) throw new Error(`${name} is broken`);
      return (method as (...args: unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return Object.fromEntries(entries) as SubjectStore;
}

const addFlag = (key: string, filters: JsonObject, more: Partial<FeatureFlag> = {}) =>
  stores.metadata.flags.create(aFlag(1, { key, filters, ...more }));

async function valuesFor(distinctId: string, more: Partial<DecideRequest> = {}) {
  const { evaluations, hasErrors } = await decide(deps, 1, requestFor(distinctId, more));
  const values = evaluations.map(({ key, value, reason }) => [key, reason === 'failed' ? 'failed' : value]);
  return { ...Object.fromEntries(values), hasErrors };
}

const ofCompany = (...properties: JsonObject[]): JsonObject => ({
  aggregation_group_type_index: 0,
  groups: [{ properties: properties.map((one) => ({ ...one, type: 'group', group_type_index: 0 })) }],
});

describe('what is read', () => {
  it('is nothing if no flag needs the person', async () => {
    await addFlag('half', everybody(50));
    await addFlag('me', those('distinct_id', ADA));
    expect(await valuesFor(ADA)).toMatchObject({ me: true, hasErrors: false });
    expect(asked).toEqual([]);
  });

  it('is nothing if the request has all properties that are needed', async () => {
    await addFlag('mine', those('of', uuidOf(1)));
    expect(await valuesFor(ADA, { personProperties: { of: uuidOf(1) } })).toMatchObject({ mine: true });
    expect(asked).toEqual([]);
  });

  it('is the person if a flag needs a property', async () => {
    await addFlag('mine', those('of', uuidOf(1)));
    expect(await valuesFor(ADA)).toMatchObject({ mine: true });
    expect(await valuesFor(BOB)).toMatchObject({ mine: false });
    expect(await valuesFor('nobody')).toMatchObject({ mine: false, hasErrors: false });
    expect(asked).toEqual(['getPerson', 'getPerson', 'getPerson']);
  });

  it('is overridden by the request, key by key', async () => {
    await addFlag('mine', those('of', uuidOf(1)));
    await addFlag('new', those('new', 'yes'));
    expect(await valuesFor(ADA, { personProperties: { new: 'yes' } })).toMatchObject({ mine: true, new: true });
    expect(await valuesFor(ADA, { personProperties: { of: null } })).toMatchObject({ mine: false });
  });

  it('is the group if the request has one of a type that a flag uses', async () => {
    await addFlag('large', ofCompany({ key: 'size', value: 5, operator: 'gt' }));
    const acme = { groups: new Map([['company', 'acme']]) };
    expect(await valuesFor(ADA, acme)).toMatchObject({ large: true });
    expect(await valuesFor(ADA, { ...acme, groupProperties: new Map([['company', { size: 1 }]]) })).toMatchObject({
      large: false,
    });
    expect(await valuesFor(ADA, { groups: new Map([['unheard of', 'acme']]) })).toMatchObject({ large: false });
    expect(asked).toEqual(['listGroups', 'listGroups']);
  });

  it('is the membership in a static cohort', async () => {
    const { id } = await stores.metadata.cohorts.create(aCohort(1, { isStatic: true }));
    await addFlag('chosen', those('id', id, { type: 'cohort' }));
    const ada = await stores.metadata.subjects.getPerson(1, ADA);
    await stores.metadata.cohortMembers.add(1, id, [ada?.id ?? 0]);
    expect(await valuesFor(ADA)).toMatchObject({ chosen: true });
    expect(await valuesFor(BOB)).toMatchObject({ chosen: false });
    expect(await valuesFor('nobody')).toMatchObject({ chosen: false, hasErrors: false });
  });
});

describe('a decision', () => {
  let now: number;
  beforeEach(() => {
    now = Date.UTC(2026, 0, 15);
    // Persons are read without waiting where they are cached, as in a server.
    deps = { ...deps, metadata: stores.metadata, clock: { now: () => now } };
  });
  const decided = async (more: Partial<DecideRequest> = {}) => decide(deps, 1, requestFor(ADA, more));
  const isReused = async (more: Partial<DecideRequest> = {}): Promise<boolean> => {
    const first = await decided(more);
    return (await decided(more)) === first;
  };

  it('is given again for the same person and definitions', async () => {
    await addFlag('mine', those('of', uuidOf(1)));
    await addFlag('half', everybody(50));
    await decided();
    expect(await isReused()).toBe(true);
    expect((await decided()).evaluations.find(({ key }) => key === 'mine')?.value).toBe(true);
  });

  it('is made anew when the person has changed', async () => {
    await addFlag('mine', those('of', uuidOf(1)));
    const before = await decided();
    const person = await stores.metadata.persons.getByDistinctId(1, ADA);
    if (person === null) throw new Error('There is no such person.');
    const changed = { ...person, properties: { of: 'somebody else' }, version: person.version + 1 };
    await stores.metadata.persons.update({ person: changed, history: [], properties: [] });
    expect(before.evaluations.map(({ value }) => value)).toEqual([true]);
    expect((await decided()).evaluations.map(({ value }) => value)).toEqual([false]);
  });

  it('is made anew when a flag has changed', async () => {
    await addFlag('old', everybody());
    expect((await decided()).evaluations).toHaveLength(1);
    await addFlag('new', everybody());
    (deps.flagSnapshots as FlagSnapshots).invalidate(1);
    expect((await decided()).evaluations).toHaveLength(2);
  });

  it('is made anew for another device, for properties in the request, and for chosen flags', async () => {
    await addFlag('device', everybody(50), { bucketingIdentifier: 'device_id' });
    const values = new Set<unknown>();
    for (let device = 0; device < 20; device++) {
      values.add((await decided({ deviceId: `device ${device}` })).evaluations[0]?.value);
    }
    expect(values).toEqual(new Set([true, false]));
    expect(await isReused({ deviceId: 'mine' })).toBe(true);
    expect(await isReused({ personProperties: { plan: 'pro' } })).toBe(false);
    expect(await isReused({ flagKeys: new Set(['device']) })).toBe(false);
  });

  it('is made anew when a condition has a date relative to now', async () => {
    await addFlag('recent', those('distinct_id', '-7d', { operator: 'is_date_after' }));
    const request = requestFor('2026-01-14');
    expect((await decide(deps, 1, request)).evaluations[0]?.value).toBe(true);
    now += 30 * 86_400_000;
    expect((await decide(deps, 1, request)).evaluations[0]?.value).toBe(false);
  });
});

describe('a store that fails', () => {
  beforeEach(async () => {
    await addFlag('everybody', everybody());
    await addFlag('mine', those('of', uuidOf(1)));
    await addFlag('large', ofCompany({ key: 'size', value: 5, operator: 'gt' }));
    await addFlag('kept', everybody(), { ensureExperienceContinuity: true });
  });
  const acme = { groups: new Map([['company', 'acme']]) };

  it('fails only the flags that need its data', async () => {
    broken.add('getPerson');
    expect(await valuesFor(ADA, acme)).toEqual({
      everybody: true,
      mine: 'failed',
      large: true,
      kept: 'failed',
      hasErrors: true,
    });
    expect(faults).toEqual([new Error('getPerson is broken')]);
  });

  it('does not affect a flag whose properties are in the request', async () => {
    broken.add('getPerson');
    expect(await valuesFor(ADA, { personProperties: { of: uuidOf(1) } })).toMatchObject({ mine: true, kept: 'failed' });
  });

  it('fails flags for groups when groups cannot be read', async () => {
    broken.add('listGroups');
    expect(await valuesFor(ADA, acme)).toEqual({
      everybody: true,
      mine: true,
      large: 'failed',
      kept: true,
      hasErrors: true,
    });
  });

  it('fails flags with continuity when overrides cannot be read or written', async () => {
    broken.add('listOverrides');
    expect(await valuesFor(ADA)).toMatchObject({ everybody: true, mine: true, kept: 'failed', hasErrors: true });
    broken.clear();
    const refusing = { ...stores.metadata, transaction: () => Promise.reject(new Error('disk full')) };
    deps.continuity = new Continuity(refusing);
    expect(await valuesFor(ADA, { anonDistinctId: 'anon' })).toMatchObject({ mine: true, kept: 'failed' });
  });

  it('is an error when the flags cannot be read', async () => {
    const refusing = { ...stores.metadata.flags, listByProject: () => Promise.reject(new Error('disk')) };
    deps.flagSnapshots = new FlagSnapshots({ ...stores.metadata, flags: refusing });
    await expect(valuesFor(ADA)).rejects.toMatchObject({ kind: 'unavailable', retryAfter: 2 });
  });
});

describe('flags with experience continuity', () => {
  const kept = { ensureExperienceContinuity: true };
  const rows = async (...ids: string[]) => {
    const persons = await stores.metadata.subjects.getPersons(1, ids);
    const overrides = await stores.metadata.subjects.listOverrides([...persons.values()].map(({ id }) => id));
    return overrides.map(({ flagKey, identifier }) => `${flagKey}: ${identifier}`);
  };
  beforeEach(async () => {
    await addFlag('kept', everybody(50), kept);
    await addFlag('free', everybody(50));
  });

  it('are stored at the first login, and not again', async () => {
    await valuesFor(ADA, { anonDistinctId: 'anon' });
    expect(await rows(ADA)).toEqual(['kept: anon']);
    asked = [];
    await valuesFor(ADA, { anonDistinctId: 'other' });
    await valuesFor(ADA);
    expect(await rows(ADA)).toEqual(['kept: anon']);
    expect(asked).not.toContain('addOverrides');
  });

  it('are stored for both persons, unless one of them has an override already', async () => {
    await valuesFor(ADA, { anonDistinctId: BOB });
    expect(await rows(ADA, BOB)).toEqual([`kept: ${BOB}`, `kept: ${BOB}`]);
    await addFlag('later', everybody(50), kept);
    (deps.flagSnapshots as FlagSnapshots).invalidate(1);
    await valuesFor(ADA, { anonDistinctId: 'anon' });
    expect(await rows(ADA)).toEqual([`kept: ${BOB}`, 'later: anon']);
    await valuesFor(BOB, { anonDistinctId: ADA });
    expect(await rows(BOB)).toEqual([`kept: ${BOB}`]);
  });

  it('are not stored without a person, but used for that request', async () => {
    const before = await valuesFor('anon');
    const login = await valuesFor('new', { anonDistinctId: 'anon' });
    expect(login['kept']).toBe(before['kept']);
    expect(await rows('new', 'anon')).toEqual([]);
  });

  it('store nothing for flags that are off, for groups, or without the option', async () => {
    await addFlag('asleep', everybody(50), { ...kept, active: false });
    await addFlag('company', ofCompany(), kept);
    await valuesFor(ADA, { anonDistinctId: 'anon' });
    expect(await rows(ADA)).toEqual(['kept: anon']);
  });

  it('agree when two logins come at the same time', async () => {
    const logins = ['one', 'two', 'three'].map((anonDistinctId) => valuesFor(ADA, { anonDistinctId }));
    const values = await Promise.all(logins);
    expect(await rows(ADA)).toHaveLength(1);
    expect(new Set(values.map(({ kept: value }) => value)).size).toBe(1);
  });
});
