/**
 * What is kept of an experiment is brought up to date to exactly what measuring everybody gives: in random worlds that
 * change step by step, with events in any order, merges, splits, deletions, changed persons, and time that passes.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_FILTER } from '../../src/core/filters/property-filter.ts';
import { KeptMeasurements } from '../../src/features/experiments/measure/kept-measurements.ts';
import {
  type ExperimentMeasurement,
  groupMetrics,
  measureExperiment,
} from '../../src/features/experiments/measure/measure-experiment.ts';
import type { ExperimentQuestion, MetricQuestion } from '../../src/features/experiments/rules/experiment-question.ts';
import type { EventChanges } from '../../src/stores/events/event-changes.ts';
import type { WorldEvent } from '../oracle/world.ts';
import { type EventFile, openWorldFile, type WorldFile } from '../support/changing-world.ts';
import { shownData } from '../support/experiment-answers.ts';
import { anExperimentWorld, type ExperimentWorld } from '../support/experiment-worlds.ts';

const HOUR = 3_600_000;

/** One step: what changes, by the number of the person, event or day. */
type Change =
  | { kind: 'events'; count: number }
  | { kind: 'merge'; from: number; to: number }
  | { kind: 'split'; id: number; to: number }
  | { kind: 'remove'; person: number }
  | { kind: 'forget'; days: number }
  | { kind: 'rename'; person: number; email: string }
  | { kind: 'mirror' }
  | { kind: 'time'; hours: number }
  | { kind: 'plan'; from: number }
  | { kind: 'rewrite' };

const aPerson = fc.nat(3);
const aChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('events' as const), count: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('merge' as const), from: aPerson, to: aPerson }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('time' as const), hours: fc.constantFrom(1, 13, 50, -5) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'mirror' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      person: aPerson,
      email: fc.constantFrom('p1@example.com', 'x@example.com'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split' as const), id: fc.nat(4), to: aPerson }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), person: aPerson }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), days: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('plan' as const), from: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'rewrite' as const }) },
);

/** The question as it is asked at some time. */
function questionAt({ exposure, metrics, split }: ExperimentWorld, until: number, first: number): ExperimentQuestion {
  const from = Math.min(exposure.range.from, until);
  const matured = (metric: MetricQuestion): MetricQuestion =>
    metric.exposedBefore === null ? metric : { ...metric, exposedBefore: until - (metric.windowMs ?? 0) };
  return { exposure: { ...exposure, range: { from, until } }, metrics: metrics.slice(first).map(matured), split };
}

/** Averages and bounds are added up in another order, and everything else is whole numbers. */
const comparable = ({ exposures, metrics }: ExperimentMeasurement, question: ExperimentQuestion): unknown => ({
  exposures,
  metrics: metrics.map((data, at) => (hasFractions(question.metrics[at]) ? shownData(data) : data)),
});
const hasFractions = (metric: MetricQuestion | undefined): boolean =>
  metric?.kind === 'mean' && (metric.measured.measure.kind === 'avg' || Boolean(metric.winsor));

/** Of one experiment, with the events of several worlds, in which most people met a variant. */
const aBusyWorld: fc.Arbitrary<ExperimentWorld> = fc
  .tuple(anExperimentWorld, fc.array(anExperimentWorld, { minLength: 8, maxLength: 8 }))
  .map(([given, others]) => {
    const events = [...given.data.events, ...others.flatMap((other, at) => movedTo(given, other, at))];
    const { range, event } = given.exposure;
    // Groups are always measured all.
    const exposure = {
      ...given.exposure,
      actor: { kind: 'person' as const },
      range: { from: range.from - 96 * HOUR, until: range.until },
    };
    const name = event === null ? '$feature_flag_called' : 'visit';
    const exposed = events.map((one, at) => (at % 3 === 0 ? exposureOf(one, name, at % 15 !== 0) : one));
    return { ...given, exposure, data: { ...given.data, events: exposed } };
  });

/** To the variant that the person usually meets, or to the other one. */
function exposureOf(event: WorldEvent, name: string, isUsual: boolean): WorldEvent {
  const variant = (event.personId?.endsWith('1') ?? true) === isUsual ? 'control' : 'test';
  const properties = { $feature_flag: 'checkout', $feature_flag_response: variant, '$feature/checkout': variant };
  return { ...event, event: name, properties: { ...event.properties, ...properties } };
}

/** Events as they would have been at the time of another world, with ids of their own. */
const movedTo = ({ exposure }: ExperimentWorld, other: ExperimentWorld, at: number): WorldEvent[] =>
  other.data.events.map((event) => ({
    ...event,
    uuid: `${at + 1}${event.uuid.slice(1)}`,
    timestamp: event.timestamp + exposure.range.from - other.exposure.range.from,
  }));

const isLarge = ({ data }: ExperimentWorld): boolean => data.events.length > 20;

