import { useState } from 'preact/hooks';
import type { Member } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Select, TextArea } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { TagInput } from '../../components/tag-input.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { OwnerSelect } from './bulk-bar.tsx';
import { changeDefinition, type Definition, type Kind, PROPERTY_TYPES, type PropertyType } from './definition-kinds.ts';

export interface EditDefinitionProps {
  kind: Kind;
  definition: Definition;
  members: readonly Member[];
  onDone(): void;
  onClose(): void;
}

/** Everything that people say of an event or a property. */
export function EditDefinition({ kind, definition, members, onDone, onClose }: EditDefinitionProps) {
  const { id } = useProject();
  const [description, setDescription] = useState(definition.description);
  const [tags, setTags] = useState(definition.tags);
  const [verified, setVerified] = useState(definition.verified);
  const [owner, setOwner] = useState(definition.owner ? String(definition.owner) : '');
  const [notifies, setNotifies] = useState(definition.notifies ?? false);
  const [type, setType] = useState(definition.type ?? '');
  const isEvent = kind === 'events';
  const save = useAction(async () => {
    const about = isEvent
      ? { owner: owner === '' ? null : Number(owner), post_to_slack: notifies }
      : { property_type: type === '' ? null : (type as PropertyType) };
    await changeDefinition(id, kind, definition.id, { description, tags, verified, ...about });
    toast(`${definition.name} is saved.`);
    onDone();
    onClose();
  });
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={save.busy} onClick={() => void save.run()}>
        Save
      </Button>
    </>
  );
  return (
    <Dialog side title={definition.name} onClose={onClose} footer={footer}>
      <TextArea
        label="Description"
        placeholder="When is it sent, and what for?"
        value={description}
        onInput={setDescription}
      />
      <div class="field">
        <span class="label">Tags</span>
        <TagInput label="Tags" value={tags} onChange={setTags} placeholder="a tag, then Enter" />
      </div>
      {isEvent ? (
        <OwnerSelect value={owner} members={members} onChange={setOwner} />
      ) : (
        <Select
          label="Type"
          hint="How values are compared and offered; guessed from the first value unless you say it."
          value={type}
          options={[{ value: '', label: 'unknown' }, ...PROPERTY_TYPES.map((value) => ({ value, label: value }))]}
          onChange={setType}
        />
      )}
      <Checkbox
        label="Verified: it means what it says, and may be relied on"
        checked={verified}
        onChange={setVerified}
      />
      {isEvent && (
        <Checkbox
          label="Tell the webhook of the project each time it happens"
          checked={notifies}
          onChange={setNotifies}
        />
      )}
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </Dialog>
  );
}
