/** What the search finds: pages and guides at once, and what the server knows about the text. */
import { listCohorts } from '../../api/cohorts.ts';
import { listDashboards } from '../../api/dashboards.ts';
import { findEventNames } from '../../api/definitions.ts';
import { listFlags } from '../../api/flags.ts';
import { listInsights } from '../../api/insights.ts';
import { listPersons } from '../../api/persons.ts';
import type { IconName } from '../../components/icon.tsx';
import { eventLabel } from '../../lib/friendly-names.ts';
import { navRoutes, pathTo } from '../../lib/route-table.ts';
import { guideSections } from '../../pages/help/guides.ts';

export interface Result {
  section: string;
  icon: IconName;
  label: string;
  note?: string;
  path: string;
}

const MAX_PER_SECTION = 5;

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/** Without text: every page. */
export function findPages(projectId: number, text: string): Result[] {
  const pages = navRoutes().flatMap(({ name, nav }): Result[] =>
    nav && has(`${nav.label} ${nav.title ?? ''}`, text)
      ? [
          {
            section: 'Pages',
            icon: nav.icon,
            label: nav.label,
            ...(nav.title === undefined ? {} : { note: nav.title }),
            path: linkTo(name, projectId),
          },
        ]
      : [],
  );
  if (text === '') return pages;
  const guides = guideSections()
    .flatMap(({ guides }) => guides)
    .filter(({ title }) => has(title, text))
    .map(({ slug, title }): Result => ({ section: 'Help', icon: 'book', label: title, path: `/help/${slug}` }));
  return [...pages, ...guides];
}

const linkTo = (name: string, project: number, params: Readonly<Record<string, string | number>> = {}): string =>
  pathTo(name, { project, ...params }) ?? '/';

type Source = (projectId: number, search: string, signal: AbortSignal) => Promise<Result[]>;

const SOURCES: readonly Source[] = [
  async (project, search, signal) =>
    (await listInsights(project, { search, saved: true, limit: MAX_PER_SECTION }, signal)).results.map((insight) => ({
      section: 'Insights',
      icon: 'chart',
      label: insight.name || 'Untitled insight',
      path: linkTo('insight', project, { insight: insight.id }),
    })),
  async (project, search, signal) =>
    (await listDashboards(project, signal))
      .filter(({ name }) => has(name, search))
      .map(({ id, name }) => ({
        section: 'Dashboards',
        icon: 'dashboard',
        label: name,
        path: linkTo('dashboard', project, { dashboard: id }),
      })),
  async (project, search, signal) =>
    (await listFlags(project, { search, limit: MAX_PER_SECTION }, signal)).results.map(({ id, key, name }) => ({
      section: 'Feature flags',
      icon: 'flag',
      label: key,
      note: name,
      path: linkTo('flag', project, { flag: id }),
    })),
  async (project, search, signal) =>
    (await listPersons(project, { search, limit: MAX_PER_SECTION }, signal)).results.map(({ name, uuid }) => ({
      section: 'Persons',
      icon: 'user',
      label: name,
      path: linkTo('person', project, { person: uuid }),
    })),
  async (project, search, signal) =>
    (await listCohorts(project, { limit: 1000 }, signal)).results
      .filter(({ name }) => has(name, search))
      .map(({ id, name }) => ({
        section: 'Cohorts',
        icon: 'cohort',
        label: name,
        path: linkTo('cohort', project, { cohort: id }),
      })),
  async (project, search, signal) =>
    (await findEventNames(project, search, signal)).map((name) => ({
      section: 'Events',
      icon: 'event',
      label: eventLabel(name),
      ...(eventLabel(name) === name ? {} : { note: name }),
      path: `${linkTo('live', project)}?${new URLSearchParams({ event: name })}`,
    })),
];

/** One that fails leaves the others; if all do, the server cannot be reached. */
export async function findContent(projectId: number, text: string, signal: AbortSignal): Promise<Result[]> {
  const found = await Promise.allSettled(SOURCES.map((find) => find(projectId, text, signal)));
  const [first] = found;
  if (first?.status === 'rejected' && found.every(({ status }) => status === 'rejected')) throw first.reason;
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value.slice(0, MAX_PER_SECTION) : []));
}
