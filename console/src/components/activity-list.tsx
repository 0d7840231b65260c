/** Who changed what, newest first: the same for every kind of thing. */
import type { Activity } from '../api/activity.ts';
import './activity-list.css';
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

/** As they are named in a sentence, and in a list to choose from. */
const KINDS: Readonly<Record<string, readonly [inSentence: string, inList: string]>> = {
  FeatureFlag: ['the flag', 'Flags'],
  Person: ['a person', 'Persons'],
  Cohort: ['the cohort', 'Cohorts'],
  EventDefinition: ['the event', 'Events'],
  PropertyDefinition: ['the property', 'Properties'],
  GroupType: ['the kind of groups', 'Kinds of groups'],
  Team: ['the project', 'Projects'],
  Organization: ['the organization', 'The organization'],
  OrganizationMembership: ['the membership of', 'Members'],
  OrganizationResourceAccess: ['what roles may do with', 'What roles may do'],
  Role: ['the role', 'Roles'],
};

export const KINDS_OF_THINGS = Object.entries(KINDS).map(([scope, [, label]]) => ({ scope, label }));

/** 'changed the flag new-checkout' */
export function deedOf({ activity, scope, detail }: Pick<Activity, 'activity' | 'scope' | 'detail'>): string {
  const kind = KINDS[scope]?.[0] ?? scope.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const deed = DEEDS[activity] ?? activity.replaceAll('_', ' ');
  return [deed, kind, detail.name].filter(Boolean).join(' ');
}
