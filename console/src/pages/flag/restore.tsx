import { changeFlag } from '../../api/flags.ts';
import type { FeatureFlag, FlagVersion } from '../../api/types.ts';
import { useProject } from '../../lib/session.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { DifferenceList } from './difference-list.tsx';
import { differencesOf } from './differences.ts';
import { draftOf, FIELDS } from './draft.ts';
import { audienceOf } from './filters-model.ts';
import { WhoChanges } from './who-changes.tsx';
import { audienceWord, type Names } from './words.ts';

export interface RestoreProps {
  flag: FeatureFlag;
  version: FlagVersion;
  names: Names;
  onClose(): void;
  onRestored(flag: FeatureFlag): void;
}

/** What is sent: all that people set. A version of before may lack what came later; that stays as it is. */
const restoredFields = ({ flag }: FlagVersion): Record<string, unknown> =>
  Object.fromEntries(
    [...FIELDS, 'deleted'].filter((name) => Object.hasOwn(flag, name)).map((name) => [name, flag[name]]),
  );

/** Makes a version of before the newest one; the history keeps both. */
export function Restore({ flag, version, names, onClose, onRestored }: RestoreProps) {
  const { id } = useProject();
  const { key, filters, active } = draftOf(version.flag);
  const fields = restoredFields(version);
  const restore = async (): Promise<void> => {
    onRestored(await changeFlag(id, flag.id, { ...fields, version: flag.version }));
    toast(`Version ${version.version} is restored.`);
  };
  return (
    <Confirm
      title={`Restore version ${version.version} of ${flag.key}?`}
      action="Restore it"
      onConfirm={restore}
      onClose={onClose}
    >
      <p>It becomes the newest version. Nothing of the history is lost.</p>
      <DifferenceList differences={differencesOf({ ...flag }, fields, names)} label="What changes" />
      <WhoChanges
        question={{ id: flag.id, key, filters, active, deleted: version.flag['deleted'] === true }}
        audience={audienceWord(audienceOf(filters), names)}
      />
    </Confirm>
  );
}
