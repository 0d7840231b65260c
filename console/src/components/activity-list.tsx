import './activity-list.css';
import type { Activity } from '../api/activity.ts';
import { Time } from './time.tsx';
import { ValueText } from './value-text.tsx';

export function ActivityList({ entries, label }: { entries: readonly Activity[]; label: string }) {
  return (
    <ol class="activity-list" aria-label={label}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <div class="row">
            <span>
              <b>{entry.user.is_system ? 'System' : entry.user.first_name || entry.user.email}</b>{' '}
              {describeActivity(entry)}
            </span>
            <span class="push muted small">
              <Time at={entry.created_at} />
            </span>
          </div>
          <Changes entry={entry} />
        </li>
      ))}
    </ol>
  );
}

function Changes({ entry: { detail } }: { entry: Activity }) {
  const changes = (detail.changes ?? []).filter(({ before, after }) => before !== null || after !== null);
  if (changes.length === 0) return null;
  return (
    <details>
      <summary class="small">
        {changes
          .map(({ field }) => field?.replaceAll('_', ' '))
          .filter(Boolean)
          .join(', ') || 'Changes'}
      </summary>
      {changes.map(({ field, before, after }, index) => (
        <dl key={index} class="facts">
          <dt>{field ? `${field.replaceAll('_', ' ')} before` : 'Before'}</dt>
          <dd>
            <ValueText value={before} />
          </dd>
          <dt>After</dt>
          <dd>
            <ValueText value={after} />
          </dd>
        </dl>
      ))}
    </details>
  );
}

const VERBS: Readonly<Record<string, string>> = {
  delete_property: 'deleted a property of',
  split_person: 'split',
  undid_merge: 'undid a merge of',
  early_numbers_shown: 'looked at early numbers of',
};

/** In a sentence, and in the list of filters. */
const SCOPE_LABELS: Readonly<Record<string, readonly [inSentence: string, inList: string]>> = {
  FeatureFlag: ['feature flag', 'Feature flags'],
  Person: ['person', 'Persons'],
  Cohort: ['cohort', 'Cohorts'],
  EventDefinition: ['event definition', 'Event definitions'],
  PropertyDefinition: ['property definition', 'Property definitions'],
  GroupType: ['group type', 'Group types'],
  Team: ['project', 'Projects'],
  Organization: ['organization', 'Organization'],
  OrganizationMembership: ['member', 'Members'],
  OrganizationResourceAccess: ['default access to', 'Default access'],
  OrganizationInvite: ['invitation of', 'Invitations'],
  AuditWebhook: ['audit webhook', 'Audit webhook'],
  Role: ['role', 'Roles'],
  User: ['account', 'Accounts'],
  ProjectSecretKey: ['secret API key', 'Secret API keys'],
  PersonalAPIKey: ['personal API key', 'Personal API keys'],
  Query: ['SQL', 'SQL'],
};

export const SCOPES = Object.entries(SCOPE_LABELS).map(([scope, [, label]]) => ({ scope, label }));

export const scopeInList = (scope: string): string => SCOPE_LABELS[scope]?.[1] ?? scope;

/** 'feature flag' */
export const scopeInSentence = (scope: string): string =>
  SCOPE_LABELS[scope]?.[0] ?? scope.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

const MAX_SQL_LENGTH = 120;
const shortText = (sql: string): string => {
  const line = sql.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_SQL_LENGTH ? `${line.slice(0, MAX_SQL_LENGTH)}…` : line;
};

/** 'updated feature flag new-checkout' */
function describeActivity({ activity, scope, detail }: Pick<Activity, 'activity' | 'scope' | 'detail'>): string {
  const from = typeof detail.trigger?.['from'] === 'string' ? ` from ${detail.trigger['from']}` : '';
  if (activity === 'logged_in') return `signed in${from}`;
  if (activity === 'login_failed') return `recorded a failed sign-in to ${detail.name ?? 'an account'}${from}`;
  if (activity === 'query') return `ran SQL: ${shortText(detail.name ?? '')}`;
  if (activity === 'used_from_new_network') return `first used the key ${detail.name ?? ''}${from}`;
  const label = scopeInSentence(scope);
  const verb = VERBS[activity] ?? activity.replaceAll('_', ' ');
  return [verb, label, detail.name].filter(Boolean).join(' ');
}
