/** A new webhook of events, or one that is there: how it fares, what was sent, and its settings. */
import './destinations.css';
import { useState } from 'preact/hooks';
import {
  createDestination,
  type Destination,
  type DestinationTest,
  deleteDestination,
  getDestination,
  getDestinationTotals,
  testDestination,
  updateDestination,
} from '../../api/destinations.ts';
import { ADMIN } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { ItemPage } from '../../components/item-page.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageFrame } from '../../components/page.tsx';
import { SaveForm } from '../../components/save-form.tsx';
import { Badge, Banner, ErrorNote } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject, useSession } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useInterval, useResource } from '../../lib/use-resource.ts';
import { bodyOf, draftOf, missingIn, newDraft } from './destination-draft.ts';
import { MaskingFields, RequestFields } from './destination-form.tsx';
import { DestinationState } from './destination-state.tsx';
import { EventFilterFields } from './event-filter-fields.tsx';
import { SentRequests } from './sent-requests.tsx';

const REFRESH_MS = 10_000;

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['destination'] ?? 'new';
  const all = <Link to={pathTo('destinations', { project: id }) ?? '/'}>All destinations</Link>;
  if (key === 'new') {
    return (
      <PageFrame title="New webhook" lead={all}>
        <Editor key="new" destination={null} />
      </PageFrame>
    );
  }
  return (
    <ItemPage name="Webhook" all={all} load={(signal) => getDestination(id, key, signal)} inputs={[id, key]}>
      {(found, { set, reload }) => <Existing destination={found} onChange={set} onRefresh={reload} />}
    </ItemPage>
  );
}

const TABS = [
  { id: 'requests', label: 'Requests' },
  { id: 'settings', label: 'Settings' },
] as const;
type TabName = (typeof TABS)[number]['id'];

interface ExistingProps {
  destination: Destination;
  onChange(destination: Destination): void;
  onRefresh(): void;
}

