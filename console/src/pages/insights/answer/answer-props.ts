import type { Answer, People } from '../answers.ts';
import type { Question } from '../question.ts';

/** What every picture of an answer is given. */
export interface AnswerProps<A = Answer> {
  question: Question;
  answer: A;
  /** Who can be asked for: see `peopleBehind`. */
  people: ReadonlyMap<string, People>;
  /** Opens the persons behind a number, by its key. */
  onPick(key: string): void;
  /** In a tile: the picture alone; the numbers stay for screen readers. */
  small?: boolean | undefined;
}

export type Part<V extends Answer['view']> = AnswerProps<Extract<Answer, { view: V }>>;
