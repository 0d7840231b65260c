import { useState } from 'preact/hooks';
import { type FeatureFlag, updateFlag } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { WhoChanges } from './affected-users.tsx';
import { FlagStatus } from './flag-status.tsx';
import { FlagSwitch } from './flag-switch.tsx';
import { audienceWord, type Names } from './model/descriptions.ts';
import { audienceOf } from './model/filters.ts';

export interface FlagActionsProps {
  flag: FeatureFlag;
  names: Names;
  onChanged(flag: FeatureFlag): void;
}

/** What takes effect at once: on, off, away. */
export function FlagActions({ flag, names, onChanged }: FlagActionsProps) {
  const { id } = useProject();
  const [isDeleting, setDeleting] = useState(false);
  const remove = async (): Promise<void> => {
    await updateFlag(id, flag.id, { deleted: true, version: flag.version });
    toast(`${flag.key} is deleted.`);
    navigate(pathTo('flags', { project: id }) ?? '/');
  };
  if (flag.deleted) return <FlagStatus status={flag.status} />;
  return (
    <>
      <FlagStatus status={flag.status} />
      <FlagSwitch flag={flag} names={names} onChanged={onChanged} />
      <Button kind="quiet" small disabled={!flag.can_edit} onClick={() => setDeleting(true)}>
        Delete…
      </Button>
      {isDeleting && (
        <Confirm
          title={`Delete ${flag.key}?`}
          action="Delete the flag"
          danger
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <p>
            It is off for everybody from the next request on, and leaves the list. At its address it can be brought
            back, until another flag takes its key.
          </p>
          <WhoChanges
            question={{ id: flag.id, deleted: true }}
            audience={audienceWord(audienceOf(flag.filters), names)}
          />
        </Confirm>
      )}
    </>
  );
}
