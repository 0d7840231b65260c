/**
 * The kinds of insights. Routes, the cache, CSV files, saved insights and dashboards all follow from this table: a new
 * kind is a folder beside it and a row here.
 */
import type { Actor } from '../../core/actor.ts';
import { invalid } from '../../core/errors.ts';
import type { UsedName } from '../../core/events/used-name.ts';
import type { Json } from '../../core/json/json.ts';
import type { ScanDeps } from '../../query/query-deps.ts';
import type { Page } from '../../stores/metadata/page.ts';
import { answerCorrelation, findCorrelationPeople } from './correlation/answer-correlation.ts';
import { correlationTable, presentCorrelation } from './correlation/present-correlation.ts';
import { readCorrelationPeopleQuestion, readCorrelationQuestion } from './correlation/rules/read-correlation.ts';
import { answerFunnel, findFunnelPeople } from './funnel/answer-funnel.ts';
import { funnelTable, presentFunnel } from './funnel/present-funnel.ts';
import { readFunnelQuestion } from './funnel/rules/read-funnel.ts';
import { readFunnelPeopleQuestion } from './funnel/rules/read-funnel-people.ts';
import { answerLifecycle, findLifecyclePeople } from './lifecycle/answer-lifecycle.ts';
import { presentLifecycle } from './lifecycle/present-lifecycle.ts';
import { readLifecyclePeopleQuestion, readLifecycleQuestion } from './lifecycle/rules/read-lifecycle.ts';
import { answerPaths, findPathsPeople } from './paths/answer-paths.ts';
import { pathsTable, presentPaths } from './paths/present-paths.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from './paths/rules/read-paths.ts';
import { answerRetention, findRetentionPeople } from './retention/answer-retention.ts';
import { presentRetention, retentionTable } from './retention/present-retention.ts';
import { readRetentionPeopleQuestion, readRetentionQuestion } from './retention/rules/read-retention.ts';
import type { FoundActor } from './rules/answers.ts';
import { type QuestionFields, quote, readTextField } from './rules/fields.ts';
import type * as Q from './rules/question.ts';
import { funnelParts, namesIn, pathsParts, type QuestionParts, seriesParts } from './rules/used-names.ts';
import { actorOfMath } from './shared/aggregate-sql.ts';
import type { PresentContext, Table } from './shared/present.ts';
import type { InsightDeps } from './shared/second-thread.ts';
import { answerStickiness, findStickinessPeople } from './stickiness/answer-stickiness.ts';
import { presentStickiness } from './stickiness/present-stickiness.ts';
import { readStickinessPeopleQuestion, readStickinessQuestion } from './stickiness/rules/read-stickiness.ts';
import { answerTrends, findTrendsPeople } from './trends/answer-trends.ts';
import { presentTrends, trendsTable } from './trends/present-trends.ts';
import { readTrendsQuestion } from './trends/rules/read-trends.ts';
import { readTrendsPeopleQuestion } from './trends/rules/read-trends-people.ts';

type Read<T> = (fields: QuestionFields, context: Q.QuestionContext) => T;

// The members that take a question or an answer are methods, so that all rows fit into one list.
export interface InsightKind<
  Question extends Q.Question = Q.Question,
  PeopleQuestion extends Q.PeopleQuestion = Q.PeopleQuestion,
> {
  kind: Question['kind'];
  /** The field `insight` of a saved question; null: it cannot be saved. */
  insight: string | null;
  /** The field `shown_as`, which old clients send instead of `insight`. */
  shownAs?: string;
  /** Below `/insights/`; the first of several kinds with the same one is the default there. */
  endpoint: 'trend' | 'retention' | 'funnel' | 'path' | 'funnel/correlation';
  /** A parameter that is given twice: the last one counts, or both as a list. */
  repeated: 'last' | 'list';
  hasTimezone: boolean;
  read: Read<Question>;
  answer(deps: InsightDeps, projectId: number, question: Question): Promise<unknown>;
  present(question: Question, answer: unknown, context: PresentContext): unknown;
  table(result: Json): Table;
  /** What of the question is counted as used. */
  parts(question: Question): QuestionParts;
  people: People<PeopleQuestion>;
}

