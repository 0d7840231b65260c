import { useState } from 'preact/hooks';
import { type ChangeRequest, getChangeRequest, voteOn } from '../../api/approvals.ts';
import { Button } from '../../components/button.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { TextArea } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Banner, ErrorNote, Loaded, NotFound } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { DifferenceList } from '../flags/difference-list.tsx';
import { isObject } from '../flags/model/filters.ts';
import { labelOfPath } from '../flags/model/path-labels.ts';
import { describeOperation } from '../flags/schedule/operations.ts';
import { RequestState } from './request-state.tsx';

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const { request = '' } = params;
  const found = useResource((signal) => getChangeRequest(id, request, signal), [id, request]);
  const all = <Link to={pathTo('approvals', { project: id }) ?? '/'}>All approvals</Link>;
  return (
    <PageFrame title={found.data?.intent_display.description ?? 'Change request'} lead={all}>
      <Loaded resource={found} notFound={<NotFound name="Change request" all={all} />}>
        {(data) => <Request request={data} onChanged={found.reload} />}
      </Loaded>
    </PageFrame>
  );
}

function Request({ request, onChanged }: { request: ChangeRequest; onChanged(): void }) {
  const { id: project } = useProject();
  const { resource_id: flag } = request;
  return (
    <div class="stack">
      <Problem request={request} />
      <section class="card stack" aria-label="What changes">
        <h2>What changes</h2>
        <DifferenceList
          label="Differences"
          differences={request.diff.map(({ path, from, to }) => ({
            what: labelOfPath(path),
            before: shown(from),
            after: shown(to),
          }))}
        />
        <p>{reachOf(request)}</p>
        {flag !== null && <Link to={pathTo('flag', { project, flag }) ?? '/'}>Open the feature flag</Link>}
      </section>
      <section class="card stack" aria-label="Request">
        <h2>Request</h2>
        <Facts facts={factsOf(request)} />
      </section>
      {(request.can_approve || request.can_cancel) && <Votes request={request} onChanged={onChanged} />}
    </div>
  );
}

/** What is made when, of a scheduled change. */
function scheduleOf({ intent }: ChangeRequest): string | null {
  const { scheduled_change: change } = intent as { scheduled_change?: { input?: { payload?: unknown } } };
  const payload = change?.input?.payload;
  return isObject(payload) ? describeOperation({ payload }) : null;
}

const factsOf = (request: ChangeRequest): Fact[] => [
  ['State', <RequestState key="state" request={request} />],
  ...(scheduleOf(request) === null ? [] : [['Scheduled change', scheduleOf(request)] as Fact]),
  ['Asked by', request.created_by?.email ?? 'A deleted user'],
  ['Asked', <Time key="asked" at={request.created_at} />],
  ['Expires', <Time key="expires" at={request.expires_at} />],
  ...(request.scheduled_at === null ? [] : [['To be made', <Time key="made" at={request.scheduled_at} />] as Fact]),
  ...request.approvals.map(
    ({ created_by, decision, reason }): Fact => [
      created_by?.email ?? 'A deleted user',
      `${decision === 'approved' ? 'Approved' : 'Rejected'}${reason === '' ? '' : `: ${reason}`}`,
    ],
  ),
];

const shown = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

function reachOf({ blast_radius: reach, state }: ChangeRequest): string {
  if (reach === null) return 'Whom it reaches was not measured.';
  const { users_changed, total_users } = reach;
  const verb = state === 'pending' ? 'would get' : 'got';
  return `${users_changed.toLocaleString('en')} of ${total_users.toLocaleString('en')} known users ${verb} another value.`;
}

function Problem({ request }: { request: ChangeRequest }) {
  const { state, validation_errors: errors, apply_error } = request;
  if (apply_error !== null) return <Banner tone="bad">The change could not be made: {apply_error}</Banner>;
  if (state !== 'pending' || errors === null) return null;
  return <Banner tone="warn">{errors.detail} It cannot be approved any more: ask for the change again.</Banner>;
}

function Votes({ request, onChanged }: { request: ChangeRequest; onChanged(): void }) {
  const { id } = useProject();
  const [reason, setReason] = useState('');
  const vote = useAction(async (kind: 'approve' | 'reject' | 'cancel') => {
    toast((await voteOn(id, request.id, kind, reason.trim())).message);
    onChanged();
  });
  return (
    <section class="card stack" aria-label="Your decision">
      <h2>Your decision</h2>
      <TextArea label="Reason" value={reason} onInput={setReason} rows={2} hint="Needed to reject a change." />
      {vote.error !== undefined && <ErrorNote error={vote.error} />}
      <div class="row">
        {request.can_approve && (
          <>
            <Button
              kind="primary"
              busy={vote.busy}
              disabled={request.validation_status !== 'valid'}
              onClick={() => void vote.run('approve')}
            >
              Approve
            </Button>
            <Button kind="danger" disabled={reason.trim() === '' || vote.busy} onClick={() => void vote.run('reject')}>
              Reject
            </Button>
          </>
        )}
        {request.can_cancel && (
          <Button disabled={vote.busy} onClick={() => void vote.run('cancel')}>
            Cancel this request
          </Button>
        )}
      </div>
    </section>
  );
}
