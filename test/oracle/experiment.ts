/** Experiments, one entity and one event at a time. */
import type { Entity } from '../../src/core/actions/entity.ts';
import type {
  ExposureAnswer,
  ExposureQuestion,
  ExposureSplit,
  MeasuredEntity,
  MetricQuestion,
} from '../../src/features/experiments/rules/experiment-question.ts';
import { numberOf, textIn } from './property-values.ts';
import { startOf } from './time.ts';
import type { World, WorldEvent } from './world.ts';

interface Exposed {
  actor: string;
  variant: string;
  since: number;
  first: WorldEvent;
  events: readonly WorldEvent[];
}

/** The value of the first exposure, by its place; all others are one. */
function partOf({ first }: Exposed, split: ExposureSplit | null): number {
  if (split === null) return 0;
  const place = split.values.indexOf(textIn(first.properties, split.property));
  return place < 0 ? split.values.length : place;
}

const variantIn = ({ event, flagKey }: ExposureQuestion, { properties }: WorldEvent): string =>
  textIn(properties, event === null ? '$feature_flag_response' : `$feature/${flagKey}`);

function exposuresIn(question: ExposureQuestion, world: World): WorldEvent[] {
  const { event: entity, flagKey, range, filter, variants } = question;
  return world.events.filter((event) => {
    if (event.timestamp < range.from || event.timestamp >= range.until || !world.holds(event, filter)) return false;
    if (!variants.includes(variantIn(question, event))) return false;
    if (entity !== null) return world.isOf(event, entity);
    return event.event === '$feature_flag_called' && textIn(event.properties, '$feature_flag') === flagKey;
  });
}

const differentIn = (question: ExposureQuestion, events: readonly WorldEvent[]): number =>
  new Set(events.map((event) => variantIn(question, event))).size;

/** The exposures of each actor, in their order. */
function exposuresByActor(question: ExposureQuestion, world: World): Map<string, WorldEvent[]> {
  const found = new Map<string, WorldEvent[]>();
  for (const event of exposuresIn(question, world)) {
    const actor = world.actorOf(event, question.actor);
    if (actor !== null) found.set(actor, [...(found.get(actor) ?? []), event]);
  }
  return found;
}

function countedIn(question: ExposureQuestion, world: World): Exposed[] {
  return [...exposuresByActor(question, world)].flatMap(([actor, exposures]): Exposed[] => {
    const [first] = exposures;
    if (first === undefined) return [];
    if (question.severalVariants === 'exclude' && differentIn(question, exposures) > 1) return [];
    const since = activatedAt(question, first, world);
    if (since === null) return [];
    const events = ownEvents(question, actor, world);
    return [{ actor, variant: variantIn(question, first), since, first, events }];
  });
}

const ownEvents = ({ actor: kind, filter }: ExposureQuestion, actor: string | null, world: World): WorldEvent[] =>
  world.events.filter((event) => world.actorOf(event, kind) === actor && world.holds(event, filter));

/** From when on somebody counts who met a variant; null: never. */
function activatedAt(question: ExposureQuestion, first: WorldEvent, world: World): number | null {
  const { activation = null, range } = question;
  if (activation === null) return first.timestamp;
  const found = ownEvents(question, world.actorOf(first, question.actor), world).find(
    (event) => event.timestamp >= first.timestamp && event.timestamp < range.until && world.isOf(event, activation),
  );
  return found?.timestamp ?? null;
}

export function exposuresOf(question: ExposureQuestion, world: World, split: ExposureSplit | null): ExposureAnswer {
  const counted = countedIn(question, world);
  const countOf = (own: readonly Exposed[]): Record<string, number> =>
    Object.fromEntries(
      question.variants.map((variant) => [variant, own.filter((one) => one.variant === variant).length]),
    );
  const starts = question.phaseStarts ?? [];
  const days = new Map<string, ExposureAnswer['days'][number]>();
  for (const { variant, since } of counted) {
    const day = startOf(since, 'day', question.timezone);
    const known = days.get(`${day} ${variant}`) ?? { day, variant, count: 0 };
    days.set(`${day} ${variant}`, { ...known, count: known.count + 1 });
  }
  const several = [...exposuresByActor(question, world).values()].filter(
    (events) =>
      differentIn(question, events) > 1 && events[0] !== undefined && activatedAt(question, events[0], world) !== null,
  );
  const sameId = several.filter((events) =>
    events.some(({ distinctId }) => {
      const own = events.filter((event) => event.distinctId === distinctId);
      return differentIn(question, own) > 1;
    }),
  ).length;
  return {
    byVariant: countOf(counted),
    phases: starts.map((from, at) =>
      countOf(
        counted.filter(
          ({ since }) => (at === 0 || since >= from) && since < (starts[at + 1] ?? Number.POSITIVE_INFINITY),
        ),
      ),
    ),
    parts: Object.fromEntries(
      [...new Set(counted.map((one) => partOf(one, split)))].map((part) => [
        part,
        countOf(counted.filter((one) => partOf(one, split) === part)),
      ]),
    ),
    days: [...days.values()].sort((a, b) => a.day - b.day || (a.variant < b.variant ? -1 : 1)),
    multiple: { sameId, mergedIds: several.length - sameId },
    withoutGroup:
      question.actor.kind === 'person'
        ? 0
        : exposuresIn(question, world).filter((event) => world.actorOf(event, question.actor) === null).length,
  };
}

