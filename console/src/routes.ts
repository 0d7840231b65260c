/**
 * Every page, one line each: a module in `pages/` that exports `Page`, loaded when it is opened. With `nav` it is also in
 * the navigation, in the order of this table. The first match wins, so fixed paths come before parameters.
 */
import type { Route } from './lib/route-table.ts';

const P = '/project/:project';

// biome-ignore format: a table
export const ROUTES: readonly Route[] = [
  { name: 'login', path: '/login', isPublic: true, load: () => import('./pages/accounts/login-page.tsx') },
  { name: 'link', path: '/login/link', isPublic: true, load: () => import('./pages/accounts/link-page.tsx') },
  { name: 'setup', path: '/setup', isPublic: true, load: () => import('./pages/accounts/setup-page.tsx') },
  { name: 'invite', path: '/invite/:invite', isPublic: true, load: () => import('./pages/accounts/invite-page.tsx') },
  { name: 'reset', path: '/reset', isPublic: true, load: () => import('./pages/accounts/reset-page.tsx') },
  { name: 'reset-link', path: '/reset/:user', isPublic: true, load: () => import('./pages/accounts/reset-page.tsx') },
  { name: 'shared', path: '/shared/:token', isPublic: true, load: () => import('./pages/sharing/shared-page.tsx') },
  { name: 'embedded', path: '/embedded/:token', isPublic: true, load: () => import('./pages/sharing/shared-page.tsx') },
  { name: 'unsubscribe', path: '/unsubscribe/:token', isPublic: true, load: () => import('./pages/alerts/unsubscribe-page.tsx') },
  { name: 'leave-digest', path: '/unsubscribe/digest/:token', isPublic: true, load: () => import('./pages/digests/leave-digest-page.tsx') },
  { name: 'help', path: '/help', isPublic: true, load: () => import('./pages/help/guide-page.tsx') },
  { name: 'guide', path: '/help/:guide', isPublic: true, load: () => import('./pages/help/guide-page.tsx') },
  { name: 'docs', path: '/docs', isPublic: true, load: () => import('./pages/help/reference/reference-page.tsx') },
  { name: 'web', path: `${P}/web`, nav: { label: 'Home', title: 'Web analytics', group: 'Analytics', icon: 'home' }, load: () => import('./pages/web/web-page.tsx') },
  { name: 'dashboards', path: `${P}/dashboards`, nav: { label: 'Dashboards', group: 'Analytics', icon: 'dashboard' }, load: () => import('./pages/dashboards/dashboards-page.tsx') },
  { name: 'dashboard', path: `${P}/dashboards/:dashboard`, load: () => import('./pages/dashboards/dashboard-page.tsx') },
  { name: 'insights', path: `${P}/insights`, nav: { label: 'Insights', group: 'Analytics', icon: 'chart' }, load: () => import('./pages/insights/insights-page.tsx') },
  { name: 'insight', path: `${P}/insights/:insight`, load: () => import('./pages/insights/insight-page.tsx') },
  { name: 'sql', path: `${P}/sql`, nav: { label: 'SQL', group: 'Analytics', icon: 'code' }, load: () => import('./pages/sql/sql-page.tsx') },
  { name: 'alerts', path: `${P}/alerts`, nav: { label: 'Alerts', group: 'Analytics', icon: 'bell' }, load: () => import('./pages/alerts/alerts-page.tsx') },
  { name: 'alert', path: `${P}/alerts/:alert`, load: () => import('./pages/alerts/alert-page.tsx') },
  { name: 'persons', path: `${P}/persons`, nav: { label: 'Persons', group: 'People', icon: 'users' }, load: () => import('./pages/persons/persons-page.tsx') },
  { name: 'person', path: `${P}/persons/:person`, load: () => import('./pages/persons/person-page.tsx') },
  { name: 'groups', path: `${P}/groups`, nav: { label: 'Groups', group: 'People', icon: 'building' }, load: () => import('./pages/groups/groups-page.tsx') },
  { name: 'group', path: `${P}/groups/:type/:group`, load: () => import('./pages/groups/group-page.tsx') },
  { name: 'cohorts', path: `${P}/cohorts`, nav: { label: 'Cohorts', group: 'People', icon: 'cohort' }, load: () => import('./pages/cohorts/cohorts-page.tsx') },
  { name: 'cohort', path: `${P}/cohorts/:cohort`, load: () => import('./pages/cohorts/cohort-page.tsx') },
  { name: 'flags', path: `${P}/flags`, nav: { label: 'Feature flags', group: 'Releases', icon: 'flag' }, load: () => import('./pages/flags/flags-page.tsx') },
  { name: 'flag', path: `${P}/flags/:flag`, load: () => import('./pages/flags/flag-page.tsx') },
  { name: 'approvals', path: `${P}/approvals`, nav: { label: 'Approvals', group: 'Releases', icon: 'users' }, load: () => import('./pages/approvals/approvals-page.tsx') },
  { name: 'approval', path: `${P}/approvals/:request`, load: () => import('./pages/approvals/approval-page.tsx') },
  { name: 'experiments', path: `${P}/experiments`, nav: { label: 'Experiments', group: 'Releases', icon: 'flask' }, load: () => import('./pages/experiments/experiments-page.tsx') },
  { name: 'experiment', path: `${P}/experiments/:experiment`, load: () => import('./pages/experiments/experiment-page.tsx') },
  { name: 'holdouts', path: `${P}/holdouts`, load: () => import('./pages/experiments/holdouts-page.tsx') },
  { name: 'live', path: `${P}/live`, nav: { label: 'Live events', group: 'Data', icon: 'event' }, load: () => import('./pages/events/live-page.tsx') },
  { name: 'actions', path: `${P}/actions`, nav: { label: 'Actions', group: 'Data', icon: 'target' }, load: () => import('./pages/actions/actions-page.tsx') },
  { name: 'action', path: `${P}/actions/:action`, load: () => import('./pages/actions/action-page.tsx') },
  { name: 'definitions', path: `${P}/definitions`, nav: { label: 'Definitions', group: 'Data', icon: 'tags' }, load: () => import('./pages/definitions/definitions-page.tsx') },
  { name: 'annotations', path: `${P}/annotations`, nav: { label: 'Annotations', group: 'Data', icon: 'message' }, load: () => import('./pages/annotations/annotations-page.tsx') },
  { name: 'settings', path: `${P}/settings`, nav: { label: 'Project settings', group: 'Settings', icon: 'settings' }, load: () => import('./pages/settings/settings-page.tsx') },
  { name: 'members', path: `${P}/members`, nav: { label: 'Members and roles', group: 'Settings', icon: 'user' }, load: () => import('./pages/accounts/members-page.tsx') },
  { name: 'activity', path: `${P}/activity`, nav: { label: 'Activity log', group: 'Settings', icon: 'history' }, load: () => import('./pages/activity/activity-page.tsx') },
  { name: 'audit', path: `${P}/audit`, nav: { label: 'Audit log', group: 'Settings', icon: 'book' }, load: () => import('./pages/activity/audit-page.tsx') },
  { name: 'status', path: '/status', nav: { label: 'Server status', group: 'Settings', icon: 'server' }, load: () => import('./pages/status/status-page.tsx') },
  { name: 'welcome', path: `${P}/welcome`, nav: { label: 'Install SDK', group: 'Settings', icon: 'code' }, load: () => import('./pages/onboarding/onboarding-page.tsx') },
  { name: 'assistants', path: `${P}/assistants`, nav: { label: 'Connect assistant', group: 'Settings', icon: 'message' }, load: () => import('./pages/assistants/assistants-page.tsx') },
  { name: 'account', path: '/account', load: () => import('./pages/accounts/account-page.tsx') },
];
