/** The engine against the oracle: random worlds in real stores, every kind of question about journeys. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as correlations from '../../../test/oracle/correlation.ts';
import * as oracle from '../../../test/oracle/funnel.ts';
import * as ways from '../../../test/oracle/paths.ts';
import type { WorldData } from '../../../test/oracle/world.ts';
import { aWorld } from '../../../test/support/insight-worlds.ts';
import { openWorldStore, type StoredWorld, type WorldStore } from '../../../test/support/world-store.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { HOUR_MS } from '../../core/time/units.ts';
import type { ScanDeps } from '../../query/query-deps.ts';
import { answerCorrelation, findCorrelationPeople } from './correlation/answer-correlation.ts';
import { correlationLink } from './correlation/present-correlation.ts';
import { readCorrelationPeopleQuestion, readCorrelationQuestion } from './correlation/rules/read-correlation.ts';
import { answerFunnel, findFunnelPeople } from './funnel/answer-funnel.ts';
import { readFunnelQuestion } from './funnel/rules/read-funnel.ts';
import { readFunnelPeopleQuestion } from './funnel/rules/read-funnel-people.ts';
import { answerPaths, findPathsPeople } from './paths/answer-paths.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from './paths/rules/read-paths.ts';
import type { QuestionContext } from './rules/question.ts';

interface Asked extends StoredWorld {
  deps: ScanDeps;
  context: QuestionContext;
}

const SIX_HOURS = 6 * HOUR_MS;

/** The same events at few points in time. */
const crowded = (data: WorldData): WorldData => ({
  ...data,
  events: data.events.map((event) => ({ ...event, timestamp: event.timestamp - (event.timestamp % SIX_HOURS) })),
});