/** The values of everybody in a variant: for each entity its columns, such as the value and that of the past. */
export interface VariantValues {
  variant: string;
  part: number;
  rows: number[][];
  stepCounts: number[] | null;
  /** Events after the exposure without a number; null where none is read. */
  ignored: number | null;
}

export function valuesOf(
  exposure: ExposureQuestion,
  metric: MetricQuestion,
  world: World,
  split: ExposureSplit | null,
): VariantValues[] {
  const { exposedBefore } = metric;
  const counted = countedIn(exposure, world).filter(({ since }) => exposedBefore === null || since < exposedBefore);
  const places = new Map(
    counted
      .map((one) => ({ variant: one.variant, part: partOf(one, split) }))
      .sort((a, b) => a.part - b.part || (a.variant < b.variant ? -1 : 1))
      .map((place) => [JSON.stringify(place), place]),
  );
  const found = [...places.values()].map(({ variant, part }) => {
    const own = counted.filter((one) => one.variant === variant && partOf(one, split) === part);
    return {
      variant,
      part,
      ...valuesIn(exposure, metric, own, world),
      ignored: ignoredIn(exposure, metric, own, world),
    };
  });
  return metric.winsor ? winsorised(found, metric.winsor) : found;
}

function ignoredIn(
  exposure: ExposureQuestion,
  metric: MetricQuestion,
  own: readonly Exposed[],
  world: World,
): number | null {
  if (metric.kind !== 'mean' && metric.kind !== 'ratio') return null;
  const all = metric.kind === 'mean' ? [metric.measured] : [metric.numerator, metric.denominator];
  const read = all.flatMap(({ entity, measure }) => ('property' in measure ? [{ entity, ...measure }] : []));
  if (read.length === 0) return null;
  const isIgnored = (event: WorldEvent, property: string): boolean =>
    numberOf(textIn(event.properties, property)) === null;
  return read.reduce(
    (sum, { entity, property }) =>
      sum +
      own
        .flatMap((one) => after(exposure, metric, one))
        .filter((event) => world.isOf(event, entity) && isIgnored(event, property)).length,
    0,
  );
}

function valuesIn(exposure: ExposureQuestion, metric: MetricQuestion, own: readonly Exposed[], world: World) {
  if (metric.kind === 'retention')
    return { rows: own.map((one) => retained(exposure, metric, one, world)), stepCounts: null };
  if (metric.kind !== 'funnel') {
    const measured = metric.kind === 'mean' ? [metric.measured] : [metric.numerator, metric.denominator];
    const threshold = metric.kind === 'mean' ? (metric.threshold ?? null) : null;
    const reached = (value: number): number => (threshold === null ? value : value >= threshold ? 1 : 0);
    return {
      rows: own.map((one) => measured.flatMap((m) => columns(exposure, metric, m, one, world).map(reached))),
      stepCounts: null,
    };
  }
  const find = { ordered: depthOf, strict: strictDepth, unordered: unorderedDepth }[metric.order];
  const depths = own.map((one) => find(metric.steps, after(exposure, metric, one), world));
  const last = metric.steps.at(-1);
  return {
    rows: own.map((one, at) => [
      depths[at] === metric.steps.length ? 1 : 0,
      ...(metric.lookbackMs === null || last === undefined
        ? []
        : [earlier(metric, one).filter((event) => world.isOf(event, last)).length]),
    ]),
    stepCounts: metric.steps.map((_, step) => depths.filter((depth) => depth > step).length),
  };
}

/** Each column within bounds over all variants together. */
function winsorised(found: readonly VariantValues[], levels: NonNullable<MetricQuestion['winsor']>): VariantValues[] {
  const { lower, upper, ignoreZeros } = levels;
  const boundsOf = (column: number): [number, number] => {
    const all = found.flatMap(({ rows }) => rows.map((row) => row[column] ?? 0));
    const sorted = all.filter((value) => !ignoreZeros || value !== 0).sort((a, b) => a - b);
    const at = (level: number | null, fallback: number): number => {
      if (level === null || sorted.length === 0) return fallback;
      const rank = level * (sorted.length - 1);
      const [below = 0, above = below] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
      return below + (above - below) * (rank % 1);
    };
    return [at(lower, Number.NEGATIVE_INFINITY), at(upper, Number.POSITIVE_INFINITY)];
  };
  const bounds = [boundsOf(0), boundsOf(1)] as const;
  const moved = (value: number, column: number): number => {
    const [low, high] = bounds[column] ?? [value, value];
    return ignoreZeros && value === 0 ? 0 : Math.max(low, Math.min(high, value));
  };
  return found.map((one) => ({ ...one, rows: one.rows.map((row) => row.map(moved)) }));
}

