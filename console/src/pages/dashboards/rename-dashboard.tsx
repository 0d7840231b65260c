import { useState } from 'preact/hooks';
import { type Dashboard, updateDashboard } from '../../api/dashboards.ts';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { useProject } from '../../lib/session.ts';

interface RenameDashboardProps {
  dashboard: Dashboard;
  onChange(dashboard: Dashboard): void;
  onClose(): void;
}

export function RenameDashboard({ dashboard, onChange, onClose }: RenameDashboardProps) {
  const { id } = useProject();
  const [name, setName] = useState(dashboard.name);
  const [description, setDescription] = useState(dashboard.description);
  const save = async (): Promise<void> =>
    onChange(await updateDashboard(id, dashboard.id, { name: name.trim(), description }));
  return (
    <Confirm title="Rename dashboard" action="Save" onConfirm={save} onClose={onClose}>
      <TextField label="Name" value={name} onInput={setName} maxLength={400} />
      <TextField label="Description" value={description} onInput={setDescription} />
    </Confirm>
  );
}
