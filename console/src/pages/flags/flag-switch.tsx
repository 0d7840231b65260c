import { useState } from 'preact/hooks';
import { type FeatureFlag, updateFlag } from '../../api/flags.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Switch } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { WhoChanges } from './affected-users.tsx';
import { audienceWord, type Names } from './model/descriptions.ts';
import { audienceOf } from './model/filters.ts';

export interface FlagSwitchProps {
  flag: FeatureFlag;
  names: Names;
  onChanged(flag: FeatureFlag): void;
}

/** Turns a flag on or off at once, after saying whom that touches. */
export function FlagSwitch({ flag, names, onChanged }: FlagSwitchProps) {
  const project = useProject();
  const [isAsking, setAsking] = useState(false);
  const active = !flag.active;
  const change = async (): Promise<void> => {
    onChanged(await updateFlag(project.id, flag.id, { active, version: flag.version }));
    toast(`${flag.key} is switched ${active ? 'on' : 'off'}.`);
  };
  return (
    <>
      <Switch
        label={<span class="unseen">{`${flag.key} is ${flag.active ? 'on' : 'off'}`}</span>}
        checked={flag.active}
        disabled={!flag.can_edit}
        onChange={() => setAsking(true)}
      />
      {isAsking && (
        <Confirm
          title={`Switch ${flag.key} ${active ? 'on' : 'off'}?`}
          action={active ? 'Switch it on' : 'Switch it off'}
          danger={!active}
          onConfirm={change}
          onClose={() => setAsking(false)}
        >
          <p>
            {active
              ? 'Its conditions decide again, from the next request on.'
              : 'It is off for everybody from the next request on. Its conditions are kept.'}
          </p>
          <WhoChanges question={{ id: flag.id, active }} audience={audienceWord(audienceOf(flag.filters), names)} />
        </Confirm>
      )}
    </>
  );
}
