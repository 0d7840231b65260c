import { useState } from 'preact/hooks';
import { createKey, type NewPersonalKey } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useSession } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { type Access, type CustomAccess, KEY_SUBJECTS, PRESETS, type Preset, scopesOf } from './key-access.ts';

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
];
const ACCESS: { value: Access; label: string }[] = [
  { value: '', label: 'None' },
  { value: 'read', label: 'Read' },
  { value: 'write', label: 'Read and write' },
];

export function NewKeyForm({ onCreated }: { onCreated(key: NewPersonalKey): void }) {
  const { projects } = useSession();
  const [label, setLabel] = useState('');
  const [preset, setPreset] = useState<Preset>('read');
  const [custom, setCustom] = useState<CustomAccess>({});
  const [project, setProject] = useState('');
  const [days, setDays] = useState('90');
  const create = useAction(async () => {
    const key = await createKey({
      label,
      scopes: scopesOf(preset, custom),
      scoped_teams: project === '' ? [] : [Number(project)],
      expires_at: days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
    });
    setLabel('');
    onCreated(key);
  });
  const everywhere = [
    { value: '', label: 'All projects' },
    ...projects.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <div class="row-end">
        <TextField label="Label" placeholder="Terraform" value={label} onInput={setLabel} required maxLength={40} />
        <Select label="Access" value={preset} options={[...PRESETS]} onChange={(next) => setPreset(next)} />
        <Select label="Project" value={project} options={everywhere} onChange={setProject} />
        <Select label="Expires" value={days} options={LIFETIMES} onChange={setDays} />
        <Button type="submit" busy={create.busy}>
          Create key
        </Button>
      </div>
      {preset === 'custom' && <CustomScopes value={custom} onChange={setCustom} />}
      {create.error !== undefined && <ErrorNote error={create.error} />}
    </form>
  );
}

function CustomScopes({ value, onChange }: { value: CustomAccess; onChange(next: CustomAccess): void }) {
  return (
    <fieldset class="key-scopes">
      <legend class="label">Scopes</legend>
      {KEY_SUBJECTS.map((name) => (
        <Select
          key={name}
          label={name.replaceAll('_', ' ')}
          value={value[name] ?? ''}
          options={ACCESS}
          onChange={(access) => onChange({ ...value, [name]: access })}
        />
      ))}
    </fieldset>
  );
}
