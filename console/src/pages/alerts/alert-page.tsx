/** A new alert, or one that is there: its form, a back-test, its state and what it found. */
import './alerts.css';
import { useState } from 'preact/hooks';
import {
  type Alert,
  type AlertCheck,
  createAlert,
  deleteAlert,
  getAlert,
  listChecks,
  testAlert,
  updateAlert,
} from '../../api/alerts.ts';
import { getInsight } from '../../api/insights.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { ItemPage } from '../../components/item-page.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageFrame } from '../../components/page.tsx';
import { SaveForm } from '../../components/save-form.tsx';
import { Banner, Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate, useLocation } from '../../lib/router.ts';
import { useProject, useSession } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { RuleFields, TargetFields } from './alert-form.tsx';
import { AlertState } from './alert-state.tsx';
import { BacktestChart } from './backtest-chart.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { describeAlert } from './describe-alert.ts';
import { draftOf, kindOf, missingIn, newDraft, toWrite, withSuggestion } from './draft.ts';

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const { query } = useLocation();
  const key = params['alert'] ?? 'new';
  if (key === 'new') {
    const insight = Number(query.get('insight'));
    return (
      <PageFrame title="New alert" lead="Be told when a number leaves its bounds.">
        <Editor alert={null} insightId={Number.isSafeInteger(insight) && insight > 0 ? insight : null} />
      </PageFrame>
    );
  }
  const all = <Link to={pathTo('alerts', { project: id }) ?? '/'}>All alerts</Link>;
  return (
    <ItemPage name="Alert" all={all} load={(signal) => getAlert(id, key, signal)} inputs={[id, key]}>
      {(found, { set }) => <Existing alert={found} onChange={set} />}
    </ItemPage>
  );
}

const TABS = [
  { id: 'checks', label: 'Checks' },
  { id: 'settings', label: 'Settings' },
  { id: 'deliveries', label: 'Deliveries' },
] as const;
type TabName = (typeof TABS)[number]['id'];

const HOUR_MS = 3_600_000;
const SNOOZES = [
  { label: 'for an hour', hours: 1 },
  { label: 'for a day', hours: 24 },
  { label: 'for a week', hours: 168 },
] as const;

function Existing({ alert, onChange }: { alert: Alert; onChange(alert: Alert): void }) {
  const { id } = useProject();
  const [tab, setTab] = useQueryState('tab', 'checks');
  const [isDeleting, setDeleting] = useState(false);
  const change = (body: Parameters<typeof updateAlert>[2]): void =>
    void updateAlert(id, alert.id, body).then(onChange, toastError);
  const test = useAction(async () => {
    const { deliveries } = await testAlert(id, alert.id);
    toast(
      deliveries === 0
        ? 'No receivers yet: add one in the settings.'
        : `${pluralize(deliveries, 'test message')} sent.`,
    );
  });
  const actions = (
    <>
      <Button busy={test.busy} onClick={() => void test.run()}>
        Send a test
      </Button>
      {alert.state === 'Snoozed' ? (
        <Button onClick={() => change({ snoozed_until: null })}>End snooze</Button>
      ) : (
        <Menu label="Snooze">
          {SNOOZES.map(({ label, hours }) => (
            <button
              type="button"
              key={hours}
              onClick={() => change({ snoozed_until: new Date(Date.now() + hours * HOUR_MS).toISOString() })}
            >
              Snooze {label}
            </button>
          ))}
        </Menu>
      )}
      <Menu label="More">
        <button type="button" onClick={() => change({ enabled: !alert.enabled })}>
          {alert.enabled ? 'Disable' : 'Enable'}
        </button>
        <button type="button" onClick={() => setDeleting(true)}>
          Delete
        </button>
      </Menu>
    </>
  );
  const shown: TabName = TABS.find((one) => one.id === tab)?.id ?? 'checks';
  return (
    <PageFrame title={alert.name} lead={describeAlert(alert)} actions={actions}>
      {test.error !== undefined && <ErrorNote error={test.error} />}
      <Facts facts={factsOf(alert, id)} />
      {alert.targets
        .filter(({ paused }) => paused !== null)
        .map(({ id: targetId, url, paused }) => (
          <Banner key={targetId} tone="warn">
            Nothing is sent to {url ?? 'the webhook of the project'}: {paused}. Save the alert to try it again.
          </Banner>
        ))}
      <Tabs<TabName> label="About this alert" tabs={TABS} value={shown} onChange={setTab}>
        {shown === 'checks' && <Checks alertId={alert.id} />}
        {shown === 'settings' && <Editor alert={alert} insightId={null} onSaved={onChange} />}
        {shown === 'deliveries' && <DeliveryLog alertId={alert.id} />}
      </Tabs>
      {isDeleting && (
        <Confirm
          title="Delete this alert?"
          action="Delete alert"
          danger
          onConfirm={async () => {
            await deleteAlert(id, alert.id);
            navigate(pathTo('alerts', { project: id }) ?? '/');
          }}
          onClose={() => setDeleting(false)}
        >
          <p>It sends no more messages. What was sent stays in the log for 30 days.</p>
        </Confirm>
      )}
    </PageFrame>
  );
}