/** Within the window, or to the end. */
const after = ({ range }: ExposureQuestion, { windowMs }: MetricQuestion, { events, since }: Exposed): WorldEvent[] =>
  events.filter(
    ({ timestamp }) => timestamp >= since && timestamp < (windowMs === null ? range.until : since + windowMs),
  );

/** Whether somebody came back, and whether they started at all. */
function retained(
  exposure: ExposureQuestion,
  metric: MetricQuestion & { kind: 'retention' },
  exposed: Exposed,
  world: World,
): number[] {
  const { unit, windowStart, windowEnd, startHandling } = metric;
  if (unit !== 'day') throw new Error('Worlds ask for days.');
  const starts = after(exposure, metric, exposed).filter((event) => world.isOf(event, metric.start));
  const start = startHandling === 'first_seen' ? starts[0] : starts.at(-1);
  if (start === undefined) return [0, 0];
  const dayOf = (time: number): number => startOf(time, 'day', exposure.timezone);
  const isBack = exposed.events.some((event) => {
    const days = Math.round((dayOf(event.timestamp) - dayOf(start.timestamp)) / 86_400_000);
    const isLater = event !== start && event.timestamp >= start.timestamp;
    return isLater && world.isOf(event, metric.completion) && days >= windowStart && days <= windowEnd;
  });
  return [isBack ? 1 : 0, 1];
}

const earlier = ({ lookbackMs }: MetricQuestion, { events, since }: Exposed): WorldEvent[] =>
  events.filter(({ timestamp }) => timestamp < since && timestamp >= since - (lookbackMs ?? 0));

const columns = (
  exposure: ExposureQuestion,
  metric: MetricQuestion,
  measured: MeasuredEntity,
  exposed: Exposed,
  world: World,
): number[] => [
  measuredValue(measured, after(exposure, metric, exposed), world),
  ...(metric.lookbackMs === null ? [] : [measuredValue(measured, earlier(metric, exposed), world)]),
];

function measuredValue({ entity, measure }: MeasuredEntity, events: readonly WorldEvent[], world: World): number {
  const own = events.filter((event) => world.isOf(event, entity));
  if (measure.kind === 'count') return own.length;
  if (measure.kind === 'unique') {
    const { of } = measure;
    const ids = own.map((event) =>
      of === 'session' ? textIn(event.properties, '$session_id') : world.actorOf(event, of),
    );
    return new Set(ids.filter((id) => id !== null && id !== '')).size;
  }
  const numbers = own.flatMap(({ properties }) => numberOf(textIn(properties, measure.property)) ?? []);
  if (numbers.length === 0) return 0;
  const sum = numbers.reduce((total, number) => total + number, 0);
  if (measure.kind === 'avg') return sum / numbers.length;
  return measure.kind === 'sum' ? sum : Math[measure.kind](...numbers);
}

/** How many of the steps were done in their order; one event may be two different steps, but not the same twice. */
function depthOf(steps: readonly Entity[], events: readonly WorldEvent[], world: World): number {
  let before: number | null = null;
  for (const [at, step] of steps.entries()) {
    const isSame: boolean = at > 0 && JSON.stringify(steps[at - 1]) === JSON.stringify(step);
    const from: number | null = before;
    const next = events.findIndex((event, index) => {
      if (!world.isOf(event, step)) return false;
      if (from === null) return true;
      return isSame ? index > from : event.timestamp >= (events[from]?.timestamp ?? 0);
    });
    if (next < 0) return at;
    before = next;
  }
  return steps.length;
}

/** The most steps directly one after the other, wherever the first one is. */
const strictDepth = (steps: readonly Entity[], events: readonly WorldEvent[], world: World): number =>
  Math.max(
    0,
    ...events.map((_, start) => {
      const missed = steps.findIndex((step, at) => {
        const event = events[start + at];
        return event === undefined || !world.isOf(event, step);
      });
      return missed < 0 ? steps.length : missed;
    }),
  );

/** Each step once; where a step is there several times, as often as it has events. */
function unorderedDepth(steps: readonly Entity[], events: readonly WorldEvent[], world: World): number {
  const used = new Map<string, number>();
  return steps.filter((step) => {
    const key = JSON.stringify(step);
    used.set(key, (used.get(key) ?? 0) + 1);
    return events.filter((event) => world.isOf(event, step)).length >= (used.get(key) ?? 0);
  }).length;
}