describe('the engine agrees with the oracle', () => {
  let stores: WorldStore;
  beforeAll(async () => {
    stores = await openWorldStore();
  });
  afterAll(() => stores.close());

  const always = async <T>(
    choice: fc.Arbitrary<T>,
    check: (asked: Asked, choice: T) => Promise<void>,
    numRuns = 8,
    arrange = (data: WorldData): WorldData => data,
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(aWorld, choice, async ({ data, timezone, now }, chosen) => {
        const stored = await stores.store(arrange(data));
        const context = { now, timezone };
        await check({ ...stored, context, deps: { ...stores.deps, clock: { now: () => now } } }, chosen);
      }),
      { numRuns },
    );

  const NAMES = ['visit', 'sign up', 'pay', '$pageview'];
  const filters = fc.constantFrom<JsonObject>(
    {},
    {},
    { properties: [{ key: 'plan', value: ['pro', ''] }] },
    { properties: [{ key: 'plan', value: 'pro', type: 'person' }] },
    { properties: [{ key: 'plan', value: 'p.*', operator: 'regex' }] },
    { properties: [{ key: 'email', value: 'p1', operator: 'not_icontains', type: 'person' }] },
  );
  const step = fc
    .tuple(fc.constantFrom(...NAMES, null), filters)
    .map(([id, filter]): JsonObject => ({ id, ...filter }));
  const breakdown = fc.constantFrom<JsonObject>(
    {},
    {},
    { breakdown: 'plan' },
    { breakdown: ['plan', 'amount'], breakdown_limit: 3 },
    { breakdown: 'plan', breakdown_type: 'person' },
    { breakdown: 'amount', breakdown_limit: 2 },
    { breakdown: ['size', 'plan', 'size'], breakdown_type: 'group', breakdown_group_type_index: 0 },
    { breakdown: '$session_duration', breakdown_type: 'session' },
    { breakdown: '$current_url', breakdown_normalize_url: true },
  );
  const attribution = fc.constantFrom<JsonObject>(
    {},
    { breakdown_attribution_type: 'last_touch' },
    { breakdown_attribution_type: 'all_events' },
    { breakdown_attribution_type: 'step', breakdown_attribution_value: 0 },
    { breakdown_attribution_type: 'step', breakdown_attribution_value: 1 },
  );
  const window = fc.constantFrom<JsonObject>(
    {},
    { funnel_window_days: 1 },
    { funnel_window_interval: 90, funnel_window_interval_unit: 'minute' },
    { funnel_window_interval: 30, funnel_window_interval_unit: 'hour' },
    { funnel_window_interval: 1, funnel_window_interval_unit: 'week' },
    { funnel_window_interval: 1, funnel_window_interval_unit: 'month' },
  );
  const funnel = fc
    .record({
      events: fc.array(step, { minLength: 2, maxLength: 4 }),
      order: fc.constantFrom('ordered', 'strict', 'unordered'),
      parts: fc.tuple(breakdown, attribution, window, filters),
      actor: fc.constantFrom<JsonObject>({}, {}, {}, { aggregation_group_type_index: 0 }),
      excludes: fc.boolean(),
      range: fc.constantFrom<JsonObject>(
        { date_from: '-30d' },
        { date_from: '-4d' },
        { date_from: '-36h', interval: 'hour' },
      ),
    })
    .map(({ events, order, parts, actor, excludes, range }): JsonObject => {
      const exclusion = { id: 'excluded', properties: [], funnel_from_step: 0, funnel_to_step: events.length - 1 };
      // Nothing that is a step can be excluded: a name of its own, or one that no step has.
      const free = NAMES.find((name) => events.every(({ id }) => id !== null && id !== name));
      return {
        ...Object.assign({}, ...parts),
        ...actor,
        ...range,
        events: events.map((event, order) => ({ ...event, order })),
        funnel_order_type: order,
        ...(excludes && free !== undefined ? { exclusions: [{ ...exclusion, id: free }] } : {}),
      };
    });

  it('on the steps of funnels', () =>
    always(
      funnel,
      async ({ deps, projectId, world, context }, fields) => {
        const question = readFunnelQuestion(fields, context);
        expect(await answerFunnel(deps, projectId, question)).toEqual(oracle.answerFunnel(question, world));
      },
      40,
    ));

  /** Few steps that many take at the same instants, some of them nothing else: where events are distinguished by numbers. */
  const plain = fc
    .record({
      names: fc.array(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 4 }),
      order: fc.constantFrom('ordered', 'ordered', 'unordered', 'strict'),
      window,
      actor: fc.constantFrom<JsonObject>({}, {}, {}, { aggregation_group_type_index: 0 }),
    })
    .map(({ names, order, window: within, actor }): JsonObject => {
      const events = names.map((id, at) => ({ id, order: at }));
      return { ...within, ...actor, events, funnel_order_type: order, date_from: '-14d' };
    });

  it('on simple funnels of events at the same time', () =>
    always(
      plain,
      async ({ deps, projectId, world, context }, fields) => {
        for (const funnel_viz_type of ['steps', 'trends', 'time_to_convert']) {
          const question = readFunnelQuestion({ ...fields, funnel_viz_type }, context);
          expect(await answerFunnel(deps, projectId, question)).toEqual(oracle.answerFunnel(question, world));
        }
      },
      25,
      crowded,
    ));

  it('on funnels over time', () =>
    always(
      fc.tuple(funnel, fc.constantFrom('hour', 'day', 'week')),
      async ({ deps, projectId, world, context }, [fields, interval]) => {
        const shown = { ...fields, funnel_viz_type: 'trends', interval, date_from: '-10d' };
        const question = readFunnelQuestion(shown, context);
        expect(await answerFunnel(deps, projectId, question)).toEqual(oracle.answerFunnel(question, world));
      },
    ));

  it('on times to convert', () =>
    always(funnel, async ({ deps, projectId, world, context }, fields) => {
      const question = readFunnelQuestion({ ...fields, funnel_viz_type: 'time_to_convert' }, context);
      expect(await answerFunnel(deps, projectId, question)).toEqual(oracle.answerFunnel(question, world));
    }));

  it('on cohorts in funnels', () =>
    always(funnel, async ({ deps, projectId, world, context, cohort }, fields) => {
      const { aggregation_group_type_index: _, ...asked } = fields;
      const byCohort = { ...asked, breakdown: ['all', cohort, 999_999], breakdown_type: 'cohort' };
      const filtered = { ...asked, properties: [{ key: 'id', value: cohort, type: 'cohort' }] };
      for (const one of [byCohort, filtered]) {
        const question = readFunnelQuestion(one, context);
        expect(await answerFunnel(deps, projectId, question)).toEqual(oracle.answerFunnel(question, world));
      }
    }));

  it('on the persons behind the numbers of funnels', () =>
    always(
      fc.tuple(funnel, fc.constantFrom(1, 2, -2), fc.constantFrom(null, 'pro', 'Other')),
      async ({ deps, projectId, world, context }, [fields, funnel_step, value]) => {
        const asked = { ...fields, funnel_step, ...(value === null ? {} : { funnel_step_breakdown: value }) };
        const question = readFunnelPeopleQuestion(asked, context);
        expect(await findFunnelPeople(deps, projectId, question)).toEqual(oracle.funnelPeople(question, world));
      },
    ));

  const journey = fc
    .record({
      events: fc.constantFrom<JsonObject>(
        {},
        { include_event_types: ['$pageview'] },
        { include_event_types: ['custom_event'] },
        { include_custom_events: ['pay', 'visit'], include_event_types: ['$pageview'] },
      ),
      cleaning: fc.constantFrom<JsonObject>(
        {},
        { path_groupings: ['/p*'] },
        { local_path_cleaning_filters: [{ regex: '^/(pro|free)$', alias: '/$1' }] },
        { local_path_cleaning_filters: [{ regex: '(', alias: 'never' }] },
        { exclude_events: ['visit'] },
      ),
      cut: fc.constantFrom<JsonObject>(
        {},
        { step_limit: 3 },
        { start_point: 'visit' },
        { end_point: 'pay' },
        { start_point: '/pro/', end_point: 'pay', step_limit: 4 },
        { edge_limit: 3 },
        { min_edge_weight: 2 },
      ),
      through: fc.constantFrom('before', 'between', 'after', null),
      filter: filters,
    })
    .map(({ events, cleaning, cut, through, filter }): JsonObject => {
      const funnel_filter = { events: [{ id: 'visit' }, { id: 'sign up', order: 1 }], funnel_step: 2 };
      const kind = { before: 'before_step', between: 'between_steps', after: 'after_step' };
      const funnel = through === null ? {} : { funnel_paths: `funnel_path_${kind[through]}`, funnel_filter };
      return { ...events, ...cleaning, ...cut, ...filter, ...funnel, date_from: '-10d' };
    });

  it('on paths and their persons', () =>
    always(
      journey,
      async ({ deps, projectId, world, context }, fields) => {
        const question = readPathsQuestion(fields, context);
        const edges = await answerPaths(deps, projectId, question);
        expect(edges).toEqual(ways.answerPaths(question, world));
        const [edge] = edges;
        const keys = edge === undefined ? {} : { path_start_key: edge.source, path_end_key: edge.target };
        for (const asked of [{}, keys, { path_dropoff_key: edge?.target ?? '2_pay' }]) {
          const people = readPathsPeopleQuestion({ ...fields, ...asked }, context);
          expect(await findPathsPeople(deps, projectId, people)).toEqual(ways.pathsPeople(people, world));
        }
      },
      25,
    ));

  const comparison = fc.constantFrom<JsonObject>(
    {},
    { funnel_correlation_exclude_event_names: ['visit'] },
    { funnel_correlation_type: 'properties', funnel_correlation_names: ['$all'] },
    { funnel_correlation_type: 'properties', funnel_correlation_names: ['plan', 'nothing'] },
    { funnel_correlation_type: 'event_with_properties', funnel_correlation_event_names: ['pay', '$pageview'] },
  );

  it('on correlations and their persons', () =>
    always(
      fc.tuple(funnel, comparison),
      async ({ deps, projectId, world, context }, [given, compared]) => {
        const { aggregation_group_type_index: _, ...fields } = { ...given, ...compared };
        const question = readCorrelationQuestion(fields, context);
        const answer = await answerCorrelation(deps, projectId, question);
        expect(answer).toEqual(correlations.answerCorrelation(question, world));
        for (const one of answer.events.slice(0, 2)) {
          const people = readCorrelationPeopleQuestion(correlationLink(question, one, true), context);
          const found = await findCorrelationPeople(deps, projectId, people);
          expect(found).toEqual(correlations.correlationPeople(people, world));
          expect(found.length).toBe(one.success);
        }
      },
      25,
    ));
});
