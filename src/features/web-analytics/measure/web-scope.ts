/** What the statements of one question share. */
import { isDeepStrictEqual } from 'node:util';
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { validPatterns } from '../../../query/filters/valid-patterns.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import { patternsOfRules } from '../../../query/sessions/channel-sql.ts';
import type { EventStore } from '../../../stores/events/event-store.ts';
import type { WebGoalQuestion, WebQuestion } from '../rules/web-question.ts';
import type { WebThreadMethods } from '../thread-methods.ts';

export interface WebQuery {
  events: EventQuery;
  question: WebQuestion;
  /** Patterns that the engine accepts; others match nothing. */
  patterns: ReadonlySet<string>;
  /** Whether the store's rows of sessions can answer the question: sessions do not depend on filters on events. */
  hasRows: boolean;
  queryColumns: EventStore['queryColumns'];
  /** How many numbers of rows may be in memory at a time. */
  maxCells: number;
  secondThread: WebDeps['secondThread'];
}

export interface WebDeps extends QueryDeps {
  events: Pick<EventStore, 'query' | 'queryColumns' | 'prepareSessions'>;
  /** How many numbers of rows may be in memory at a time. */
  maxCells?: number;
  /** The methods of the second thread; undefined where it would not be faster for so many rows. */
  secondThread?: ((rows: number) => WebThreadMethods | undefined) | undefined;
}

/** 120 MB; rows are put into order in the same memory. */
const MAX_CELLS = 30_000_000;

/** One statement. */
export interface WebScope extends Omit<WebQuery, 'events' | 'queryColumns' | 'maxCells' | 'secondThread'> {
  statement: EventStatement;
  /** Of the statement. */
  sql: EventStatement['sql'];
  settings: WebQuestion['settings'];
}

export async function prepareWebQuery(
  deps: WebDeps,
  projectId: number,
  question: WebQuestion,
  goals: readonly WebGoalQuestion[] = [],
): Promise<WebQuery> {
  const entities = goals.flatMap(({ goal }) => (goal.kind === 'entity' ? [goal.entity] : []));
  const events = await prepareEventQuery(deps, projectId, {
    filters: [question.accountFilter, ...question.eventFilters],
    entities,
    timezone: question.timezone,
    // Visitors whose events carry no person are counted, too: most SDKs send none before somebody signs in.
    persons: 'current',
    hasActors: false,
  });
  const patterns = await validPatterns(deps, patternsOf(question, goals));
  const isPlain = question.eventFilters.length === 0 && isDeepStrictEqual(question.accountFilter, NO_FILTER);
  const hasRows = isPlain && (await deps.events.prepareSessions(projectId));
  const queryColumns: EventStore['queryColumns'] = (...asked) => deps.events.queryColumns(...asked);
  const { maxCells = MAX_CELLS, secondThread } = deps;
  return { events, question, patterns, hasRows, queryColumns, maxCells, secondThread };
}

export const beginStatement = ({
  events,
  queryColumns: _,
  maxCells: __,
  secondThread: ___,
  ...query
}: WebQuery): WebScope => {
  const statement = events.begin();
  return { ...query, statement, sql: statement.sql, settings: query.question.settings };
};

/** Whether views are counted by the sessions that they belong to: otherwise sessions need not be known for them. */
export const isBySession = ({ question }: Pick<WebScope, 'question'>): boolean =>
  question.filters.length > 0 || question.eventFilters.length > 0 || question.settings.hidden_referrers.length > 0;

/** Every pattern of the question, as a filter that has it. */
function patternsOf({ filters, settings }: WebQuestion, goals: readonly WebGoalQuestion[]): Filter {
  const patterns = [
    ...filters.flatMap(({ operator, values }) => (operator.endsWith('regex') ? values : [])),
    ...settings.path_rules.map(({ pattern }) => pattern),
    ...patternsOfRules(settings.channel_rules),
    ...goals.flatMap(({ goal }) => (goal.kind === 'path' ? [goal.pattern] : [])),
  ];
  return { kind: 'property', owner: 'event', key: '', operator: 'regex', values: patterns };
}
