/** Who changed what, newest first: the same for every kind of thing. */
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
              <b>{entry.user.is_system ? 'Cairn' : entry.user.first_name || entry.user.email}</b> {deedOf(entry)}
            </span>
            <span class="push soft small">
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
          .join(', ') || 'What changed'}
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

const DEEDS: Readonly<Record<string, string>> = {
  created: 'made',
  updated: 'changed',
  deleted: 'deleted',
  delete_property: 'removed a property of',
  split_person: 'split',
  undid_merge: 'undid a merge of',
};

const KINDS: Readonly<Record<string, string>> = {
  FeatureFlag: 'the flag',
  Person: 'a person',
  Team: 'the project',
  Cohort: 'the cohort',
  EventDefinition: 'the event',
  PropertyDefinition: 'the property',
  Organization: 'the organization',
  OrganizationMembership: 'the membership of',
  Role: 'the role',
  GroupType: 'the kind of groups',
};

export const KINDS_OF_THINGS: readonly string[] = Object.keys(KINDS);

/** 'changed the flag new-checkout' */
export function deedOf({ activity, scope, detail }: Pick<Activity, 'activity' | 'scope' | 'detail'>): string {
  const kind = KINDS[scope] ?? scope.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const deed = DEEDS[activity] ?? activity.replaceAll('_', ' ');
  return [deed, kind, detail.name].filter(Boolean).join(' ');
}
