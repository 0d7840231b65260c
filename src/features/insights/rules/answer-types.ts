import type {
  CorrelationAnswer,
  FunnelAnswer,
  LifecycleItem,
  PathEdge,
  RetentionRow,
  StickinessItem,
  TrendItem,
} from './answers.ts';
import type {
  CorrelationPeopleQuestion,
  CorrelationQuestion,
  FunnelPeopleQuestion,
  FunnelQuestion,
  LifecycleQuestion,
  PathsPeopleQuestion,
  PathsQuestion,
  RetentionQuestion,
  StickinessQuestion,
  TrendsQuestion,
} from './question.ts';

/** Questions about who was active when. */
type ActivityQuestion = TrendsQuestion | StickinessQuestion | LifecycleQuestion | RetentionQuestion;

/** Questions about what persons did, and after what: they go through something of everybody. */
export type InsightQuestion =
  | ActivityQuestion
  | FunnelQuestion
  | CorrelationQuestion
  | PathsQuestion
  | FunnelPeopleQuestion
  | CorrelationPeopleQuestion
  | PathsPeopleQuestion;

export type JourneyPeopleQuestion = FunnelPeopleQuestion | CorrelationPeopleQuestion | PathsPeopleQuestion;

interface AnswerByKind {
  trends: TrendItem[];
  stickiness: StickinessItem[];
  lifecycle: LifecycleItem[];
  retention: RetentionRow[];
  funnel: FunnelAnswer;
  correlation: CorrelationAnswer;
  paths: readonly PathEdge[];
}

/** Questions for people are answered with the ids of actors, in order. */
export type InsightAnswer<Q extends InsightQuestion> = Q['kind'] extends keyof AnswerByKind
  ? AnswerByKind[Q['kind']]
  : readonly string[];
