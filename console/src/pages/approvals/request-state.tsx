import type { ChangeRequest } from '../../api/approvals.ts';
import { Badge } from '../../components/states.tsx';

/** Where a change request stands, in a word or two. */
export function RequestState({ request }: { request: ChangeRequest }) {
  const { state, validation_status, approvals, policy_snapshot, result_data } = request;
  const approved = approvals.filter(({ decision }) => decision === 'approved').length;
  if (state === 'pending' && validation_status !== 'valid') return <Badge tone="warn">Stale</Badge>;
  if (state === 'pending')
    return (
      <Badge tone="warn">
        Waiting, {approved} of {String(policy_snapshot['quorum'])}
      </Badge>
    );
  if (state === 'applied') return <Badge tone="good">Applied</Badge>;
  if (state === 'failed') return <Badge tone="bad">Failed</Badge>;
  if (state === 'expired') return <Badge>Expired</Badge>;
  return <Badge>{result_data?.['canceled'] === true ? 'Canceled' : 'Rejected'}</Badge>;
}
