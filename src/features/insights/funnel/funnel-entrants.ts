/** The entrants of a funnel and their attempts: once for each value of the breakdown that they belong to. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CohortBreakdown } from '../../../core/actions/breakdown.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { FunnelQuestion, FunnelValue } from '../rules/question.ts';
import { ACTOR_BATCH_SIZE } from '../shared/actor-rows.ts';
import { checkBreakdown, FunnelCodes } from './funnel-codes.ts';
import { type ActorEvents, type FunnelEvents, funnelEvents } from './funnel-events.ts';
import { collectAttempts, FunnelMatcher, hasBit, type OnAttempt } from './funnel-matcher.ts';
import { funnelEntities } from './funnel-source-sql.ts';
import type { FunnelAttempt } from './rules/attempt-summary.ts';
import { type ValuePart, ValueSplitter } from './rules/split-by-value.ts';

export interface EntrantAttempts {
  actor: string;
  value: FunnelValue | null;
  attempts: readonly FunnelAttempt[];
}

/** An actor, as part of one value of the breakdown. */
interface Entrant {
  readonly value: FunnelValue | null;
  name(): string;
  /** Returns whether there was an attempt. */
  match(onAttempt: OnAttempt): boolean;
}

interface PreparedFunnel {
  query: EventQuery;
  codes: FunnelCodes;
}

/** Looks up what a funnel needs to read its events. */
export async function prepareFunnel(
  deps: ScanDeps,
  projectId: number,
  question: FunnelQuestion,
  options: { hasNames: boolean },
): Promise<PreparedFunnel> {
  checkBreakdown(question);
  const { filter, breakdown, range, timezone } = question;
  const parts = {
    filters: [filter],
    entities: funnelEntities(question),
    breakdown,
    sessionRange: range,
    timezone,
    hasActors: true,
  };
  const query = await prepareEventQuery(deps, projectId, parts);
  const hasNames = options.hasNames || breakdown?.kind === 'cohort';
  return { query, codes: await FunnelCodes.find(query, question, { hasNames }) };
}

/** In batches; names are only known if they were prepared. */
export async function* funnelEntrants(
  deps: ScanDeps,
  question: FunnelQuestion,
  { query, codes }: PreparedFunnel,
): AsyncGenerator<Iterable<Entrant>> {
  const split = splitterOf(query, question, codes);
  const matcher = new FunnelMatcher(question);
  for await (const events of funnelEvents(deps, query, question, codes)) {
    for (let actor = 0; actor < events.actors; actor += ACTOR_BATCH_SIZE) {
      yield entrantsOf(events, actor, Math.min(actor + ACTOR_BATCH_SIZE, events.actors), split, matcher);
      await nextTurn();
      deps.signal?.throwIfAborted();
    }
  }
}

/** With names, and attempts that can be retained. */
export async function* entrantAttempts(
  deps: ScanDeps,
  projectId: number,
  question: FunnelQuestion,
): AsyncGenerator<EntrantAttempts> {
  if (question.steps.length === 0) return;
  const prepared = await prepareFunnel(deps, projectId, question, { hasNames: true });
  for await (const entrants of funnelEntrants(deps, question, prepared)) {
    for (const { value, name, match } of entrants) {
      const attempts: FunnelAttempt[] = [];
      if (match(collectAttempts(attempts))) yield { actor: name(), value, attempts };
    }
  }
}

/** Some of an actor's attempts. */
interface OwnAttempts extends Pick<ValuePart<number>, 'firstStep'> {
  /** The events that they consist of; null: all of the actor's. */
  positions: readonly number[] | null;
}
interface OwnPart extends OwnAttempts {
  value: FunnelValue | null;
}
type Split = (own: ActorEvents, name: () => string) => readonly OwnPart[];

function* entrantsOf(
  events: FunnelEvents,
  first: number,
  past: number,
  split: Split,
  matcher: FunnelMatcher,
): Generator<Entrant> {
  for (let actor = first; actor < past; actor++) {
    const own = events.of(actor);
    if (own.from === own.to) continue;
    const name = (): string => events.nameOf(actor);
    for (const [value, parts] of byValue(split(own, name))) {
      yield {
        value,
        name,
        match: (onAttempt) => {
          let hasAttempt = false;
          for (const part of parts) if (matchPart(own, part, matcher, onAttempt)) hasAttempt = true;
          return hasAttempt;
        },
      };
    }
  }
}

/** Several values may be shown as one: the others. */
function byValue(parts: readonly OwnPart[]): Iterable<[FunnelValue | null, readonly OwnAttempts[]]> {
  if (parts === UNSPLIT) return UNSPLIT_BY_VALUE;
  const joined = new Map<string, [FunnelValue | null, OwnAttempts[]]>();
  for (const { value, ...attempts } of parts) {
    const known = joined.get(JSON.stringify(value));
    if (known === undefined) joined.set(JSON.stringify(value), [value, [attempts]]);
    else known[1].push(attempts);
  }
  return joined.values();
}

function matchPart(
  own: ActorEvents,
  { positions, firstStep }: OwnAttempts,
  matcher: FunnelMatcher,
  onAttempt: OnAttempt,
): boolean {
  if (positions === null) return matcher.match(own, own.from, own.to, onAttempt, firstStep);
  const at = Float64Array.from(positions, (position) => own.at[position] as number);
  const bits = own.bits.map((word) => Int32Array.from(positions, (position) => word[position] as number));
  return matcher.match({ at, bits }, 0, positions.length, onAttempt, firstStep);
}

const ALL_ATTEMPTS: OwnAttempts = { positions: null, firstStep: null };
const UNSPLIT: readonly OwnPart[] = [{ value: null, ...ALL_ATTEMPTS }];
const UNSPLIT_BY_VALUE: readonly [FunnelValue | null, readonly OwnAttempts[]][] = [[null, [ALL_ATTEMPTS]]];

function splitterOf(query: EventQuery, question: FunnelQuestion, codes: FunnelCodes): Split {
  const { breakdown } = question;
  if (breakdown === null) return () => UNSPLIT;
  return breakdown.kind === 'cohort' ? cohortSplitter(query, breakdown) : valueSplitter(question, codes);
}

function cohortSplitter(query: EventQuery, { cohorts }: CohortBreakdown): Split {
  const members = new Map(cohorts.map(({ id }) => [id, new Set(id === 'all' ? [] : query.membersOf(id))]));
  return (_, nameOfActor) => {
    const name = nameOfActor();
    const own = cohorts.filter(({ id }) => id === 'all' || members.get(id)?.has(name) === true);
    return own.map(({ id }) => ({ value: id, ...ALL_ATTEMPTS }));
  };
}

function valueSplitter(question: FunnelQuestion, codes: FunnelCodes): Split {
  const { steps, attribution } = question;
  return (own) => {
    const isStep = (position: number): boolean => steps.some((_, step) => hasBit(own, position, step));
    const splitter = new ValueSplitter<number>(
      question,
      codes.none.length,
      {
        valuesOn: (position) => codes.valueAt(own.values[position] as number),
        isStep,
        isOfStep: (position, step) => hasBit(own, position, step),
      },
      codes.shown,
    );
    const all = Array.from({ length: own.to - own.from }, (_, index) => own.from + index);
    const isPartial = attribution.kind === 'all_events';
    return splitter
      .split(all)
      .map(({ events, ...part }: ValuePart<number>) => ({ ...part, positions: isPartial ? events : null }));
  };
}
