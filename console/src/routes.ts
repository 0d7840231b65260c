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
  { name: 'persons', path: `${P}/persons`, nav: { label: 'Persons', group: 'Observe' }, load: () => import('./pages/persons/persons.tsx') },
  { name: 'person', path: `${P}/persons/:person`, load: () => import('./pages/person/person.tsx') },
  { name: 'groups', path: `${P}/groups`, nav: { label: 'Groups', group: 'Observe' }, load: () => import('./pages/groups/groups.tsx') },
  { name: 'insights', path: `${P}/insights`, nav: { label: 'Insights', group: 'Understand' }, load: () => import('./pages/insights/insights.tsx') },
  { name: 'insight', path: `${P}/insights/:insight`, load: () => import('./pages/insight/insight.tsx') },
  { name: 'dashboards', path: `${P}/dashboards`, nav: { label: 'Dashboards', group: 'Understand' }, load: () => import('./pages/dashboards/dashboards.tsx') },
  { name: 'dashboard', path: `${P}/dashboards/:dashboard`, load: () => import('./pages/dashboard/dashboard.tsx') },
  { name: 'cohorts', path: `${P}/cohorts`, nav: { label: 'Cohorts', group: 'Understand' }, load: () => import('./pages/cohorts/cohorts.tsx') },
  { name: 'cohort', path: `${P}/cohorts/:cohort`, load: () => import('./pages/cohort/cohort.tsx') },
  { name: 'flags', path: `${P}/flags`, nav: { label: 'Feature flags', group: 'Release' }, load: () => import('./pages/flags/flags.tsx') },
  { name: 'flag', path: `${P}/flags/:flag`, load: () => import('./pages/flag/flag.tsx') },
  { name: 'definitions', path: `${P}/definitions`, nav: { label: 'Definitions', group: 'Manage' }, load: () => import('./pages/definitions/definitions.tsx') },
  { name: 'activity', path: `${P}/activity`, nav: { label: 'Activity', group: 'Manage' }, load: () => import('./pages/activity/activity.tsx') },
  { name: 'members', path: `${P}/members`, nav: { label: 'Members and roles', group: 'Manage' }, load: () => import('./pages/members/members.tsx') },
  { name: 'settings', path: `${P}/settings`, nav: { label: 'Project settings', group: 'Manage' }, load: () => import('./pages/settings/settings.tsx') },
  { name: 'account', path: '/account', load: () => import('./pages/account/account.tsx') },
  { name: 'welcome', path: `${P}/welcome`, nav: { label: 'Connect', group: 'Manage' }, load: () => import('./pages/welcome/welcome.tsx') },
  { name: 'status', path: '/status', nav: { label: 'Server status', group: 'Manage' }, load: () => import('./pages/status/status.tsx') },
];
