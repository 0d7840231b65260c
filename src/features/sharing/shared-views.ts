/** What a shared page shows, computed at most once a minute and link, however many look at it. */
import { Failure, notFound } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import { timeoutSignal } from '../../lib/timeout-signal.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { withDashboardFilters } from '../dashboards/rules/with-dashboard-filters.ts';
import { visibleTiles } from '../dashboards/visible-tiles.ts';
import type { SavedQuestions } from '../insights/saved-questions.ts';
import { isStatementFailure, type SavedStatements } from '../sql/saved-statements.ts';
import type { WebOverviews } from '../web-analytics/web-overviews.ts';
import { KeptAnswers } from './kept-answers.ts';
import type { OpenedShare } from './open-share.ts';
import {
  isIdentifyingColumn,
  listsPersons,
  maskAddresses,
  publicFilters,
  publicQuery,
  publicResult,
} from './rules/public-result.ts';
import { readShareSettings, SHARED_DATES } from './rules/share-settings.ts';
import { readVisitorQuestion, type VisitorQuery } from './rules/visitor-question.ts';
import { siteContent, siteCsv, siteFields, siteTable, withTable } from './shared-site.ts';

export interface SharedViewDeps {
  metadata: MetadataStore;
  clock: Clock;
  questions: Pick<SavedQuestions, 'result'>;
  statements: Pick<SavedStatements, 'answer'>;
  webOverviews: WebOverviews;
}

interface SharedInsight {
  name: string | null;
  derivedName: string | null;
  description: string;
  filters: JsonObject;
  query: JsonObject | null;
}

const MAX_COMPUTING_MS = MINUTE_MS;
/** The event store runs a few queries at a time; those of people who are signed in come first. */
const BATCH_SIZE = 2;
const MAX_ANNOTATIONS = 200;
/** What replaces dates of insights. */
const datesOf = (dateFrom: string | null): JsonObject => (dateFrom === null ? {} : { date_from: dateFrom });

export class SharedViews {
  readonly #deps: SharedViewDeps;
  readonly #kept: KeptAnswers;

  constructor(deps: SharedViewDeps) {
    this.#deps = deps;
    this.#kept = new KeptAnswers(deps.clock);
  }

  /** What the page shows, as JSON text. */
  async get(opened: OpenedShare, query: VisitorQuery): Promise<string> {
    const { share } = opened;
    const { dateFrom } = readVisitorQuestion(query, readShareSettings(share.settings));
    const fields = share.kind === 'web' ? await siteFields(this.#deps, opened, query) : datesOf(dateFrom);
    return this.#kept.get(share, JSON.stringify(['page', dateFrom, fields]), () =>
      this.#compute(opened, dateFrom, fields),
    );
  }

