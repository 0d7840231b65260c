import { findEventNames } from '../../../api/definitions.ts';
import { Button } from '../../../components/button.tsx';
import { Combobox } from '../../../components/combobox.tsx';
import { Select, TextField } from '../../../components/field.tsx';
import { EVENT_NAMES } from '../../../lib/friendly-names.ts';
import { useProject } from '../../../lib/session.ts';
import type { JsonObject } from '../model/filters.ts';
import {
  describeRollback,
  isRollback,
  metricOf,
  newRollback,
  ROLLBACK_OPERATORS,
  type Rollback,
  rollbackEntries,
  WINDOWS,
  windowOf,
} from '../model/rollbacks.ts';

const COUNTS = [
  { value: 'total', label: 'Total count' },
  { value: 'unique_persons', label: 'Unique users' },
];

export function Rollbacks({ value, onChange }: { value: unknown; onChange(value: unknown): void }) {
  const all = rollbackEntries(value);
  const update = (next: readonly unknown[]): void => onChange(next.length === 0 ? null : next);
  return (
    <section class="card stack" aria-label="Automatic rollback">
      <h2>Automatic rollback</h2>
      <p class="muted">
        Disables the flag when a metric crosses a threshold. Checked every minute, counting events since the flag was
        last enabled. A rolled back flag stays disabled until you enable it again.
      </p>
      {all.length > 0 && (
        <ol class="flag-list">
          {all.map((entry, index) => (
            <li class="flag-item stack-s" key={index} aria-label={`Rollback condition ${index + 1}`}>
              <header class="flag-head">
                {isRollback(entry) ? (
                  <b class="sentence">Disable when {describeRollback(entry)}.</b>
                ) : (
                  <code class="truncate">{JSON.stringify(entry)}</code>
                )}
                <Button
                  kind="quiet"
                  small
                  aria-label={`Remove rollback condition ${index + 1}`}
                  onClick={() => update(all.toSpliced(index, 1))}
                >
                  Remove
                </Button>
              </header>
              {isRollback(entry) ? (
                <RollbackFields rollback={entry} onChange={(next) => update(all.with(index, next))} />
              ) : (
                <p class="muted small">Data of an API client. It is kept, and does not disable the flag.</p>
              )}
            </li>
          ))}
        </ol>
      )}
      <div>
        <Button small onClick={() => update([...all, newRollback()])}>
          Add rollback condition
        </Button>
      </div>
    </section>
  );
}

function RollbackFields({ rollback, onChange }: { rollback: Rollback; onChange(rollback: Rollback): void }) {
  const { id } = useProject();
  const metric = metricOf(rollback);
  if (metric === null) return <p class="muted small">This condition can only be edited through the API.</p>;
  const updateMetric = (changes: JsonObject): void =>
    onChange({ ...rollback, threshold_metric: { ...metric, ...changes } });
  const window = windowOf(metric);
  const windows = WINDOWS.some((one) => one.value === window)
    ? WINDOWS
    : [...WINDOWS, { value: window, label: window }];
  const { threshold, operator } = rollback;
  return (
    <div class="flag-rollback">
      <Combobox
        label="Event"
        placeholder="Select event"
        names={EVENT_NAMES}
        value={String(metric['event'])}
        onChange={(event) => updateMetric({ event })}
        suggest={async (text, signal) => (await findEventNames(id, text, signal)).map((name) => ({ value: name }))}
        inputs={[id]}
      />
      <Select
        label="Operator"
        value={String(operator)}
        options={ROLLBACK_OPERATORS as readonly { value: string; label: string }[]}
        onChange={(next) => onChange({ ...rollback, operator: next })}
      />
      <TextField
        label="Threshold"
        type="number"
        step="any"
        value={threshold === null || threshold === undefined ? '' : String(threshold)}
        onInput={(text) => onChange({ ...rollback, threshold: text === '' ? null : Number(text) })}
      />
      <Select
        label="Metric"
        value={metric['math'] === 'unique_persons' ? 'unique_persons' : 'total'}
        options={COUNTS}
        onChange={(math) => updateMetric({ math })}
      />
      <Select
        label="Time window"
        value={window}
        options={windows}
        onChange={(next) => updateMetric({ window: next })}
      />
    </div>
  );
}
