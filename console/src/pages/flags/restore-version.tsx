import { type FeatureFlag, type FlagVersion, updateFlag } from '../../api/flags.ts';
import { Confirm } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { AffectedUsers } from './affected-users.tsx';
import { DifferenceList } from './difference-list.tsx';
import { audienceName, type Names } from './model/descriptions.ts';
import { differencesOf } from './model/differences.ts';
import { draftOf, FIELDS } from './model/draft.ts';
import { audienceOf } from './model/filters.ts';

interface RestoreVersionProps {
  flag: FeatureFlag;
  version: FlagVersion;
  names: Names;
  onClose(): void;
  onRestored(flag: FeatureFlag): void;
}

/** Fields that an older version does not have stay unchanged. */
const restoredFields = ({ flag }: FlagVersion): Record<string, unknown> =>
  Object.fromEntries(
    [...FIELDS, 'deleted'].filter((name) => Object.hasOwn(flag, name)).map((name) => [name, flag[name]]),
  );

export function RestoreVersion({ flag, version, names, onClose, onRestored }: RestoreVersionProps) {
  const { id } = useProject();
  const { key, filters, active } = draftOf(version.flag);
  const fields = restoredFields(version);
  const restore = async (): Promise<void> => {
    onRestored(await updateFlag(id, flag.id, { ...fields, version: flag.version }));
    toast(`Version ${version.version} restored.`);
  };
  return (
    <Confirm
      title={`Restore version ${version.version} of ${flag.key}?`}
      action="Restore version"
      onConfirm={restore}
      onClose={onClose}
    >
      <p>This creates a new version with the settings of the old one. The history is kept.</p>
      <DifferenceList differences={differencesOf({ ...flag }, fields, names)} label="Changes" />
      <AffectedUsers
        query={{ id: flag.id, key, filters, active, deleted: version.flag['deleted'] === true }}
        audience={audienceName(audienceOf(filters), names)}
      />
    </Confirm>
  );
}
