import type { Answer, PersonsLink } from '../answers.ts';
import type { Question } from '../question.ts';

export interface AnswerProps<A = Answer> {
  question: Question;
  answer: A;
  /** See `personsLinks`. */
  persons: ReadonlyMap<string, PersonsLink>;
  /** Opens the persons behind a number, by its key. */
  onPick(key: string): void;
  /** The time of the result in the project's time zone, `2026-11-16 10:12`: later periods are not over. */
  now: string;
  /** Shows the paths that continue from a page or event; not on dashboards. */
  onContinue?: ((item: string) => void) | undefined;
  /** In a tile: only the chart, with a hidden table for screen readers. */
  small?: boolean | undefined;
}

export type ViewProps<V extends Answer['view']> = AnswerProps<Extract<Answer, { view: V }>>;
