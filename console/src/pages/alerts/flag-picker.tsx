import { useState } from 'preact/hooks';
import { listFlags } from '../../api/flags.ts';
import { TagInput } from '../../components/tag-input.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

interface FlagPickerProps {
  ids: readonly number[];
  onChange(ids: number[]): void;
  placeholder: string;
}

const MAX_FLAGS = 1000;
const MAX_SUGGESTIONS = 20;
const LABEL = 'These flags';

/** Several flags, by their keys. */
export function FlagPicker({ ids, onChange, placeholder }: FlagPickerProps) {
  const { id } = useProject();
  const [unknown, setUnknown] = useState<string | null>(null);
  const flags = useResource((signal) => listFlags(id, { limit: MAX_FLAGS }, signal), [id]);
  const known = flags.data?.results ?? [];
  // Also while they load, and of a deleted one.
  const keyOf = (flagId: number): string => known.find((flag) => flag.id === flagId)?.key ?? `Flag ${flagId}`;
  const idOf = (key: string): number | undefined =>
    ids.find((flagId) => keyOf(flagId) === key) ?? known.find((flag) => flag.key === key)?.id;
  const choose = (keys: readonly string[]): void => {
    setUnknown(keys.find((key) => idOf(key) === undefined) ?? null);
    onChange(keys.flatMap((key) => idOf(key) ?? []));
  };
  const suggest = async (text: string) =>
    known
      .filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(text.trim().toLowerCase()))
      .slice(0, MAX_SUGGESTIONS)
      .map(({ key, name }) => ({ value: key, ...(name !== '' && name !== key && { description: name }) }));
  return (
    <div class="field">
      <span class="label">{LABEL}</span>
      <TagInput
        label={LABEL}
        value={ids.map(keyOf)}
        onChange={choose}
        suggest={suggest}
        inputs={[flags.data]}
        placeholder={placeholder}
      />
      {unknown !== null && (
        <span class="hint" role="alert">
          No flag has the key “{unknown}”: choose one from the list.
        </span>
      )}
    </div>
  );
}
