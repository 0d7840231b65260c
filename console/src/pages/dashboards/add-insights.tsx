import { useState } from 'preact/hooks';
import { type Dashboard, updateDashboard } from '../../api/dashboards.ts';
import { listInsights } from '../../api/insights.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { titleOf } from '../insights/labels.ts';
import type { Fields } from '../insights/question.ts';
import { readQuestion } from '../insights/read-question.ts';

interface AddInsightsProps {
  dashboard: Dashboard;
  onChange(dashboard: Dashboard): void;
  onClose(): void;
}

export function AddInsights({ dashboard, onChange, onClose }: AddInsightsProps) {
  const { id } = useProject();
  const [text, setText] = useState('');
  const search = useDebounced(text.trim(), 250);
  const found = useResource((signal) => listInsights(id, { search, limit: 50 }, signal), [id, search]);
  const change = useAction(async (insight: number, isOn: boolean) => {
    const tile = { insight, ...(isOn ? { order: dashboard.tiles.length } : { deleted: true }) };
    onChange(await updateDashboard(id, dashboard.id, { tiles: [tile] }));
  });
  const isOn = (insight: number): boolean => dashboard.tiles.some((tile) => tile.insight?.id === insight);
  return (
    <Dialog title="Add insights" onClose={onClose}>
      <TextField label="Search" type="search" placeholder="Name, description or tag" value={text} onInput={setText} />
      {change.error !== undefined && <ErrorNote error={change.error} />}
      <Loaded resource={found}>
        {({ results, count }) => (
          <ul class="stack-s">
            {results.map((insight) => (
              <li key={insight.id}>
                <Checkbox
                  label={insight.name || insight.derived_name || titleOf(readQuestion(insight.filters as Fields))}
                  checked={isOn(insight.id)}
                  disabled={change.busy}
                  onChange={(next) => void change.run(insight.id, next)}
                />
              </li>
            ))}
            {results.length === 0 && (
              <li class="muted">{search === '' ? 'No saved insights yet.' : 'No matching insights.'}</li>
            )}
            {count > results.length && (
              <li class="muted">{pluralize(count - results.length, 'more insight')}. Search to find them.</li>
            )}
          </ul>
        )}
      </Loaded>
    </Dialog>
  );
}
