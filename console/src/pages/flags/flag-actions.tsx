import { useState } from 'preact/hooks';
import { type FeatureFlag, updateFlag } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { toast } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { orAskForApproval } from '../approvals/or-ask-for-approval.ts';
import { AffectedUsers } from './affected-users.tsx';
import { FlagStatus } from './flag-status.tsx';
import { FlagSwitch } from './flag-switch.tsx';
import { audienceName, type Names } from './model/descriptions.ts';
import { audienceOf } from './model/filters.ts';
import { PromoteFlag } from './promote-flag.tsx';

interface FlagActionsProps {
  flag: FeatureFlag;
  names: Names;
  onChanged(flag: FeatureFlag): void;
}

/** An experiment compares variants. */
const hasVariants = ({ filters }: FeatureFlag): boolean => {
  const { multivariate } = filters as { multivariate?: { variants?: unknown[] } | null };
  return (multivariate?.variants?.length ?? 0) > 1;
};

/** Actions that take effect at once. */
export function FlagActions({ flag, names, onChanged }: FlagActionsProps) {
  const { id } = useProject();
  const [isDeleting, setDeleting] = useState(false);
  const [isPromoting, setPromoting] = useState(false);
  const remove = async (): Promise<void> => {
    await orAskForApproval(id, async () => {
      await updateFlag(id, flag.id, { deleted: true, version: flag.version });
      toast(`${flag.key} deleted.`);
      navigate(pathTo('flags', { project: id }) ?? '/');
    });
  };
  if (flag.deleted) return <FlagStatus status={flag.status} />;
  return (
    <>
      <FlagStatus status={flag.status} />
      {hasVariants(flag) && (
        <Link
          class="button small"
          to={`${pathTo('experiment', { project: id, experiment: 'new' }) ?? '/'}?flag=${encodeURIComponent(flag.key)}`}
        >
          Measure this flag
        </Link>
      )}
      <FlagSwitch flag={flag} names={names} onChanged={onChanged} />
      <Button kind="quiet" small disabled={!flag.can_edit} onClick={() => setPromoting(true)}>
        Promote…
      </Button>
      {isPromoting && <PromoteFlag flag={flag} onClose={() => setPromoting(false)} />}
      <Button kind="quiet" small disabled={!flag.can_edit} onClick={() => setDeleting(true)}>
        Delete…
      </Button>
      {isDeleting && (
        <Confirm
          title={`Delete ${flag.key}?`}
          action="Delete flag"
          danger
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <p>
            The flag is disabled for everyone and removed from the list. You can find it by the status Deleted and
            restore it, as long as no other flag uses its key.
          </p>
          <AffectedUsers
            query={{ id: flag.id, deleted: true }}
            audience={audienceName(audienceOf(flag.filters), names)}
          />
        </Confirm>
      )}
    </>
  );
}
