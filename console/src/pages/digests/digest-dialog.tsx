/** Makes or changes a digest: what is sent to whom, and when. */
import { useState } from 'preact/hooks';
import { createDigest, type Digest, updateDigest } from '../../api/digests.ts';
import { ADMIN } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject, useSession } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import {
  bodyOf,
  type DigestDraft,
  type DigestSubject,
  draftOf,
  newDraft,
  problemOf,
  WEEKDAYS,
} from './digest-draft.ts';

interface DigestDialogProps {
  /** Null: a new one. */
  digest: Digest | null;
  /** Of a new one. */
  subject?: DigestSubject;
  name: string;
  onSaved?(digest: Digest): void;
  onClose(): void;
}

const TARGETS = [
  { value: 'email', label: 'Mail' },
  { value: 'slack', label: 'Slack' },
  { value: 'webhook', label: 'Signed webhook' },
] as const;
const FREQUENCIES = [
  { value: 'daily', label: 'Days' },
  { value: 'weekly', label: 'Weeks' },
  { value: 'monthly', label: 'Months' },
  { value: 'yearly', label: 'Years' },
] as const;
const POSITIONS = [
  { value: '', label: 'Day of the first time' },
  { value: '1', label: 'First' },
  { value: '2', label: 'Second' },
  { value: '3', label: 'Third' },
  { value: '4', label: 'Fourth' },
  { value: '-1', label: 'Last' },
];
const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export function DigestDialog({ digest, subject = {}, name, onSaved, onClose }: DigestDialogProps) {
  const { id } = useProject();
  const { me } = useSession();
  const [draft, setDraft] = useState(digest ? draftOf(digest) : newDraft(name, me.email, new Date()));
  const [secret, setSecret] = useState<string | null>(null);
  const change = (changes: Partial<DigestDraft>): void => setDraft({ ...draft, ...changes });
  const save = useAction(async () => {
    const body = bodyOf(draft);
    const saved = digest ? await updateDigest(id, digest.id, body) : await createDigest(id, { ...body, ...subject });
    onSaved?.(saved);
    toast(digest ? 'Digest saved.' : `Digest made: ${saved.summary}.`);
    if (saved.secret === undefined) onClose();
    else setSecret(saved.secret);
  });
  const problem = problemOf(draft);
  if (secret !== null) {
    return (
      <Dialog title="The secret of the webhook" onClose={onClose} footer={<Button onClick={onClose}>Done</Button>}>
        <p>It verifies signatures and is shown once.</p>
        <Code label="Secret" text={secret} />
      </Dialog>
    );
  }
  const footer = (
    <>
      {problem !== null && <span class="muted small">{problem}</span>}
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={save.busy} disabled={problem !== null} onClick={() => void save.run()}>
        {digest ? 'Save' : 'Subscribe'}
      </Button>
    </>
  );
  return (
    <Dialog title={digest ? 'Change digest' : `Subscribe to ${name}`} onClose={onClose} footer={footer}>
      <div class="stack">
        <TextField label="Title" value={draft.title} onInput={(title) => change({ title })} maxLength={255} />
        <TargetFields draft={draft} onChange={change} />
        <ScheduleFields draft={draft} onChange={change} />
        {save.error !== undefined && <ErrorNote error={save.error} />}
      </div>
    </Dialog>
  );
}

interface FieldsProps {
  draft: DigestDraft;
  onChange(changes: Partial<DigestDraft>): void;
}

function TargetFields({ draft, onChange }: FieldsProps) {
  const { me } = useSession();
  const isAdmin = (me.organization?.membership_level ?? 0) >= ADMIN;
  const isMail = draft.targetType === 'email';
  const hint = isMail
    ? 'Separated by commas. Members, unless an admin allows others.'
    : draft.targetType === 'slack'
      ? 'Empty: the webhook of the project. Only admins add another.'
      : 'Only admins add one.';
  return (
    <>
      <Select
        label="Send by"
        value={draft.targetType}
        options={TARGETS}
        onChange={(targetType) => onChange({ targetType, targetValue: targetType === 'email' ? me.email : '' })}
      />
      <TextField
        label={isMail ? 'Addresses' : 'Address of the webhook'}
        value={draft.targetValue}
        onInput={(targetValue) => onChange({ targetValue })}
        hint={hint}
        spellcheck={false}
      />
      {isMail && isAdmin && (
        <Checkbox
          label="Allow addresses outside of the organization. They see no persons and no links."
          checked={draft.externalRecipients}
          onChange={(externalRecipients) => onChange({ externalRecipients })}
        />
      )}
    </>
  );
}

function ScheduleFields({ draft, onChange }: FieldsProps) {
  const { timezone } = useProject();
  const { frequency, position, weekdays } = draft;
  const hasDays = frequency === 'weekly' || (frequency === 'monthly' && position !== '');
  return (
    <>
      <div class="row">
        <TextField
          label="Every"
          type="number"
          min={1}
          max={100}
          value={draft.interval}
          onInput={(interval) => onChange({ interval })}
        />
        <Select
          label="Period"
          value={frequency}
          options={FREQUENCIES}
          onChange={(value) => onChange({ frequency: value })}
        />
        {frequency === 'monthly' && (
          <Select label="On" value={position} options={POSITIONS} onChange={(value) => onChange({ position: value })} />
        )}
      </div>
      {hasDays && (
        <fieldset class="plain stack-s">
          <legend class="label">Days</legend>
          <div class="row">
            {WEEKDAYS.map((day) => (
              <Checkbox
                key={day}
                label={capitalized(day).slice(0, 3)}
                checked={weekdays.includes(day)}
                onChange={(isOn) =>
                  onChange({ weekdays: isOn ? [...weekdays, day] : weekdays.filter((one) => one !== day) })
                }
              />
            ))}
          </div>
        </fieldset>
      )}
      <TextField
        label="First time"
        type="datetime-local"
        value={draft.start}
        onInput={(start) => onChange({ start })}
        hint={`In your time. Later ones come at the same time of day in ${timezone}.`}
      />
    </>
  );
}
