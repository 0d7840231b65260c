import { useState } from 'preact/hooks';
import { type FeatureFlag, updateFlag } from '../../api/flags.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Switch } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { orAskForApproval } from '../approvals/or-ask-for-approval.ts';
import { AffectedUsers } from './affected-users.tsx';
import { audienceName, type Names } from './model/descriptions.ts';
import { audienceOf } from './model/filters.ts';

interface FlagSwitchProps {
  flag: FeatureFlag;
  names: Names;
  onChanged(flag: FeatureFlag): void;
}

/** Enables or disables a flag at once, after showing who is affected. */
export function FlagSwitch({ flag, names, onChanged }: FlagSwitchProps) {
  const project = useProject();
  const [isConfirming, setConfirming] = useState(false);
  const active = !flag.active;
  const change = async (): Promise<void> => {
    await orAskForApproval(project.id, async () => {
      onChanged(await updateFlag(project.id, flag.id, { active, version: flag.version }));
      toast(`${flag.key} ${active ? 'enabled' : 'disabled'}.`);
    });
  };
  return (
    <>
      <Switch
        label={<span class="visually-hidden">{`${flag.key} is ${flag.active ? 'enabled' : 'disabled'}`}</span>}
        checked={flag.active}
        disabled={!flag.can_edit}
        onChange={() => setConfirming(true)}
      />
      {isConfirming && (
        <Confirm
          title={`${active ? 'Enable' : 'Disable'} ${flag.key}?`}
          action={active ? 'Enable flag' : 'Disable flag'}
          danger={!active}
          onConfirm={change}
          onClose={() => setConfirming(false)}
        >
          <p>
            {active
              ? 'The release conditions apply again at once.'
              : 'The flag is disabled for everyone at once. Its release conditions are kept.'}
          </p>
          <AffectedUsers query={{ id: flag.id, active }} audience={audienceName(audienceOf(flag.filters), names)} />
        </Confirm>
      )}
    </>
  );
}