/** The persons, or groups, behind a number. */
export interface People<Question extends Q.PeopleQuestion = Q.PeopleQuestion> {
  /** Below `/persons/`. */
  path: 'trends' | 'stickiness' | 'lifecycle' | 'retention' | 'funnel' | 'path' | 'funnel/correlation';
  methods: readonly ('GET' | 'POST')[];
  /** Whether links to them begin with a slash. */
  hasLeadingSlash: boolean;
  /** The names of the paging parameters. */
  page: { limit: string; offset: string };
  /** As they were found, or the newest person first. */
  order: 'found' | 'newest';
  /** Whether groups of which only the key is known are shown. */
  showsUnknownGroups: boolean;
  /** Whether a person has the fields of one in a list, or of one alone. */
  person: 'listed' | 'single';
  envelope: 'full' | 'short' | 'appearances';
  read: Read<Question>;
  actor(question: Question): Actor;
  find(deps: ScanDeps, projectId: number, question: Question, page: Page): Promise<readonly FoundActor[]>;
}

const asFound = (actors: readonly string[]): FoundActor[] => actors.map((actor) => ({ actor }));
const pageOf = (actors: readonly string[], { offset, limit }: Page): FoundActor[] =>
  asFound(actors.slice(offset, offset + limit));
const person = (): Actor => ({ kind: 'person' });

const OVER_TIME = { endpoint: 'trend', repeated: 'last', hasTimezone: true, table: trendsTable } as const;
const OVER_TIME_PEOPLE = {
  methods: ['GET'],
  hasLeadingSlash: false,
  page: { limit: 'limit', offset: 'offset' },
  order: 'found',
  showsUnknownGroups: true,
  person: 'listed',
} as const;
const SEQUENCE = { repeated: 'list', hasTimezone: true } as const;
const SEQUENCE_PEOPLE = {
  methods: ['GET', 'POST'],
  hasLeadingSlash: true,
  page: { limit: 'limit', offset: 'offset' },
  order: 'newest',
  showsUnknownGroups: false,
  person: 'listed',
  envelope: 'full',
} as const;

const trends: InsightKind<Q.TrendsQuestion, Q.TrendsPeopleQuestion> = {
  ...OVER_TIME,
  kind: 'trends',
  insight: 'TRENDS',
  read: readTrendsQuestion,
  answer: answerTrends,
  present: presentTrends,
  parts: ({ series, filter, breakdown }) => ({ ...seriesParts(series), filters: [filter], breakdown }),
  people: {
    ...OVER_TIME_PEOPLE,
    path: 'trends',
    envelope: 'full',
    read: readTrendsPeopleQuestion,
    actor: ({ series }) => actorOfMath(series.math),
    find: findTrendsPeople,
  },
};

const stickiness: InsightKind<Q.StickinessQuestion, Q.StickinessPeopleQuestion> = {
  ...OVER_TIME,
  kind: 'stickiness',
  insight: 'STICKINESS',
  shownAs: 'Stickiness',
  read: readStickinessQuestion,
  answer: answerStickiness,
  present: presentStickiness,
  parts: ({ series, filter }) => ({ ...seriesParts(series), filters: [filter] }),
  people: {
    ...OVER_TIME_PEOPLE,
    path: 'stickiness',
    envelope: 'short',
    read: readStickinessPeopleQuestion,
    actor: ({ series }) => actorOfMath(series.math),
    find: async (...query) => asFound(await findStickinessPeople(...query)),
  },
};

const lifecycle: InsightKind<Q.LifecycleQuestion, Q.LifecyclePeopleQuestion> = {
  ...OVER_TIME,
  kind: 'lifecycle',
  insight: 'LIFECYCLE',
  shownAs: 'Lifecycle',
  read: readLifecycleQuestion,
  answer: answerLifecycle,
  present: presentLifecycle,
  parts: ({ entity, filter }) => ({ entities: entity === null ? [] : [entity], filters: [filter] }),
  people: {
    ...OVER_TIME_PEOPLE,
    path: 'lifecycle',
    order: 'newest',
    person: 'single',
    envelope: 'short',
    read: readLifecyclePeopleQuestion,
    actor: person,
    find: async (...query) => asFound(await findLifecyclePeople(...query)),
  },
};

