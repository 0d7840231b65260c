import type { QueryDeps } from '../../query/query-deps.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { Page } from '../../stores/metadata/page.ts';
import { answerOverview, type OverviewAnswer, type OverviewQuestion } from './measure/answer-overview.ts';
import {
  countBots,
  countLive,
  describeSite,
  type LivePage,
  listLivePages,
  type SiteStatus,
} from './measure/count-others.ts';
import { countTable } from './measure/count-table.ts';
import { listSessions, listVisitors } from './measure/list-sessions.ts';
import { prepareWebQuery, type WebDeps } from './measure/web-scope.ts';
import type { WebSession, WebTable } from './rules/web-answers.ts';
import type { TableKey, TablePage, WebQuestion } from './rules/web-question.ts';
import type { WebThreadMethods } from './thread-methods.ts';

interface WebWorkerDeps extends QueryDeps {
  events: EventStore;
  /** The methods of the second thread; undefined where there is only one processor. */
  secondThread?: (() => WebThreadMethods | undefined) | undefined;
}

/** With fewer rows, waking the other thread takes longer than it saves. */
const MIN_SHARED_ROWS = 200_000;

/** Everything that is asked about a site, with its answer. */
export interface WebAnswers {
  overview: { question: OverviewQuestion; answer: OverviewAnswer };
  breakdown: { question: { web: WebQuestion; by: TableKey | 'bot'; page: TablePage }; answer: WebTable };
  sessions: { question: { web: WebQuestion; page: Page }; answer: WebSession[] };
  visitors: { question: { web: WebQuestion; page: Page }; answer: string[] };
  live: { question: { web: WebQuestion }; answer: { visitors: number; pages: LivePage[] } };
  status: { question: { web: WebQuestion }; answer: SiteStatus };
}

type WebMethods = {
  [K in keyof WebAnswers]: (
    deps: WebDeps,
    projectId: number,
    question: WebAnswers[K]['question'],
  ) => Promise<WebAnswers[K]['answer']>;
};

const METHODS: WebMethods = {
  overview: answerOverview,
  async breakdown(deps, projectId, { web, by, page }) {
    const query = await prepareWebQuery(deps, projectId, web);
    return by === 'bot' ? countBots(query, page) : countTable(query, by, page);
  },
  sessions: async (deps, projectId, { web, page }) => listSessions(await prepareWebQuery(deps, projectId, web), page),
  visitors: async (deps, projectId, { web, page }) => listVisitors(await prepareWebQuery(deps, projectId, web), page),
  async live(deps, projectId, { web }) {
    const query = await prepareWebQuery(deps, projectId, web);
    const now = deps.clock.now();
    return { visitors: await countLive(query, now), pages: await listLivePages(query, now) };
  },
  status: async (deps, projectId, { web }) =>
    describeSite(await prepareWebQuery(deps, projectId, web), deps.clock.now()),
};

/** What web analytics does on the worker thread. */
export const webWorkerMethods = (deps: WebWorkerDeps) => ({
  answerWeb<K extends keyof WebAnswers>(
    kind: K,
    projectId: number,
    question: WebAnswers[K]['question'],
    signal?: AbortSignal,
  ): Promise<WebAnswers[K]['answer']> {
    const events = {
      query: (...[sql, values]: Parameters<EventStore['query']>) => deps.events.query(sql, values, signal),
      queryColumns: (...[sql, values]: Parameters<EventStore['queryColumns']>) =>
        deps.events.queryColumns(sql, values, signal),
      prepareSessions: (id: number) => deps.events.prepareSessions(id),
    };
    const secondThread = (rows: number) => (rows < MIN_SHARED_ROWS ? undefined : deps.secondThread?.());
    return METHODS[kind]({ ...deps, events, secondThread }, projectId, question);
  },
});
