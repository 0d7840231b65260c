import { useState } from 'preact/hooks';
import type { Member } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { Checkbox, Select, TextArea } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { TagInput } from '../../components/tag-input.tsx';
import { toast } from '../../components/toast.tsx';
import { eventLabel, propertyLabel } from '../../lib/friendly-names.ts';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { OwnerSelect } from './bulk-bar.tsx';
import {
  type Definition,
  deleteDefinition,
  type Kind,
  PROPERTY_TYPES,
  type PropertyType,
  updateDefinition,
} from './definition-kinds.ts';

interface EditDefinitionProps {
  kind: Kind;
  definition: Definition;
  members: readonly Member[];
  onDone(): void;
  onClose(): void;
}

export function EditDefinition({ kind, definition, members, onDone, onClose }: EditDefinitionProps) {
  const { id } = useProject();
  const [description, setDescription] = useState(definition.description);
  const [tags, setTags] = useState(definition.tags);
  const [verified, setVerified] = useState(definition.verified);
  const [owner, setOwner] = useState(definition.owner ? String(definition.owner) : '');
  const [notifies, setNotifies] = useState(definition.notifies ?? false);
  const [type, setType] = useState(definition.type ?? '');
  const isEvent = kind === 'events';
  const label = (isEvent ? eventLabel : propertyLabel)(definition.name);
  const save = useAction(async () => {
    const own = isEvent
      ? { owner: owner === '' ? null : Number(owner), post_to_slack: notifies }
      : { property_type: type === '' ? null : (type as PropertyType) };
    await updateDefinition(id, kind, definition.id, { description, tags, verified, ...own });
    toast(`${label} saved.`);
    onDone();
    onClose();
  });
  const [isDeleting, setDeleting] = useState(false);
  const footer = (
    <>
      <Button kind="quiet" onClick={() => setDeleting(true)}>
        Delete…
      </Button>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={save.busy} onClick={() => void save.run()}>
        Save
      </Button>
    </>
  );
  if (isDeleting) {
    const remove = async (): Promise<void> => {
      await deleteDefinition(id, kind, definition.id);
      toast(`${label} deleted.`);
      onDone();
    };
    return (
      <Confirm title={`Delete ${label}?`} action="Delete" danger onConfirm={remove} onClose={onClose}>
        <p>Events are kept. The definition comes back, without its description, when the name is seen again.</p>
      </Confirm>
    );
  }
  return (
    <Dialog side title={label} onClose={onClose} footer={footer}>
      {label !== definition.name && <code class="muted">{definition.name}</code>}
      <TextArea
        label="Description"
        placeholder="Sent when a customer completes an order"
        value={description}
        onInput={setDescription}
      />
      <div class="field">
        <span class="label">Tags</span>
        <TagInput label="Tags" value={tags} onChange={setTags} placeholder="Add tag" />
      </div>
      {isEvent ? (
        <OwnerSelect value={owner} members={members} onChange={setOwner} />
      ) : (
        <Select
          label="Type"
          hint="Detected from the first value. Determines how values are compared in filters."
          value={type}
          options={[{ value: '', label: 'Unknown' }, ...PROPERTY_TYPES.map((value) => ({ value, label: value }))]}
          onChange={setType}
        />
      )}
      <Checkbox label="Verified" checked={verified} onChange={setVerified} />
      {isEvent && (
        <Checkbox label="Send a webhook notification for every event" checked={notifies} onChange={setNotifies} />
      )}
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </Dialog>
  );
}
