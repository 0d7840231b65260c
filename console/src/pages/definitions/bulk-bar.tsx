import { useState } from 'preact/hooks';
import { messageOf } from '../../api/api-error.ts';
import type { Member } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Select } from '../../components/field.tsx';
import { Progress } from '../../components/states.tsx';
import { TagInput } from '../../components/tag-input.tsx';
import { toast } from '../../components/toast.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { type Changes, type Definition, type Kind, updateDefinition, withTags } from './definition-kinds.ts';

interface BulkBarProps {
  kind: Kind;
  selected: readonly Definition[];
  members: readonly Member[];
  onClear(): void;
  onDone(): void;
}

/** Updates the selected definitions one by one, with progress. */
export function BulkBar({ kind, selected, members, onClear, onDone }: BulkBarProps) {
  const { id } = useProject();
  const [done, setDone] = useState<number | null>(null);
  const [dialog, setDialog] = useState<'tags' | 'owner' | null>(null);
  const run = async (changesOf: (one: Definition) => Changes): Promise<void> => {
    setDialog(null);
    const failed: string[] = [];
    for (const [index, one] of selected.entries()) {
      setDone(index);
      await updateDefinition(id, kind, one.id, changesOf(one)).catch((error: unknown) =>
        failed.push(`${one.name}: ${messageOf(error)}`),
      );
    }
    setDone(null);
    const updated = selected.length - failed.length;
    if (updated > 0) toast(`${pluralize(updated, 'definition')} updated.`);
    if (failed.length > 0) toast(`Could not update: ${failed.slice(0, 3).join(' ')}`, 'bad');
    else onClear();
    onDone();
  };
  if (done !== null) {
    return (
      <div class="bulk">
        <Progress label={`Updating ${done + 1} of ${selected.length}…`} value={done} max={selected.length} />
      </div>
    );
  }
  return (
    <section class="bulk" aria-label="Bulk actions">
      <b>{formatNumber(selected.length)} selected</b>
      <Button small onClick={() => void run(() => ({ verified: true }))}>
        Verify
      </Button>
      <Button small onClick={() => void run(() => ({ verified: false }))}>
        Remove verification
      </Button>
      <Button small onClick={() => setDialog('tags')}>
        Add tags…
      </Button>
      {kind === 'events' && (
        <Button small onClick={() => setDialog('owner')}>
          Set owner…
        </Button>
      )}
      <span class="push">
        <Button small kind="quiet" onClick={onClear}>
          Clear selection
        </Button>
      </span>
      {dialog === 'tags' && (
        <TagsDialog
          count={selected.length}
          onClose={() => setDialog(null)}
          onSave={(tags) => void run((one) => ({ tags: withTags(one.tags, tags) }))}
        />
      )}
      {dialog === 'owner' && (
        <OwnerDialog
          count={selected.length}
          members={members}
          onClose={() => setDialog(null)}
          onSave={(owner) => void run(() => ({ owner }))}
        />
      )}
    </section>
  );
}

function TagsDialog({ count, onSave, onClose }: { count: number; onSave(tags: string[]): void; onClose(): void }) {
  const [tags, setTags] = useState<string[]>([]);
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={tags.length === 0} onClick={() => onSave(tags)}>
        Add to {pluralize(count, 'definition')}
      </Button>
    </>
  );
  return (
    <Dialog title="Add tags" onClose={onClose} footer={footer}>
      <p class="muted">Existing tags are kept.</p>
      <TagInput label="Tags" value={tags} onChange={setTags} placeholder="Add tag" />
    </Dialog>
  );
}

interface OwnerProps {
  count: number;
  members: readonly Member[];
  onSave(owner: number | null): void;
  onClose(): void;
}

function OwnerDialog({ count, members, onSave, onClose }: OwnerProps) {
  const [owner, setOwner] = useState('');
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" onClick={() => onSave(owner === '' ? null : Number(owner))}>
        Set for {pluralize(count, 'definition')}
      </Button>
    </>
  );
  return (
    <Dialog title="Set owner" onClose={onClose} footer={footer}>
      <OwnerSelect value={owner} members={members} onChange={setOwner} />
    </Dialog>
  );
}

interface OwnerSelectProps {
  value: string;
  members: readonly Member[];
  onChange(owner: string): void;
}

export const OwnerSelect = ({ value, members, onChange }: OwnerSelectProps) => (
  <Select
    label="Owner"
    value={value}
    options={[
      { value: '', label: 'No owner' },
      ...members.map(({ user }) => ({ value: String(user.id), label: user.first_name || user.email })),
    ]}
    onChange={onChange}
  />
);
