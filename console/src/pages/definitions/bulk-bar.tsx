import { useState } from 'preact/hooks';
import { messageOf } from '../../api/api-error.ts';
import type { Member } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Select } from '../../components/field.tsx';
import { Progress } from '../../components/states.tsx';
import { TagInput } from '../../components/tag-input.tsx';
import { toast } from '../../components/toast.tsx';
import { countOf } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { type Changes, changeDefinition, type Definition, type Kind, withTags } from './definition-kinds.ts';

export interface BulkBarProps {
  kind: Kind;
  chosen: readonly Definition[];
  members: readonly Member[];
  onClear(): void;
  onDone(): void;
}

/** Changes several at once, one after the other, and says how far it is. */
export function BulkBar({ kind, chosen, members, onClear, onDone }: BulkBarProps) {
  const { id } = useProject();
  const [done, setDone] = useState<number | null>(null);
  const [asked, ask] = useState<'tags' | 'owner' | null>(null);
  const run = async (changesOf: (one: Definition) => Changes): Promise<void> => {
    ask(null);
    const failed: string[] = [];
    for (const [index, one] of chosen.entries()) {
      setDone(index);
      await changeDefinition(id, kind, one.id, changesOf(one)).catch((error: unknown) =>
        failed.push(`${one.name}: ${messageOf(error)}`),
      );
    }
    setDone(null);
    const worked = chosen.length - failed.length;
    if (worked > 0) toast(`${countOf(worked, 'definition')} changed.`);
    if (failed.length > 0) toast(`Not changed: ${failed.slice(0, 3).join(' ')}`, 'bad');
    else onClear();
    onDone();
  };
  if (done !== null) {
    return (
      <div class="bulk">
        <Progress label={`Changing ${done + 1} of ${chosen.length}…`} value={done} max={chosen.length} />
      </div>
    );
  }
  return (
    <section class="bulk" aria-label="Change those that are chosen">
      <b>{countOf(chosen.length, 'chosen', 'chosen')}</b>
      <Button small onClick={() => void run(() => ({ verified: true }))}>
        Verify
      </Button>
      <Button small onClick={() => void run(() => ({ verified: false }))}>
        No longer verified
      </Button>
      <Button small onClick={() => ask('tags')}>
        Add tags…
      </Button>
      {kind === 'events' && (
        <Button small onClick={() => ask('owner')}>
          Set owner…
        </Button>
      )}
      <span class="push">
        <Button small kind="quiet" onClick={onClear}>
          Choose none
        </Button>
      </span>
      {asked === 'tags' && (
        <TagsDialog
          count={chosen.length}
          onClose={() => ask(null)}
          onSave={(tags) => void run((one) => ({ tags: withTags(one.tags, tags) }))}
        />
      )}
      {asked === 'owner' && (
        <OwnerDialog
          count={chosen.length}
          members={members}
          onClose={() => ask(null)}
          onSave={(owner) => void run(() => ({ owner }))}
        />
      )}
    </section>
  );
}

function TagsDialog({ count, onSave, onClose }: { count: number; onSave(tags: string[]): void; onClose(): void }) {
  const [tags, setTags] = useState<string[]>([]);
  const save = (
    <Button kind="primary" disabled={tags.length === 0} onClick={() => onSave(tags)}>
      Add to {countOf(count, 'definition')}
    </Button>
  );
  return (
    <Dialog title="Add tags" onClose={onClose} footer={save}>
      <p class="soft">Tags that are there already stay.</p>
      <TagInput label="Tags" value={tags} onChange={setTags} placeholder="a tag, then Enter" />
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
  const save = (
    <Button kind="primary" onClick={() => onSave(owner === '' ? null : Number(owner))}>
      Set for {countOf(count, 'definition')}
    </Button>
  );
  return (
    <Dialog title="Set the owner" onClose={onClose} footer={save}>
      <OwnerSelect value={owner} members={members} onChange={setOwner} />
    </Dialog>
  );
}

export interface OwnerSelectProps {
  value: string;
  members: readonly Member[];
  onChange(owner: string): void;
}

export const OwnerSelect = ({ value, members, onChange }: OwnerSelectProps) => (
  <Select
    label="Owner"
    value={value}
    options={[
      { value: '', label: 'nobody' },
      ...members.map(({ user }) => ({ value: String(user.id), label: user.first_name || user.email })),
    ]}
    onChange={onChange}
  />
);