/** Of a file, some of it in another way. */
const changesOf = ({ events }: EventFile, other: Partial<EventChanges>): EventChanges => ({
  mark: () => events.mark(),
  queryAdded: (...args) => events.queryAdded(...args),
  havePersonsChanged: (...args) => events.havePersonsChanged(...args),
  queryTogether: (...args) => events.queryTogether(...args),
  queryParts: (...args) => events.queryParts(...args),
  sliceRows: (...args) => events.sliceRows(...args),
  ...other,
});

describe('what is kept of an experiment', () => {
  let file: EventFile;
  beforeAll(async () => {
    file = await openWorldFile();
  });
  afterAll(() => file.close());

  async function apply(world: WorldFile, change: Change): Promise<void> {
    switch (change.kind) {
      case 'events':
        return world.addEvents(change.count);
      case 'merge':
        return world.merge(change.from, change.to);
      case 'split':
        return world.split(change.id, change.to);
      case 'remove':
        return world.remove(change.person);
      case 'forget':
        return world.deleteFirstDays(change.days);
      case 'rename':
        return world.rename(change.person, change.email);
      case 'mirror':
        return world.mirror();
      case 'rewrite':
        return file.events.purge();
      default:
    }
  }

  it('is brought up to date by measuring only those of whom something is new', async () => {
    const given = fc.sample(aBusyWorld, { numRuns: 50, seed: 5 }).find(isLarge);
    if (given === undefined) throw new Error('no such world');
    const world = await file.put(given.data, []);
    await world.mirror();
    const kept = new KeptMeasurements();
    let all = 0;
    const changes = changesOf(file, {
      mark() {
        all++;
        return file.events.mark();
      },
    });
    let [until, first] = [given.exposure.range.until, 0];
    const measuresAll = async (): Promise<boolean> => {
      const before = all;
      await kept.measure({ ...file.deps, changes }, world.projectId, questionAt(given, until, first));
      return all > before;
    };
    await world.addEvents(10);
    expect(await measuresAll()).toBe(true);
    expect(await measuresAll()).toBe(false);
    await world.addEvents(10);
    await world.merge(0, 1);
    expect(await measuresAll()).toBe(false);
    until += HOUR;
    expect(await measuresAll()).toBe(false);
    until -= 2 * HOUR;
    expect(await measuresAll()).toBe(true);
    await world.remove(2);
    expect(await measuresAll()).toBe(true);
    first = 1;
    expect(await measuresAll()).toBe(true);
    first = 0;
    expect(await measuresAll()).toBe(false);
  });

  it('is as it was after a failure, and is read again if persons are merged meanwhile', async () => {
    const given = fc.sample(aBusyWorld, { numRuns: 50, seed: 5 }).find(isLarge);
    if (given === undefined) throw new Error('no such world');
    const world = await file.put(given.data, []);
    await world.mirror();
    const kept = new KeptMeasurements();
    let [reads, all, during] = [0, 0, async (): Promise<void> => undefined];
    const changes = changesOf(file, {
      mark() {
        all++;
        return file.events.mark();
      },
      async queryParts(...args) {
        reads++;
        const once = during;
        during = async () => undefined;
        await once();
        return file.events.queryParts(...args);
      },
    });
    const question = questionAt(given, given.exposure.range.until, 0);
    const { exposure, metrics, split } = question;
    const measure = () => kept.measure({ ...file.deps, changes }, world.projectId, question);
    const expected = async () =>
      comparable(await measureExperiment(file.deps, world.projectId, exposure, metrics, split), question);
    await world.addEvents(10);
    await measure();
    await world.addEvents(10);
    [reads, all] = [0, 0];
    during = async () => {
      throw new Error('The disk is full.');
    };
    await expect(measure()).rejects.toThrow('The disk is full.');
    during = () => world.merge(0, 1);
    expect(comparable(await measure(), question)).toEqual(await expected());
    // Once in vain, and twice for each group of metrics.
    expect({ reads, all }).toEqual({ reads: 1 + 2 * groupMetrics(question).length, all: 0 });
  });

  it('counts events that were stored before their time once it has come', async () => {
    const given = fc.sample(anExperimentWorld, { numRuns: 1, seed: 5 })[0];
    if (given === undefined) throw new Error('no such world');
    const start = Date.parse('2024-06-12T00:00:00Z');
    const [, ada, bob] = given.data.persons.map(({ uuid }) => uuid);
    const call = { $feature_flag: 'checkout', $feature_flag_response: 'control' };
    const events = [
      { event: '$feature_flag_called', personId: ada ?? null, hours: 0, properties: call },
      { event: 'visit', personId: ada ?? null, hours: 1, properties: {} },
      { event: 'visit', personId: ada ?? null, hours: 10, properties: {} },
      { event: '$feature_flag_called', personId: bob ?? null, hours: 8, properties: call },
    ].map(({ hours, ...event }, at) => ({
      ...event,
      uuid: `00000000-0000-4000-8000-00000000000${at}`,
      distinctId: 'd',
      timestamp: start + hours * HOUR,
      groups: [],
    }));
    const world = await file.put({ persons: given.data.persons, events }, []);
    await world.addEvents(events.length);
    const exposure = {
      ...{ flagKey: 'checkout', event: null, variants: ['control', 'test'], actor: { kind: 'person' as const } },
      ...{ severalVariants: 'exclude' as const, filter: NO_FILTER, timezone: 'UTC' },
    };
    const visit = { kind: 'event' as const, id: 'visit', name: 'visit', customName: null, filter: NO_FILTER };
    const measured = { entity: visit, measure: { kind: 'count' as const } };
    const metrics = [{ kind: 'mean' as const, measured, windowMs: null, exposedBefore: null, lookbackMs: null }];
    const kept = new KeptMeasurements();
    const measureUntil = async (hours: number) => {
      const question = { exposure: { ...exposure, range: { from: start, until: start + hours * HOUR } }, metrics };
      const deps = { ...file.deps, changes: file.events };
      const found = await kept.measure(deps, world.projectId, { ...question, split: null });
      return [found.exposures.byVariant, found.metrics[0]?.[0]?.data.sums];
    };
    const sums = (n: number, sum: number, sumSquares: number) => ({
      kind: 'mean',
      n,
      sum,
      sumSquares,
      past: undefined,
    });
    expect(await measureUntil(5)).toEqual([{ control: 1, test: 0 }, sums(1, 1, 1)]);
    expect(await measureUntil(9)).toEqual([{ control: 2, test: 0 }, sums(2, 1, 1)]);
    expect(await measureUntil(12)).toEqual([{ control: 2, test: 0 }, sums(2, 2, 4)]);
  });

  it('tells who met two variants under one distinct id from who met them under several', async () => {
    const given = fc.sample(anExperimentWorld, { numRuns: 1, seed: 5 })[0];
    if (given === undefined) throw new Error('no such world');
    const start = Date.parse('2024-06-12T00:00:00Z');
    const [, ada, bob] = given.data.persons.map(({ uuid }) => uuid);
    const call = (who: string | undefined, distinctId: string, variant: string, at: number): WorldEvent => ({
      event: '$feature_flag_called',
      personId: who ?? null,
      properties: { $feature_flag: 'checkout', $feature_flag_response: variant },
      uuid: `00000000-0000-4000-8000-00000000001${at}`,
      distinctId,
      timestamp: start + at * HOUR,
      groups: [],
    });
    const events = [
      call(ada, 'a1', 'control', 0),
      call(bob, 'b1', 'control', 1),
      call(bob, 'b2', 'control', 2),
      // From here on they are new.
      call(ada, 'a2', 'test', 4),
      call(bob, 'b1', 'test', 5),
      call(bob, 'b3', 'test', 6),
    ];
    const world = await file.put({ persons: given.data.persons, events }, []);
    const exposure = {
      ...{ flagKey: 'checkout', event: null, variants: ['control', 'test'], actor: { kind: 'person' as const } },
      ...{ severalVariants: 'exclude' as const, filter: NO_FILTER, timezone: 'UTC' },
      range: { from: start, until: start + 9 * HOUR },
    };
    const kept = new KeptMeasurements();
    const question = { exposure, metrics: [], split: null };
    const deps = { ...file.deps, changes: file.events };
    const measured = async (): Promise<unknown[]> => {
      const all = await measureExperiment(file.deps, world.projectId, exposure, []);
      const { exposures } = await kept.measure(deps, world.projectId, question);
      expect(exposures).toEqual(all.exposures);
      return [exposures.byVariant, exposures.multiple];
    };
    await world.addEvents(3);
    expect(await measured()).toEqual([
      { control: 2, test: 0 },
      { sameId: 0, mergedIds: 0 },
    ]);
    await world.addEvents(3);
    expect(await measured()).toEqual([
      { control: 0, test: 0 },
      { sameId: 1, mergedIds: 1 },
    ]);
    const anew = await new KeptMeasurements().measure(deps, world.projectId, question);
    expect(anew.exposures.multiple).toEqual({ sameId: 1, mergedIds: 1 });
  });

  it('is the same as if everybody were measured, after every change', async () => {
    await fc.assert(
      fc.asyncProperty(
        aBusyWorld,
        fc.array(aChange, { minLength: 6, maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
        async (given, changes, order) => {
          const world = await file.put(given.data, order);
          await world.addEvents(Math.floor(given.data.events.length / 2));
          const kept = new KeptMeasurements();
          const { from, until: end } = given.exposure.range;
          let [until, first] = [from + Math.floor((end - from) / 2), 0];
          const compare = async (): Promise<void> => {
            const question = questionAt(given, until, first);
            const { exposure, metrics, split } = question;
            const { projectId } = world;
            const all = await measureExperiment(file.deps, projectId, exposure, metrics, split);
            const renewed = await kept.measure({ ...file.deps, changes: file.events }, projectId, question);
            expect(comparable(renewed, question)).toEqual(comparable(all, question));
          };
          await compare();
          for (const change of changes) {
            await apply(world, change);
            if (change.kind === 'time') until += change.hours * HOUR;
            if (change.kind === 'plan') first = change.from;
            await compare();
          }
        },
      ),
      { numRuns: Number(process.env['EXPERIMENT_WORLDS'] ?? 8), seed: 113, endOnFailure: true },
    );
  }, 120_000);
});
