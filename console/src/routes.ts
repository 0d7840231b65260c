/**
 * Every page, one line each. A page is a folder in `pages/` with a module that exports `Page`; it is loaded when it is
 * opened. With `nav` it also stands in the navigation. The first line that fits an address wins, so fixed names stand
 * before parameters.
 *
 * Names that are taken, for links between pages that come one by one: live, persons, person, flags, flag, insights,
 * insight, dashboards, dashboard, definitions, cohorts, cohort, groups, settings, members, activity, account, status.
 */
import type { Route } from './lib/route-table.ts';

const P = '/project/:project';

// biome-ignore format: a table
export const ROUTES: readonly Route[] = [
  { name: 'login', path: '/login', open: true, load: () => import('./pages/accounts/login-page.tsx') },
  { name: 'setup', path: '/setup', open: true, load: () => import('./pages/accounts/setup-page.tsx') },
  { name: 'live', path: `${P}/live`, nav: { label: 'Live events', group: 'Observe' }, load: () => import('./pages/events/live-page.tsx') },
  { name: 'persons', path: `${P}/persons`, nav: { label: 'Persons', group: 'Observe' }, load: () => import('./pages/persons/persons-page.tsx') },
  { name: 'person', path: `${P}/persons/:person`, load: () => import('./pages/persons/person-page.tsx') },
  { name: 'groups', path: `${P}/groups`, nav: { label: 'Groups', group: 'Observe' }, load: () => import('./pages/groups/groups-page.tsx') },
  { name: 'insights', path: `${P}/insights`, nav: { label: 'Insights', group: 'Understand' }, load: () => import('./pages/insights/insights-page.tsx') },
  { name: 'insight', path: `${P}/insights/:insight`, load: () => import('./pages/insights/insight-page.tsx') },
  { name: 'dashboards', path: `${P}/dashboards`, nav: { label: 'Dashboards', group: 'Understand' }, load: () => import('./pages/dashboards/dashboards-page.tsx') },
  { name: 'dashboard', path: `${P}/dashboards/:dashboard`, load: () => import('./pages/dashboards/dashboard-page.tsx') },
  { name: 'cohorts', path: `${P}/cohorts`, nav: { label: 'Cohorts', group: 'Understand' }, load: () => import('./pages/cohorts/cohorts-page.tsx') },
  { name: 'cohort', path: `${P}/cohorts/:cohort`, load: () => import('./pages/cohorts/cohort-page.tsx') },
  { name: 'flags', path: `${P}/flags`, nav: { label: 'Feature flags', group: 'Release' }, load: () => import('./pages/flags/flags-page.tsx') },
  { name: 'flag', path: `${P}/flags/:flag`, load: () => import('./pages/flags/flag-page.tsx') },
  { name: 'definitions', path: `${P}/definitions`, nav: { label: 'Definitions', group: 'Manage' }, load: () => import('./pages/definitions/definitions-page.tsx') },
  { name: 'activity', path: `${P}/activity`, nav: { label: 'Activity', group: 'Manage' }, load: () => import('./pages/activity/activity-page.tsx') },
  { name: 'members', path: `${P}/members`, nav: { label: 'Members and roles', group: 'Manage' }, load: () => import('./pages/accounts/members-page.tsx') },
  { name: 'settings', path: `${P}/settings`, nav: { label: 'Project settings', group: 'Manage' }, load: () => import('./pages/settings/settings-page.tsx') },
  { name: 'account', path: '/account', load: () => import('./pages/accounts/account-page.tsx') },
  { name: 'welcome', path: `${P}/welcome`, nav: { label: 'Connect', group: 'Manage' }, load: () => import('./pages/onboarding/onboarding-page.tsx') },
  { name: 'status', path: '/status', nav: { label: 'Server status', group: 'Manage' }, load: () => import('./pages/status/status-page.tsx') },
];
