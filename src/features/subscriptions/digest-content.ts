/** The numbers of a digest, computed when it is due. */
import { Failure, notFound } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { addUnits } from '../../core/time/interval.ts';
import { PERIODS, periodUnit } from '../../core/time/period.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import { timeoutSignal } from '../../lib/timeout-signal.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { withDashboardFilters } from '../dashboards/rules/with-dashboard-filters.ts';
import { visibleTiles } from '../dashboards/visible-tiles.ts';
import type { DigestTile } from '../deliveries/rules/digest-tile.ts';
import type { SavedQuestions } from '../insights/saved-questions.ts';
import { isIdentifyingColumn, listsPersons, maskAddresses } from '../sharing/rules/public-result.ts';
import { isStatementFailure, type SavedStatements } from '../sql/saved-statements.ts';
import { comparedDates, periodText } from './rules/compared-dates.ts';
import {
  EMPTY,
  readFunnel,
  readLifecycle,
  readPaths,
  readRetention,
  readStatement,
  readStickiness,
  readTrends,
  type TileContent,
} from './rules/read-results.ts';
import type { Subscription } from './store/subscription-store.ts';

export interface DigestContentDeps {
  metadata: MetadataStore;
  questions: Pick<SavedQuestions, 'result' | 'firstEvent'>;
  statements: Pick<SavedStatements, 'answer'>;
}

export interface DigestContent {
  name: string;
  url: string | null;
  tiles: DigestTile[];
  /** The same for readers who are no members: no persons, no addresses. */
  outsideTiles: DigestTile[];
}

/** What is read of a saved insight. */
interface ShownInsight {
  shortId: string;
  name: string | null;
  derivedName: string | null;
  filters: JsonObject;
  query: JsonObject | null;
}

interface Asked {
  project: Project;
  publicUrl: string | null;
  now: number;
  signal: AbortSignal;
}

const MAX_TILES = 12;
const MAX_COMPUTING_MS = 5 * MINUTE_MS;

/** Fails with `not_found` where what it is about was deleted, and with another `Failure` where nothing can be computed now. */
export async function digestContent(
  deps: DigestContentDeps,
  { dashboardId, insightId }: Pick<Subscription, 'dashboardId' | 'insightId'>,
  asked: Asked,
): Promise<DigestContent> {
  const { project, publicUrl } = asked;
  const signal = AbortSignal.any([asked.signal, timeoutSignal(MAX_COMPUTING_MS)]);
  const { name, path, shown, filters, left } = await itemsOf(deps.metadata, project.id, dashboardId, insightId);
  const built: BuiltTile[] = [];
  // One after the other: people who wait for answers come first.
  for (const insight of shown) built.push(await buildTile(deps, insight, filters, { ...asked, signal }));
  const more = left > 0 ? [moreTile(left)] : [];
  return {
    name,
    url: publicUrl === null ? null : `${publicUrl}/project/${project.id}/${path}`,
    tiles: [...built.map(({ tile }) => tile), ...more],
    outsideTiles: [...built.map(outsideTile), ...more],
  };
}

async function itemsOf(
  store: MetadataStore,
  projectId: number,
  dashboardId: number | null,
  insightId: number | null,
): Promise<{ name: string; path: string; shown: ShownInsight[]; filters: JsonObject; left: number }> {
  if (dashboardId !== null) {
    const dashboard = await store.dashboards.get(projectId, dashboardId);
    if (!dashboard || dashboard.deleted) throw notFound('The dashboard was deleted.');
    const insights = (await visibleTiles(store, dashboard)).flatMap(({ insight }) => insight ?? []);
    const shown = insights.slice(0, MAX_TILES);
    const { name, filters } = dashboard;
    return { name, path: `dashboards/${dashboardId}`, shown, filters, left: insights.length - shown.length };
  }
  const insight = insightId === null ? null : await store.insights.get(projectId, insightId);
  if (!insight || insight.deleted) throw notFound('The insight was deleted.');
  return { name: nameOf(insight), path: `insights/${insight.shortId}`, shown: [insight], filters: {}, left: 0 };
}

const nameOf = ({ name, derivedName, query }: ShownInsight): string =>
  name || derivedName || (query === null ? 'Insight' : 'SQL');

const moreTile = (left: number): DigestTile => ({
  ...EMPTY,
  name: `${left} more ${left === 1 ? 'insight' : 'insights'} on the dashboard`,
  url: null,
  period: null,
});

interface BuiltTile {
  tile: DigestTile;
  listsPersons: boolean;
}

