import { useState } from 'preact/hooks';
import { getProject, updateProject } from '../../api/projects.ts';
import type { Overview, WebFilter } from '../../api/web.ts';
import { ValueBar } from '../../charts/value-bar.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { formatNumber, formatPercent } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { isFilteredBy, type WebState } from './web-state.ts';

interface GoalsCardProps {
  goals: Overview['goals'];
  state: WebState;
  onChanged(): void;
}

/** How many visitors did what the site is for. */
export function GoalsCard({ goals, state, onChanged }: GoalsCardProps) {
  const [isEditing, setEditing] = useState(false);
  return (
    <section class="card stack-s web-card" aria-label="Goals">
      <h2>Goals</h2>
      {goals.length === 0 ? (
        <p class="muted small">
          What should visitors do on your site? Add an event or a page to see how many get there.
        </p>
      ) : (
        <GoalRows goals={goals} state={state} />
      )}
      <div class="web-card-foot">
        <Button small onClick={() => setEditing(true)}>
          {goals.length === 0 ? 'Add goal' : 'Edit goals'}
        </Button>
      </div>
      {isEditing && <GoalsDialog onChanged={onChanged} onClose={() => setEditing(false)} />}
    </section>
  );
}

/** Null for actions, which sessions cannot be filtered by. */
function goalFilter({ name, type, value }: Overview['goals'][number]): WebFilter | null {
  const label = `Goal: ${name}`;
  if (type === 'path') return { key: 'path', operator: 'regex', value, label };
  if (type !== 'event') return null;
  const text = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return { type: 'hogql', key: `event = '${text}'`, operator: 'exact', value: '', label };
}

const GoalRows = ({ goals, state }: Omit<GoalsCardProps, 'onChanged'>) => (
  <div class="web-rows-frame">
    <table class="web-rows">
      <thead>
        <tr>
          <th scope="col">Goal</th>
          <th scope="col" class="number">
            Converted
          </th>
          <th scope="col" class="number">
            Conversion
          </th>
        </tr>
      </thead>
      <tbody>
        {goals.map((goal) => (
          <tr key={goal.id}>
            <td>
              <ValueBar share={goal.rate ?? 0} colour={0} />
              <GoalName goal={goal} state={state} />
            </td>
            <td class="number">{formatNumber(goal.converters)}</td>
            <td class="number muted">{goal.rate === null ? '–' : formatPercent(goal.rate)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function GoalName({ goal, state }: { goal: Overview['goals'][number]; state: WebState }) {
  const filter = goalFilter(goal);
  if (filter === null) return <span class="value truncate">{goal.name}</span>;
  return (
    <button
      type="button"
      class="value"
      aria-pressed={isFilteredBy(state, filter)}
      title={goal.name}
      onClick={() => state.toggle(filter)}
    >
      <span class="truncate">{goal.name}</span>
    </button>
  );
}

const KINDS = [
  { value: 'event', label: 'Event' },
  { value: 'path', label: 'Page' },
] as const;

type Kind = (typeof KINDS)[number]['value'];

function GoalsDialog({ onChanged, onClose }: { onChanged(): void; onClose(): void }) {
  const { id } = useProject();
  const project = useResource((signal) => getProject(id, signal), [id]);
  const [type, setType] = useState<Kind>('event');
  const [value, setValue] = useState('');
  const goals = project.data?.web_analytics.goals ?? [];
  const save = useAction(async (next: NewGoal[]) => {
    project.set(await updateProject(id, { web_analytics: { goals: next } }));
    onChanged();
  });
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (value !== '' && (await save.run([...goals, { name: value, type, value }]))) setValue('');
  };
  return (
    <Dialog title="Goals" onClose={onClose}>
      <Loaded resource={project}>
        {() => (
          <ul class="web-goals">
            {goals.map((goal) => (
              <li key={goal.id}>
                <span class="truncate" title={goal.value}>
                  {goal.name}
                </span>
                <Button
                  small
                  aria-label={`Remove ${goal.name}`}
                  onClick={() => void save.run(goals.filter((one) => one !== goal))}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <form class="stack" onSubmit={(event) => void add(event)}>
        <Select<Kind> label="Goal" value={type} options={KINDS} onChange={setType} />
        <TextField
          label={type === 'event' ? 'Event name' : 'Path'}
          value={value}
          onInput={setValue}
          maxLength={200}
          placeholder={type === 'event' ? 'signed up' : '^/thanks'}
          hint={type === 'path' ? 'A regular expression that is found in the path of a page view.' : undefined}
        />
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" busy={save.busy} disabled={value === ''}>
            Add goal
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface NewGoal {
  id?: string;
  name: string;
  type: 'event' | 'action' | 'path';
  value: string;
}
