/**
 * Which pages there are, for everybody who links to one. The table itself is `routes.ts`; it names the pages, which
 * link to each other, so it is handed in at the start instead of being imported in a circle.
 */
import type { ComponentType } from 'preact';
import { matchPath, type Params } from './paths.ts';

export interface PageProps {
  params: Params;
}

export const NAV_GROUPS = ['Observe', 'Understand', 'Release', 'Manage'] as const;
export type NavGroup = (typeof NAV_GROUPS)[number];

export interface Route {
  name: string;
  path: string;
  load(): Promise<{ Page: ComponentType<PageProps> }>;
  /** `open` pages are there for everybody and stand alone; the others need a session and have the shell around them. */
  open?: boolean;
  /** Where it stands in the navigation; absent for pages that are reached from others. */
  nav?: { label: string; group: NavGroup };
}

let routes: readonly Route[] = [];

export const openSite = (all: readonly Route[]): void => {
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

/** The address of a page; null where there is no such page (yet): then show the thing without a link. */
export function pathTo(name: string, params: Readonly<Record<string, string | number>> = {}): string | null {
  const route = routes.find((one) => one.name === name);
  return route ? route.path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? '')) : null;
}