function Existing({ destination, onChange, onRefresh }: ExistingProps) {
  const { id } = useProject();
  const { me } = useSession();
  const [tab, setTab] = useQueryState('tab', 'requests');
  const [isDeleting, setDeleting] = useState(false);
  const [tested, setTested] = useState<DestinationTest | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const totals = useResource((signal) => getDestinationTotals(id, destination.id, signal), [id, destination.id]);
  useInterval(() => {
    onRefresh();
    totals.reload();
  }, REFRESH_MS);
  const isAdmin = (me.organization?.membership_level ?? 0) >= ADMIN;
  const change = (body: Parameters<typeof updateDestination>[2]): void =>
    void updateDestination(id, destination.id, body).then((saved) => {
      onChange(saved);
      if (saved.signing_secret !== undefined) setSecret(saved.signing_secret);
    }, toastError);
  const test = useAction(async () => setTested(await testDestination(id, destination.id)));
  const { status, enabled } = destination;
  const actions = isAdmin && (
    <>
      <Button busy={test.busy} onClick={() => void test.run()}>
        Send a test
      </Button>
      {enabled ? (
        <Button onClick={() => change({ enabled: false })}>Disable</Button>
      ) : (
        <Button kind="primary" onClick={() => change({ enabled: true })}>
          Enable
        </Button>
      )}
      <Menu label="More">
        <button type="button" onClick={() => change({ roll_secret: true })}>
          Replace the signing secret
        </button>
        <button type="button" onClick={() => setDeleting(true)}>
          Delete
        </button>
      </Menu>
    </>
  );
  const shown: TabName = TABS.find((one) => one.id === tab)?.id ?? 'requests';
  return (
    <PageFrame title={destination.name} lead={destination.description} actions={actions}>
      {test.error !== undefined && <ErrorNote error={test.error} />}
      {status.state === 'paused' && (
        <Banner tone="warn" action={isAdmin && <Button onClick={() => change({ enabled: true })}>Resume</Button>}>
          Paused after the address could not be reached{status.error === null ? '' : `: ${status.error}`}. Events wait,
          for 7 days at most.
        </Banner>
      )}
      <Facts facts={factsOf(destination, totals.data?.totals)} />
      <Tabs<TabName> label="About this webhook" tabs={TABS} value={shown} onChange={setTab}>
        {shown === 'requests' && <SentRequests destinationId={destination.id} />}
        {shown === 'settings' &&
          (isAdmin ? (
            <Editor key={destination.updated_at} destination={destination} onSaved={onChange} onSecret={setSecret} />
          ) : (
            <p class="muted">Admins see and change the settings.</p>
          ))}
      </Tabs>
      {tested && <TestResult result={tested} onClose={() => setTested(null)} />}
      {secret !== null && <Secret secret={secret} onClose={() => setSecret(null)} />}
      {isDeleting && (
        <Confirm
          title={`Delete ${destination.name}?`}
          action="Delete webhook"
          danger
          onConfirm={async () => {
            await deleteDestination(id, destination.id);
            navigate(pathTo('destinations', { project: id }) ?? '/');
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            {status.waiting === 0
              ? 'No more events are sent.'
              : `No more events are sent, also not the ${formatNumber(status.waiting)} that wait.`}
          </p>
        </Confirm>
      )}
    </PageFrame>
  );
}

function factsOf(destination: Destination, totals: Readonly<Record<string, number>> | undefined): Fact[] {
  const { status, created_by: by } = destination;
  const count = (state: string): string => formatNumber(totals?.[state] ?? 0);
  return [
    ['State', <DestinationState destination={destination} />],
    ...(status.error === null || status.state === 'paused' ? [] : [['Last error', status.error] as Fact]),
    ...(status.retry_at === null ? [] : [['Next attempt', <Time at={status.retry_at} as="recent" />] as Fact]),
    [
      'Waiting',
      <>
        {formatNumber(status.waiting)}
        {status.waiting_since !== null && (
          <>
            , since <Time at={status.waiting_since} as="recent" />
          </>
        )}
      </>,
    ],
    ['Last 7 days', `${count('sent')} sent, ${count('failed')} failed, ${count('skipped')} skipped`],
    ['Created by', by === null ? 'Deleted user' : by.first_name || by.email],
  ];
}

function TestResult({ result, onClose }: { result: DestinationTest; onClose(): void }) {
  const isGood = result.status === 'success';
  return (
    <Dialog title="Test event" onClose={onClose}>
      <div class="stack">
        <p>
          <Badge tone={isGood ? 'good' : 'bad'}>{isGood ? 'Arrived' : 'Failed'}</Badge> {result.error ?? ''} after{' '}
          {formatNumber(result.ms)} ms
        </p>
        <Code label="What was sent" text={indented(result.body)} />
      </div>
    </Dialog>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const Secret = ({ secret, onClose }: { secret: string; onClose(): void }) => (
  <Dialog title="The signing secret" onClose={onClose} footer={<Button onClick={onClose}>Done</Button>}>
    <p>
      It verifies the header <code>webhook-signature</code> and is shown once.
    </p>
    <Code label="Signing secret" text={secret} />
  </Dialog>
);

interface EditorProps {
  /** Null: a new one. */
  destination: Destination | null;
  onSaved?(destination: Destination): void;
  onSecret?(secret: string): void;
}

function Editor({ destination, onSaved, onSecret }: EditorProps) {
  const { id } = useProject();
  const [draft, setDraft] = useState(() => (destination ? draftOf(destination) : newDraft()));
  const [created, setCreated] = useState<Destination | null>(null);
  const missing = missingIn(draft);
  const save = useAction(async () => {
    const body = bodyOf(draft);
    if (destination === null) return setCreated(await createDestination(id, { ...body, enabled: true }));
    const saved = await updateDestination(id, destination.id, body);
    toast('Webhook saved.');
    onSaved?.(saved);
    if (saved.signing_secret !== undefined) onSecret?.(saved.signing_secret);
  });
  const open = (): void => navigate(pathTo('destination', { project: id, destination: created?.id ?? '' }) ?? '/');
  return (
    <SaveForm save={save} label={destination ? 'Save changes' : 'Create webhook'} missing={missing}>
      <div class="destination-panes">
        <section class="card stack">
          <h2>Request</h2>
          <RequestFields draft={draft} onChange={setDraft} />
        </section>
        <section class="card stack">
          <h2>Events</h2>
          <EventFilterFields value={draft.events} onChange={(events) => setDraft({ ...draft, events })} />
          <MaskingFields draft={draft} onChange={setDraft} />
        </section>
      </div>
      {created && <Secret secret={created.signing_secret ?? ''} onClose={open} />}
    </SaveForm>
  );
}