const retention: InsightKind<Q.RetentionQuestion, Q.RetentionPeopleQuestion> = {
  ...OVER_TIME,
  kind: 'retention',
  insight: 'RETENTION',
  endpoint: 'retention',
  read: readRetentionQuestion,
  answer: answerRetention,
  present: presentRetention,
  table: retentionTable,
  parts: ({ target, returning, filter, breakdown }) => ({
    entities: [target, returning],
    filters: [filter],
    breakdown,
  }),
  people: {
    ...OVER_TIME_PEOPLE,
    path: 'retention',
    hasLeadingSlash: true,
    envelope: 'appearances',
    read: readRetentionPeopleQuestion,
    actor: person,
    find: findRetentionPeople,
  },
};

const funnel: InsightKind<Q.FunnelQuestion, Q.FunnelPeopleQuestion> = {
  ...SEQUENCE,
  kind: 'funnel',
  insight: 'FUNNELS',
  endpoint: 'funnel',
  read: readFunnelQuestion,
  answer: answerFunnel,
  present: presentFunnel,
  table: funnelTable,
  parts: funnelParts,
  people: {
    ...SEQUENCE_PEOPLE,
    path: 'funnel',
    read: readFunnelPeopleQuestion,
    actor: ({ funnel: { actor } }) => actor,
    find: async (deps, projectId, question, page) => pageOf(await findFunnelPeople(deps, projectId, question), page),
  },
};

const paths: InsightKind<Q.PathsQuestion, Q.PathsPeopleQuestion> = {
  ...SEQUENCE,
  kind: 'paths',
  insight: 'PATHS',
  endpoint: 'path',
  read: readPathsQuestion,
  answer: answerPaths,
  present: presentPaths,
  table: pathsTable,
  parts: pathsParts,
  people: {
    ...SEQUENCE_PEOPLE,
    path: 'path',
    read: readPathsPeopleQuestion,
    actor: person,
    find: async (deps, projectId, question, page) => pageOf(await findPathsPeople(deps, projectId, question), page),
  },
};

const correlation: InsightKind<Q.CorrelationQuestion, Q.CorrelationPeopleQuestion> = {
  ...SEQUENCE,
  kind: 'correlation',
  insight: null,
  endpoint: 'funnel/correlation',
  hasTimezone: false,
  read: readCorrelationQuestion,
  answer: answerCorrelation,
  present: presentCorrelation,
  table: correlationTable,
  parts: ({ funnel: of, ...question }) => ({
    ...funnelParts(of),
    ...(question.of === 'event_with_properties' ? { events: question.names } : {}),
  }),
  people: {
    ...SEQUENCE_PEOPLE,
    path: 'funnel/correlation',
    page: { limit: 'funnel_correlation_person_limit', offset: 'funnel_correlation_person_offset' },
    read: readCorrelationPeopleQuestion,
    actor: (question) => question.correlation.funnel.actor,
    find: async (deps, projectId, question, page) =>
      pageOf(await findCorrelationPeople(deps, projectId, question), page),
  },
};

export const KINDS: readonly InsightKind[] = [trends, stickiness, lifecycle, funnel, retention, paths, correlation];

/** The kind of a request to an endpoint. */
export function kindAt(endpoint: InsightKind['endpoint'], fields: QuestionFields): InsightKind {
  const [first, ...others] = KINDS.filter((kind) => kind.endpoint === endpoint) as [InsightKind, ...InsightKind[]];
  const { insight, shown_as: shownAs } = fields;
  const name = typeof insight === 'string' ? insight.toUpperCase() : undefined;
  return others.findLast((kind) => kind.shownAs === shownAs || kind.insight === name) ?? first;
}

/** The kind of a saved question. */
export function savedKind(fields: QuestionFields): InsightKind {
  const name = readTextField(fields, 'insight')?.toUpperCase() ?? 'TRENDS';
  const kind = KINDS.find(({ insight }) => insight === name);
  if (kind !== undefined) return kindAt(kind.endpoint, fields);
  const names = KINDS.flatMap(({ insight }) => insight ?? []);
  throw invalid('insight', `insight cannot be ${quote(name)}: choose one of ${names.join(', ')}.`);
}

/** The kind of a question, or of a question for the persons behind one of its numbers. */
export function kindOf({ kind: name }: Q.InsightQuestion): InsightKind {
  const kind = KINDS.find(({ kind: own }) => own === name || `${own}_people` === name);
  if (kind === undefined) throw new Error(`No kind of insight is called ${name}`);
  return kind;
}

/** The names of events and properties that a question uses, each once. */
export const usedNames = (question: Q.Question): UsedName[] => namesIn(kindOf(question).parts(question));
