import { type FeatureFlag, type FlagVersion, updateFlag } from '../../api/flags.ts';
import { Confirm } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { WhoChanges } from './affected-users.tsx';
import { DifferenceList } from './difference-list.tsx';
import { audienceWord, type Names } from './model/descriptions.ts';
import { differencesOf } from './model/differences.ts';
import { draftOf, FIELDS } from './model/draft.ts';
import { audienceOf } from './model/filters.ts';

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
    onRestored(await updateFlag(id, flag.id, { ...fields, version: flag.version }));
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
