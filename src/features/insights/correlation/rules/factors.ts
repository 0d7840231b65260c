import { propertyText } from '../../../../core/events/hot-properties.ts';
import type { Json } from '../../../../core/json/json.ts';
import type { Correlation, CorrelationAnswer } from '../../rules/answers.ts';
import type { CorrelationQuestion } from '../../rules/question.ts';

/** An event, a property of the person, or a property of an event. */
export type Factor = Correlation['factor'];
type Properties = Readonly<Record<string, Json>>;

/** Events of the funnel itself, which are not compared. */
export const stepNames = ({ funnel }: CorrelationQuestion): Set<string> =>
  new Set(
    funnel.steps.flatMap((step) =>
      step.kind === 'event' ? (step.id ?? []) : step.steps.flatMap(({ event }) => event ?? []),
    ),
  );

/** Only text: numbers mostly differ from person to person. */
const textProperties = ({ excludedProperties }: CorrelationQuestion, properties: Properties): [string, string][] =>
  Object.entries(properties).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' && !excludedProperties.includes(key) ? [[key, value]] : [],
  );

export const eventFactors = (question: CorrelationQuestion, event: string, properties: Properties): Factor[] =>
  textProperties(question, properties).map(([key, value]) => ({ event, key, value }));

export function propertyFactors(question: CorrelationQuestion, properties: Properties): Factor[] {
  const { names, excludedProperties } = question;
  if (names.includes('$all'))
    return textProperties(question, properties).map(([key, value]) => ({ event: null, key, value }));
  return names
    .filter((key) => !excludedProperties.includes(key))
    .map((key) => ({ event: null, key, value: textOf(properties, key) }));
}

const textOf = (properties: Properties, key: string): string =>
  Object.hasOwn(properties, key) ? (propertyText(properties[key]) ?? 'null') : '';

/** Counts successes and failures for each factor. */
export class FactorCounter {
  private readonly counts = new Map<string, OutcomeCounts>();

  /** The factors of one actor; each counts once. */
  add(traits: readonly Factor[], hasConverted: boolean): void {
    for (const key of new Set(traits.map((trait) => JSON.stringify(trait)))) {
      this.count(key, hasConverted ? 1 : 0, hasConverted ? 0 : 1);
    }
  }

  addCounted(trait: Factor, { success, failure }: OutcomeCounts): void {
    this.count(JSON.stringify(trait), success, failure);
  }

  private count(key: string, success: number, failure: number): void {
    const known = this.counts.get(key) ?? { success: 0, failure: 0 };
    known.success += success;
    known.failure += failure;
    this.counts.set(key, known);
  }

  answer({ of: kind }: CorrelationQuestion, all: OutcomeCounts): CorrelationAnswer {
    const least = Math.max(minCountedActors(all), kind === 'event_with_properties' ? MIN_WITH_PROPERTY : 0);
    const correlations = [...this.counts].flatMap(([key, own]): Correlation[] => {
      if (own.success + own.failure < least) return [];
      const of = JSON.parse(key) as Factor;
      return [{ name: nameOf(of), factor: of, ...own, oddsRatio: oddsRatio(all, own) }];
    });
    return { events: strongestCorrelations(correlations), isSkewed: isSkewed(all) };
  }
}

const MIN_WITH_PROPERTY = 3;

const nameOf = ({ event, key, value }: Factor): string =>
  [event, key, value].filter((part) => part !== null).join('::');

/** How many converted and how many did not. */
interface OutcomeCounts {
  success: number;
  failure: number;
}

/** One is added to each count to avoid division by zero. Above 1: correlates with conversion. */
export const oddsRatio = (all: OutcomeCounts, own: OutcomeCounts): number =>
  ((own.success + 1) * (all.failure - own.failure + 1)) / ((all.success - own.success + 1) * (own.failure + 1));

/** One outcome is more than ten times as frequent as the other. */
export function isSkewed({ success, failure }: OutcomeCounts): boolean {
  if (success === 0 || failure === 0) return true;
  return success / failure > 10 || failure / success > 10;
}

/** Factors of fewer actors are left out: two percent of all, at most 25. */
export const minCountedActors = ({ success, failure }: OutcomeCounts): number =>
  Math.min(25, 0.02 * (success + failure));

const MAX_SHOWN = 10;

/** The strongest for success, then the strongest for failure. */
export function strongestCorrelations(all: readonly Correlation[]): Correlation[] {
  const byName = (a: Correlation, b: Correlation): number => (a.name < b.name ? -1 : 1);
  const success = all
    .filter(({ oddsRatio: ratio }) => ratio > 1)
    .sort((a, b) => b.oddsRatio - a.oddsRatio || byName(a, b));
  const failure = all
    .filter(({ oddsRatio: ratio }) => ratio <= 1)
    .sort((a, b) => a.oddsRatio - b.oddsRatio || byName(a, b));
  return [...success.slice(0, MAX_SHOWN), ...failure.slice(0, MAX_SHOWN)];
}
