import { type AuditEntry, auditPath, listAudit } from '../../api/audit.ts';
import { listMembers, type Member } from '../../api/organizations.ts';
import { scopeInList, scopeInSentence } from '../../components/activity-list.tsx';
import { CsvLink } from '../../components/csv-link.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { useProject } from '../../lib/session.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { AuditWebhookTab } from './audit-webhook.tsx';

const PAGE_SIZE = 50;
const TABS = [
  { id: 'log', label: 'Log' },
  { id: 'webhook', label: 'Webhook' },
] as const;
const ACTIVITIES = [
  'created',
  'updated',
  'deleted',
  'exported',
  'logged_in',
  'login_failed',
  'break_glass',
  'rolled',
  'used_from_new_network',
  'deactivated',
];
const SCOPES = [
  'PersonalAPIKey',
  'ProjectSecretKey',
  'OrganizationMembership',
  'OrganizationInvite',
  'OrganizationDomain',
  'OrganizationResourceAccess',
  'Role',
  'User',
  'Organization',
  'Team',
  'FeatureFlag',
  'Person',
  'Audit',
  'AuditWebhook',
];

export function Page() {
  const { organization } = useProject();
  const [tab, setTab] = useQueryState('tab');
  const shown = tab === 'webhook' ? tab : 'log';
  return (
    <PageFrame
      title="Audit log"
      lead="Who changed what, from where and with which key. Entries cannot be changed or deleted."
    >
      <Tabs label="Audit log and webhook" tabs={TABS} value={shown} onChange={setTab}>
        {shown === 'webhook' ? <AuditWebhookTab organizationId={organization} /> : <AuditList />}
      </Tabs>
    </PageFrame>
  );
}

function AuditList() {
  const { organization } = useProject();
  const members = useResource((signal) => listMembers(organization, signal), [organization]);
  const [user] = useQueryState('user');
  const [scope] = useQueryState('scope');
  const [activity] = useQueryState('activity');
  const [after] = useQueryState('after');
  const [before] = useQueryState('before');
  const [offset, setOffset] = useOffset();
  const filters = { user, scope, activity, after, before };
  const entries = useResource(
    (signal) => listAudit(organization, { ...filters, limit: PAGE_SIZE, offset }, signal),
    [organization, user, scope, activity, after, before, offset],
  );
  const download = (format: 'csv' | 'jsonl'): string =>
    `${auditPath(organization)}?${new URLSearchParams({ ...filters, format })}`;
  return (
    <>
      <div class="row-end">
        <Select
          label="Member"
          value={user}
          options={memberOptions(members.data ?? [], user)}
          onChange={(next) => changeFilter({ user: next || null })}
        />
        <Select
          label="Type"
          value={scope}
          options={withAll('All types', SCOPES, scopeInList)}
          onChange={(next) => changeFilter({ scope: next || null })}
        />
        <Select
          label="Activity"
          value={activity}
          options={withAll('All activity', ACTIVITIES, (activity) => sentence(verbOf(activity)))}
          onChange={(next) => changeFilter({ activity: next || null })}
        />
        <TextField label="From" type="date" value={after} onInput={(next) => changeFilter({ after: next || null })} />
        <TextField
          label="Before"
          type="date"
          value={before}
          onInput={(next) => changeFilter({ before: next || null })}
        />
        <CsvLink href={download('csv')} name="audit.csv" />
        <a class="button" href={download('jsonl')} download="audit.jsonl">
          Export JSON lines
        </a>
      </div>
      <Loaded resource={entries}>
        {({ count, results }) => (
          <>
            <Table
              label="Audit log, newest first"
              columns={COLUMNS}
              rows={results}
              rowKey={({ number }) => number}
              empty={<Empty title="No entries">Choose other filters to see more of the log.</Empty>}
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Also whoever is chosen by the address of the page, and no longer a member. */
function memberOptions(members: readonly Member[], chosen: string) {
  const known = members.map(({ user }) => ({ value: user.uuid, label: user.email }));
  const isOther = chosen !== '' && !known.some(({ value }) => value === chosen);
  return [{ value: '', label: 'Everyone' }, ...known, ...(isOther ? [{ value: chosen, label: 'Former member' }] : [])];
}

const VERBS: Readonly<Record<string, string>> = {
  logged_in: 'signed in',
  login_failed: 'failed to sign in',
  used_from_new_network: 'used from a new network',
};

const verbOf = (activity: string): string => VERBS[activity] ?? activity.replaceAll('_', ' ');

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const withAll = (label: string, values: readonly string[], labelOf: (value: string) => string) => [
  { value: '', label },
  ...values.map((value) => ({ value, label: labelOf(value) })),
];

/** 'Updated feature flag' */
function describe({ activity, scope }: AuditEntry): string {
  const isSignIn = activity === 'logged_in' || activity === 'login_failed';
  if (activity === 'query') return 'Ran SQL';
  if (activity === 'used_from_new_network') return `First use from a new network: ${scopeInSentence(scope)}`;
  return sentence(isSignIn ? verbOf(activity) : `${verbOf(activity)} ${scopeInSentence(scope)}`);
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { id: 'time', title: 'Time', cell: ({ created_at }) => <Time at={created_at} as="relative" /> },
  { id: 'who', title: 'Who', cell: ({ user }) => <span class="truncate">{user?.email ?? 'System'}</span> },
  {
    id: 'what',
    title: 'What',
    cell: (entry) => (
      <>
        {describe(entry)} <b class="truncate">{entry.name ?? entry.item_id}</b>{' '}
        <span class="muted small">{describeChanges(entry)}</span>
      </>
    ),
  },
  { id: 'with', title: 'With', isWide: true, cell: (entry) => <span class="truncate">{describeOrigin(entry)}</span> },
  { id: 'from', title: 'From', isWide: true, cell: ({ address }) => address ?? '' },
];

interface Change {
  field: string | null;
  before?: unknown;
  after?: unknown;
}

const describeChanges = ({ changes }: AuditEntry): string =>
  ((changes ?? []) as Change[])
    .map(({ field, before, after }) =>
      after === undefined ? (field ?? '') : `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
    )
    .join(', ');

function describeOrigin({ via, key, client }: AuditEntry): string {
  if (key) return client === null ? `Key ${key.label}` : `Key ${key.label}, ${client}`;
  return via === 'session' ? 'Session' : via === 'operator' ? 'Command line' : '';
}
