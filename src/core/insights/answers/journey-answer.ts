import type {
  CorrelationPeopleQuestion,
  CorrelationQuestion,
  FunnelPeopleQuestion,
  FunnelQuestion,
  PathsPeopleQuestion,
  PathsQuestion,
} from '../questions/question.ts';
import type { CorrelationAnswer, FunnelAnswer, PathEdge } from './answers.ts';

/** Questions about the ways of persons: what they did after what. */
export type JourneyQuestion =
  | FunnelQuestion
  | CorrelationQuestion
  | PathsQuestion
  | FunnelPeopleQuestion
  | CorrelationPeopleQuestion
  | PathsPeopleQuestion;

export type JourneyPeopleQuestion = FunnelPeopleQuestion | CorrelationPeopleQuestion | PathsPeopleQuestion;

/** Questions for people are answered with the ids of actors, in order. */
export type JourneyAnswer<Q extends JourneyQuestion> = Q extends FunnelQuestion
  ? FunnelAnswer
  : Q extends CorrelationQuestion
    ? CorrelationAnswer
    : Q extends PathsQuestion
      ? readonly PathEdge[]
      : readonly string[];