const factsOf = (alert: Alert, projectId: number): [string, preact.ComponentChildren][] => [
  ['State', <AlertState alert={alert} />],
  ...(alert.snoozed_until !== null && alert.state === 'Snoozed'
    ? [['Snoozed until', <Time at={alert.snoozed_until} />] as [string, preact.ComponentChildren]]
    : []),
  ...(alert.insight === null
    ? []
    : [
        [
          'Insight',
          <Link to={pathTo('insight', { project: projectId, insight: alert.insight.id }) ?? '/'}>
            {alert.insight.name || alert.insight.derived_name || 'Untitled insight'}
          </Link>,
        ] as [string, preact.ComponentChildren],
      ]),
  ['Last value', alert.last_value === null ? 'None yet' : formatNumber(alert.last_value)],
  ['Next check', alert.next_check_at === null ? 'Disabled' : <Time at={alert.next_check_at} />],
  ['Last message', alert.last_notified_at === null ? 'None yet' : <Time at={alert.last_notified_at} />],
  ['Owner', alert.created_by === null ? 'Deleted user' : alert.created_by.first_name || alert.created_by.email],
];

interface EditorProps {
  alert: Alert | null;
  insightId: number | null;
  onSaved?(alert: Alert): void;
}

function Editor({ alert, insightId, onSaved }: EditorProps) {
  const { id } = useProject();
  const { me } = useSession();
  const [draft, setDraft] = useState(() => (alert ? draftOf(alert) : newDraft(insightId, me.id)));
  const [secrets, setSecrets] = useState<readonly string[]>([]);
  const insight = useResource(
    draft.insight === null ? null : (signal) => getInsight(id, String(draft.insight), signal),
    [id, draft.insight],
  );
  const kind = kindOf(insight.data);
  const missing = missingIn(draft, kind) ?? (draft.name.trim() === '' ? 'Give the alert a name.' : null);
  const save = useAction(async () => {
    const body = toWrite(draft, kind);
    const saved = alert ? await updateAlert(id, alert.id, body) : await createAlert(id, body);
    const fresh = saved.targets.flatMap(({ secret }) => secret ?? []);
    setSecrets(fresh);
    setDraft(draftOf(saved));
    toast('Alert saved.');
    onSaved?.(saved);
    if (!alert && fresh.length === 0) navigate(pathTo('alert', { project: id, alert: saved.id }) ?? '/');
  });
  const known = new Map((alert?.targets ?? []).flatMap(({ id: targetId, url }) => (url ? [[targetId, url]] : [])));
  return (
    <SaveForm save={save} label={alert ? 'Save changes' : 'Create alert'} missing={missing}>
      <div class="alert-panes">
        <section class="card stack">
          <h2>Rule</h2>
          <RuleFields draft={draft} kind={kind} onChange={setDraft} />
        </section>
        <div class="stack">
          <section class="card stack">
            <h2>Back-test</h2>
            <BacktestChart
              draft={draft}
              kind={kind}
              onSuggestion={(suggestion) => setDraft(withSuggestion(draft, suggestion))}
            />
          </section>
          <section class="card stack">
            <h2>Receivers</h2>
            <TargetFields draft={draft} known={known} onChange={setDraft} />
          </section>
        </div>
      </div>
      {secrets.map((secret) => (
        <Banner key={secret} tone="accent">
          <p>The secret of the new webhook verifies its signatures. It is shown once:</p>
          <Code label="Secret of the webhook" text={secret} />
        </Banner>
      ))}
    </SaveForm>
  );
}

const PAGE_SIZE = 50;

function Checks({ alertId }: { alertId: string }) {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const checks = useResource(
    (signal) => listChecks(id, alertId, { limit: PAGE_SIZE, offset }, signal),
    [id, alertId, offset],
  );
  return (
    <Loaded resource={checks}>
      {({ results, count }) => (
        <>
          <Table
            label="Checks, newest first"
            columns={CHECK_COLUMNS}
            rows={results}
            rowKey={(one) => one.id}
            empty={
              <Empty title="Not checked yet">
                The first check is when the current period is over, and a minute later.
              </Empty>
            }
          />
          <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
        </>
      )}
    </Loaded>
  );
}

const REASONS: Readonly<Record<string, string>> = { not_enough_data: 'Not enough data yet' };

const boundsText = (bounds: AlertCheck['bounds']): string => {
  const { lower = null, upper = null } = bounds ?? {};
  if (lower !== null && upper !== null) return `${formatNumber(lower)} to ${formatNumber(upper)}`;
  if (lower !== null) return `at least ${formatNumber(lower)}`;
  return upper === null ? '–' : `at most ${formatNumber(upper)}`;
};

const CHECK_COLUMNS: Column<AlertCheck>[] = [
  { id: 'slot', title: 'Period from', cell: ({ slot }) => <Time at={slot} /> },
  {
    id: 'value',
    title: 'Value',
    isNumber: true,
    cell: ({ calculated_value: value }) => (value === null ? '–' : formatNumber(value)),
  },
  { id: 'bounds', title: 'Usual', isWide: true, cell: ({ bounds }) => boundsText(bounds) },
  { id: 'state', title: 'State', cell: ({ state }) => <AlertState alert={{ state, enabled: true }} /> },
  {
    id: 'note',
    title: 'Note',
    isWide: true,
    cell: ({ breakdown_value, reason, late, missed, targets_notified: told }) =>
      [
        breakdown_value,
        reason === null ? null : (REASONS[reason] ?? reason),
        late ? 'events were still being processed' : null,
        missed > 0 ? `${pluralize(missed, 'period')} before it not checked` : null,
        told.length > 0 ? `told ${told.join(', ')}` : null,
      ]
        .filter((one) => one !== null)
        .join('; '),
  },
];