/** One that cannot be answered says so; the others are sent. */
async function buildTile(
  deps: DigestContentDeps,
  insight: ShownInsight,
  dashboard: JsonObject,
  asked: Asked,
): Promise<BuiltTile> {
  const { project, publicUrl } = asked;
  const url = publicUrl === null ? null : `${publicUrl}/project/${project.id}/insights/${insight.shortId}`;
  const tile = { ...EMPTY, name: nameOf(insight), url, period: null };
  try {
    if (insight.query !== null) return await statementTile(deps, tile, insight.query, dashboard, asked);
    const filters = withDashboardFilters(insight.filters, dashboard);
    const { period, content } = await answer(deps, filters, asked);
    return { tile: { ...tile, ...content, period }, listsPersons: listsPersons(filters) };
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'unavailable') throw error;
    return { tile: { ...tile, note: `It could not be computed: ${error.message}` }, listsPersons: true };
  }
}

async function statementTile(
  { statements }: DigestContentDeps,
  tile: DigestTile,
  query: JsonObject,
  dashboard: JsonObject,
  { project, signal }: Asked,
): Promise<BuiltTile> {
  try {
    const options = { dashboard, userId: null, refresh: false, signal };
    const { columns, results, warnings } = await statements.answer(project, query, options);
    return {
      tile: { ...tile, ...readStatement({ columns, results, warnings }) },
      listsPersons: columns.some(isIdentifyingColumn),
    };
  } catch (error) {
    if (!isStatementFailure(error) || error.kind === 'unavailable') throw error;
    return { tile: { ...tile, note: `It could not be computed: ${error.message}` }, listsPersons: true };
  }
}

function outsideTile({ tile, listsPersons: isPersonal }: BuiltTile): DigestTile {
  // The reason of a failure may quote a filter.
  if (isPersonal) return { ...tile, ...EMPTY, url: null, note: 'This insight is only shown to members.' };
  return { ...(maskAddresses({ ...tile } as unknown as Json) as unknown as DigestTile), url: null };
}

/** Dates of the question are made explicit, so that the period before can be asked for in the same way. */
async function answer(
  { questions }: DigestContentDeps,
  filters: JsonObject,
  { project, now, signal }: Asked,
): Promise<{ period: string | null; content: TileContent }> {
  const { compare: _compare, compare_to: _to, ...plain } = filters;
  const ask = async (fields: JsonObject): Promise<Json> =>
    (await questions.result(project, { ...plain, ...fields }, signal)).result;
  const kind = String(filters['insight'] ?? 'TRENDS').toUpperCase();
  if (kind === 'RETENTION') return { period: null, content: await answerRetention(ask, filters, project, now) };
  const { timezone } = project;
  const earliest = filters['date_from'] === 'all' ? await questions.firstEvent(project) : null;
  const { range, current, previous } = comparedDates(filters, { now, timezone, earliest });
  const both = async (fields: JsonObject): Promise<[Json, Json | null]> => [
    await ask({ ...fields, ...current }),
    previous === null ? null : await ask({ ...fields, ...previous }),
  ];
  const unit = String(filters['interval'] ?? 'day');
  const content = async (): Promise<TileContent> => {
    switch (kind) {
      case 'FUNNELS':
        return readFunnel(...(await both({ funnel_viz_type: 'steps' })));
      case 'LIFECYCLE':
        return readLifecycle(...(await both({})));
      case 'STICKINESS':
        return readStickiness(...(await both({})), unit);
      case 'PATHS':
        return readPaths(await ask(current));
      default: {
        const isOver = OVER_TIME.includes(String(filters['display'] ?? 'ActionsLineGraph'));
        const totals = await both({ display: 'ActionsTable' });
        return readTrends(...totals, isOver ? await ask({}) : null);
      }
    }
  };
  return { period: periodText(range, timezone), content: await content() };
}

/** Displays that show a course rather than totals. */
const OVER_TIME = ['ActionsLineGraph', 'ActionsLineGraphCumulative', 'ActionsBar'];
const DEFAULT_RETENTION_PERIODS = 11;

/** Its dates are cohorts: those before it are as many periods earlier. */
async function answerRetention(
  ask: (fields: JsonObject) => Promise<Json>,
  filters: JsonObject,
  { timezone }: Project,
  now: number,
): Promise<TileContent> {
  const period = PERIODS.find((one) => one === filters['period']) ?? 'Day';
  const count = Number(filters['total_intervals'] ?? DEFAULT_RETENTION_PERIODS);
  const isOwnEnd = typeof filters['date_to'] === 'string';
  const earlier = isOwnEnd ? null : addUnits(now, -count, periodUnit(period), timezone);
  const previous = earlier === null ? null : await ask({ date_to: new Date(earlier).toISOString() });
  return readRetention(await ask({}), previous, periodUnit(period));
}
