/** Who entered a funnel, with their attempts: once for each value of the breakdown that they are part of. */

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
import { attributionStep, type ValuePart, ValueSplitter } from './rules/split-by-value.ts';

export interface Entrant {
  actor: string;
  value: FunnelValue | null;
  attempts: readonly FunnelAttempt[];
}

/** What one actor did, as part of one value of the breakdown. */
interface Journeyer {
  readonly value: FunnelValue | null;
  name(): string;
  /** Tells of every attempt, and says whether there was one. */
  walk(onAttempt: OnAttempt): boolean;
}

/** Some actors at a time. Their names are known only where they were asked for. */
export async function* funnelJourneyers(
  deps: ScanDeps,
  projectId: number,
  question: FunnelQuestion,
  asks: { hasNames: boolean },
): AsyncGenerator<Iterable<Journeyer>> {
  if (question.steps.length === 0) return;
  checkBreakdown(question);
  const { filter, breakdown, range } = question;
  const parts = {
    filters: [filter],
    entities: funnelEntities(question),
    breakdown,
    sessionRange: range,
    hasActors: true,
  };
  const query = await prepareEventQuery(deps, projectId, parts);
  const hasNames = asks.hasNames || breakdown?.kind === 'cohort';
  const codes = await FunnelCodes.find(query, question, { hasNames });
  const divide = dividerOf(query, question, codes);
  const walk = new FunnelMatcher(question);
  for await (const events of funnelEvents(deps, query, question, codes)) {
    for (let actor = 0; actor < events.actors; actor += ACTOR_BATCH_SIZE) {
      yield journeyersOf(events, actor, Math.min(actor + ACTOR_BATCH_SIZE, events.actors), divide, walk);
      await nextTurn();
      deps.signal?.throwIfAborted();
    }
  }
}

/** The same with their names, and attempts that can be kept. */
export async function* funnelEntrants(
  deps: ScanDeps,
  projectId: number,
  question: FunnelQuestion,
): AsyncGenerator<Entrant> {
  for await (const journeyers of funnelJourneyers(deps, projectId, question, { hasNames: true })) {
    for (const { value, name, walk } of journeyers) {
      const attempts: FunnelAttempt[] = [];
      if (walk(collectAttempts(attempts))) yield { actor: name(), value, attempts };
    }
  }
}

/** Places of one actor's events; null: all of them. */
type Places = readonly number[] | null;
interface OwnPart {
  value: FunnelValue | null;
  places: Places;
}
type Divide = (own: ActorEvents, name: () => string) => readonly OwnPart[];

function* journeyersOf(
  events: FunnelEvents,
  first: number,
  past: number,
  divide: Divide,
  walk: FunnelMatcher,
): Generator<Journeyer> {
  for (let actor = first; actor < past; actor++) {
    const own = events.of(actor);
    if (own.from === own.to) continue;
    const name = (): string => events.nameOf(actor);
    for (const [value, parts] of byValue(divide(own, name))) {
      yield {
        value,
        name,
        walk: (onAttempt) => {
          let hasTried = false;
          for (const places of parts) if (walkPart(own, places, walk, onAttempt)) hasTried = true;
          return hasTried;
        },
      };
    }
  }
}

/** Several small values may have become one. */
function byValue(parts: readonly OwnPart[]): Iterable<[FunnelValue | null, Places[]]> {
  if (parts === WHOLE) return ALONE;
  if (parts.length === 1) return parts.map(({ value, places }) => [value, [places]]);
  const joined = new Map<string, [FunnelValue | null, Places[]]>();
  for (const { value, places } of parts) {
    const known = joined.get(JSON.stringify(value));
    if (known === undefined) joined.set(JSON.stringify(value), [value, [places]]);
    else known[1].push(places);
  }
  return joined.values();
}

function walkPart(own: ActorEvents, places: Places, walk: FunnelMatcher, onAttempt: OnAttempt): boolean {
  if (places === null) return walk.match(own, own.from, own.to, onAttempt);
  const at = Float64Array.from(places, (place) => own.at[place] as number);
  const bits = own.bits.map((word) => Int32Array.from(places, (place) => word[place] as number));
  return walk.match({ at, bits }, 0, places.length, onAttempt);
}

const WHOLE: readonly OwnPart[] = [{ value: null, places: null }];
const ALONE: readonly [FunnelValue | null, Places[]][] = [[null, [null]]];

function dividerOf(query: EventQuery, question: FunnelQuestion, codes: FunnelCodes): Divide {
  const { breakdown } = question;
  if (breakdown === null) return () => WHOLE;
  return breakdown.kind === 'cohort' ? cohortDivider(query, breakdown) : valueDivider(question, codes);
}

function cohortDivider(query: EventQuery, { cohorts }: CohortBreakdown): Divide {
  const members = new Map(cohorts.map(({ id }) => [id, new Set(id === 'all' ? [] : query.membersOf(id))]));
  return (_, nameOfActor) => {
    const name = nameOfActor();
    const own = cohorts.filter(({ id }) => id === 'all' || members.get(id)?.has(name) === true);
    return own.map(({ id }) => ({ value: id, places: null }));
  };
}

function valueDivider(question: FunnelQuestion, codes: FunnelCodes): Divide {
  const { steps, attribution } = question;
  const telling = attributionStep(question);
  return (own) => {
    const isStep = (place: number): boolean => steps.some((_, step) => hasBit(own, place, step));
    const divider = new ValueSplitter<number>(
      question,
      codes.none.length,
      {
        valuesOn: (place) => codes.valueAt(own.values[place] as number),
        isStep,
        isAttributed: (place) => (telling === null ? isStep(place) : hasBit(own, place, telling)),
      },
      codes.kept,
    );
    const all = Array.from({ length: own.to - own.from }, (_, index) => own.from + index);
    const isPartial = attribution.kind === 'all_events';
    return divider
      .split(all)
      .map(({ value, events: places }: ValuePart<number>) => ({ value, places: isPartial ? places : null }));
  };
}
