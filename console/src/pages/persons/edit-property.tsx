import { useState } from 'preact/hooks';
import { type Person, setProperty } from '../../api/persons.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Select, TextArea, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { propertyLabel } from '../../lib/friendly-names.ts';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { type Draft, draftOf, readDraft, VALUE_KINDS, type ValueKind } from './property-values.ts';

interface EditPropertyProps {
  person: Person;
  /** Null for a new property. */
  name: string | null;
  onDone(person: Person): void;
  onClose(): void;
}

const BOOLEANS = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
];

export function EditProperty({ person, name, onDone, onClose }: EditPropertyProps) {
  const { id } = useProject();
  const [key, setKey] = useState(name ?? '');
  const [draft, setDraft] = useState<Draft>(() => draftOf(name === null ? '' : person.properties[name]));
  const [hasTried, setHasTried] = useState(false);
  const read = readDraft(draft);
  const problem = 'problem' in read ? read.problem : null;
  const save = useAction(async () => {
    if ('problem' in read) return setHasTried(true);
    onDone(await setProperty(id, person.uuid, key, read.value));
    toast(`${propertyLabel(key)} saved.`);
    onClose();
  });
  const chooseKind = (kind: ValueKind): void =>
    setDraft({ kind, text: kind === 'boolean' && draft.text !== 'true' ? 'false' : draft.text });
  return (
    <Dialog title={name === null ? 'Add property' : `Edit ${propertyLabel(name)}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        {name === null && (
          <TextField label="Name" value={key} onInput={setKey} required maxLength={400} spellcheck={false} />
        )}
        <Select label="Type" value={draft.kind} options={VALUE_KINDS} onChange={chooseKind} />
        {draft.kind === 'boolean' ? (
          <Select
            label="Value"
            value={draft.text}
            options={BOOLEANS}
            onChange={(text) => setDraft({ ...draft, text })}
          />
        ) : (
          <TextArea
            label="Value"
            rows={draft.kind === 'json' ? 8 : 3}
            isCode={draft.kind === 'json'}
            value={draft.text}
            error={hasTried ? problem : null}
            onInput={(text) => setDraft({ ...draft, text })}
          />
        )}
        <p class="muted small">A later event that sets this property overwrites the value.</p>
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <DialogActions onCancel={onClose}>
          <Button type="submit" kind="primary" busy={save.busy}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