  /** One table of a shared site, as JSON text. */
  async siteTable(opened: OpenedShare, query: VisitorQuery, by: string): Promise<string> {
    const fields = withTable(await siteFields(this.#deps, opened, query), by);
    return this.#kept.get(opened.share, JSON.stringify(['table', fields]), () =>
      siteTable(this.#deps, opened, fields, timeoutSignal(MAX_COMPUTING_MS)),
    );
  }

  /** A table of a shared site, or what is counted by day, as CSV. */
  async siteCsv(opened: OpenedShare, query: VisitorQuery, by: string | undefined): Promise<string> {
    const asked = await siteFields(this.#deps, opened, query);
    const fields = by === undefined ? asked : withTable(asked, by);
    return this.#kept.get(opened.share, JSON.stringify(['csv', fields]), () =>
      siteCsv(this.#deps, opened, fields, timeoutSignal(MAX_COMPUTING_MS)),
    );
  }

  async #compute({ share, project }: OpenedShare, dateFrom: string | null, fields: JsonObject): Promise<string> {
    const settings = readShareSettings(share.settings);
    // Nobody waits for it alone, so it does not end when one visitor leaves.
    const signal = timeoutSignal(MAX_COMPUTING_MS);
    const content = await this.#content({ share, project }, fields, signal);
    const annotations = settings.showAnnotations ? await this.#annotations(project, share) : [];
    return JSON.stringify({
      kind: share.kind,
      ...content,
      timezone: project.timezone,
      settings: { ...settings },
      dates: settings.allowDates ? { chosen: dateFrom, choices: [...SHARED_DATES] } : null,
      annotations,
    } satisfies JsonObject);
  }

  async #content({ share, project }: OpenedShare, fields: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { metadata } = this.#deps;
    switch (share.kind) {
      case 'web':
        return siteContent(this.#deps, { share, project }, fields, signal);
      case 'insight': {
        const insight = await metadata.insights.get(project.id, share.itemId);
        if (!insight) throw notFound();
        const tile = await this.#tile(project, insight, fields, signal);
        return {
          name: insight.name || insight.derivedName || '',
          description: insight.description,
          tiles: [{ id: 1, layouts: {}, text: null, insight: tile }],
        };
      }
      case 'dashboard': {
        const dashboard = await metadata.dashboards.get(project.id, share.itemId);
        if (!dashboard) throw notFound();
        const filters = { ...dashboard.filters, ...fields };
        const shown = await visibleTiles(metadata, dashboard);
        const tiles: Json[] = [];
        for (let start = 0; start < shown.length; start += BATCH_SIZE) {
          const batch = shown.slice(start, start + BATCH_SIZE).map(async ({ tile, insight }, at) => ({
            id: start + at + 1,
            layouts: tile.layouts,
            text: tile.body,
            insight: insight && (await this.#tile(project, insight, filters, signal)),
          }));
          tiles.push(...(await Promise.all(batch)));
        }
        return { name: dashboard.name, description: dashboard.description, tiles };
      }
    }
  }

  /** One that cannot be answered, or would list persons, says so; the others are shown. */
  async #tile(project: Project, insight: SharedInsight, changes: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (insight.query !== null) return this.#statement(project, insight, insight.query, changes, signal);
    const filters = withDashboardFilters(insight.filters, changes);
    const shown = {
      name: insight.name || insight.derivedName || '',
      description: insight.description,
      filters: publicFilters(filters),
    };
    const without = (error: string) => ({ ...shown, result: null, last_refresh: null, error });
    if (listsPersons(filters)) return without('This insight lists persons, so it is only shown to members.');
    try {
      const { result, computedAt } = await this.#deps.questions.result(project, filters, signal);
      const last_refresh = new Date(computedAt).toISOString();
      return { ...shown, result: publicResult(result), last_refresh, error: null };
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
      // The reason may quote a filter.
      return without('This insight cannot be computed at the moment.');
    }
  }

  /** The statement itself is not shown: it may tell more than its rows. */
  async #statement(
    project: Project,
    { name, derivedName, description }: SharedInsight,
    query: JsonObject,
    dashboard: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const shown = { name: name || derivedName || 'SQL', description, filters: {}, query: publicQuery(query) };
    const without = (error: string) => ({ ...shown, result: null, last_refresh: null, error });
    try {
      const options = { dashboard, userId: null, refresh: false, signal };
      const answer = await this.#deps.statements.answer(project, query, options);
      const { columns, types, results, computedAt, warnings } = answer;
      if (columns.some(isIdentifyingColumn))
        return without('This insight lists persons, so it is only shown to members.');
      const last_refresh = new Date(computedAt).toISOString();
      const result = publicResult(results as Json);
      return {
        ...shown,
        columns,
        types,
        result,
        warnings: warnings.map((warning) => ({ ...warning })),
        last_refresh,
        error: null,
      };
    } catch (error) {
      if (!isStatementFailure(error)) throw error;
      return without('This insight cannot be computed at the moment.');
    }
  }

  async #annotations(project: Project, { kind, itemId }: OpenedShare['share']): Promise<Json[]> {
    const page = { limit: MAX_ANNOTATIONS, offset: 0 };
    const { items } = await this.#deps.metadata.annotations.list(project, {}, page);
    return (
      items
        .filter(({ scope, insightId, dashboardId }) => {
          if (scope === 'dashboard_item') return kind === 'insight' && insightId === itemId;
          return scope !== 'dashboard' || (kind === 'dashboard' && dashboardId === itemId);
        })
        // Notes are written for members, and may name them.
        .map(({ content, dateMarker }) => ({
          content: maskAddresses(content),
          date_marker: new Date(dateMarker).toISOString(),
        }))
    );
  }
}
