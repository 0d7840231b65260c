/**
 * Every page, one line each. A page is a folder in `pages/` with a module that exports `Page`; it is loaded when it is
 * opened. With `nav` it also stands in the navigation. The first line that fits an address wins, so fixed names stand
 * before parameters.
 *
 * Names that are taken, for links between pages that come one by one: live, persons, person, flags, flag, insights,
 * insight, dashboards, dashboard, definitions, cohorts, cohort, groups, settings, members, activity, account, status.
 */
import type { Route } from './lib/site.ts';

const P = '/project/:project';

// biome-ignore format: a table
export const ROUTES: readonly Route[] = [
  { name: 'login', path: '/login', open: true, load: () => import('./pages/login/login.tsx') },
  { name: 'setup', path: '/setup', open: true, load: () => import('./pages/setup/setup.tsx') },
  { name: 'live', path: `${P}/live`, nav: { label: 'Live events', group: 'Observe' }, load: () => import('./pages/live/live.tsx') },
  { name: 'flags', path: `${P}/flags`, nav: { label: 'Feature flags', group: 'Release' }, load: () => import('./pages/flags/flags.tsx') },
  { name: 'flag', path: `${P}/flags/:flag`, load: () => import('./pages/flag/flag.tsx') },
  { name: 'welcome', path: `${P}/welcome`, nav: { label: 'Connect', group: 'Manage' }, load: () => import('./pages/welcome/welcome.tsx') },
  { name: 'status', path: '/status', nav: { label: 'Server status', group: 'Manage' }, load: () => import('./pages/status/status.tsx') },
];
