/**
 * Links between pages go through here. The table itself is `routes.ts`; it imports the pages, which link to each other,
 * so it is registered at startup rather than imported in a cycle.
 */
import type { ComponentType } from 'preact';
import type { IconName } from '../components/icon.tsx';
import { matchPath, type Params } from './paths.ts';

export interface PageProps {
  params: Params;
}

/** The groups of the navigation, in their order. The pages of `Settings` are in the menu of the gear. */
export const NAV_GROUPS = ['Analytics', 'People', 'Releases', 'Data'] as const;
type NavGroup = (typeof NAV_GROUPS)[number] | 'Settings';

export interface Route {
  name: string;
  path: string;
  load(): Promise<{ Page: ComponentType<PageProps> }>;
  /** Open without a session, and shown without the sidebar. */
  isPublic?: boolean;
  /** Absent for pages that are only reached from others. */
  nav?: {
    label: string;
    /** Where the page has another name, which the search also finds. */
    title?: string;
    group: NavGroup;
    icon: IconName;
  };
}

let routes: readonly Route[] = [];

export const registerRoutes = (all: readonly Route[]): void => {
  routes = all;
};

export function findRoute(path: string): { route: Route; params: Params } | null {
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params) return { route, params };
  }
  return null;
}

export const routesIn = (group: NavGroup): readonly Route[] => routes.filter(({ nav }) => nav?.group === group);

export const navRoutes = (): readonly Route[] => routes.filter(({ nav }) => nav);

/** The path of a page; null if there is no such page. */
export function pathTo(name: string, params: Readonly<Record<string, string | number>> = {}): string | null {
  const route = routes.find((one) => one.name === name);
  return route ? route.path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? '')) : null;
}
