import { findEventNames } from '../../../api/definitions.ts';
import { Button } from '../../../components/button.tsx';
import { Combobox } from '../../../components/combobox.tsx';
import { Select, TextField } from '../../../components/field.tsx';
import { useProject } from '../../../lib/session.ts';
import type { JsonObject } from '../model/filters.ts';
import {
  metricOf,
  newRollback,
  ROLLBACK_OPERATORS,
  type Rollback,
  rollbacksOf,
  rollbackWords,
  WINDOWS,
  windowOf,
} from '../model/rollbacks.ts';

const COUNTS = [
  { value: 'total', label: 'times' },
  { value: 'unique_persons', label: 'persons' },
];

/** Conditions under which the flag switches itself off. */
export function Rollbacks({ value, onChange }: { value: unknown; onChange(value: unknown): void }) {
  const all = rollbacksOf(value);
  const put = (next: readonly Rollback[]): void => onChange(next.length === 0 ? null : next);
  return (
    <section class="card stack" aria-label="Rollback">
      <h2>When it switches itself off</h2>
      <p class="soft">
        Looked at every minute, counting what has happened since the flag was last switched on. A flag that has gone off
        stays off until somebody switches it on again.
      </p>
      {all.length > 0 && (
        <ol class="flag-list">
          {all.map((rollback, index) => (
            <li class="flag-item stack-s" key={index} aria-label={`Rollback condition ${index + 1}`}>
              <header class="flag-head">
                <b class="sentence">Off when {rollbackWords(rollback)}.</b>
                <Button
                  kind="quiet"
                  small
                  aria-label={`Remove rollback condition ${index + 1}`}
                  onClick={() => put(all.toSpliced(index, 1))}
                >
                  Remove
                </Button>
              </header>
              <RollbackFields rollback={rollback} onChange={(next) => put(all.with(index, next))} />
            </li>
          ))}
        </ol>
      )}
      <div>
        <Button small onClick={() => put([...all, newRollback()])}>
          Add a rollback condition
        </Button>
      </div>
    </section>
  );
}

function RollbackFields({ rollback, onChange }: { rollback: Rollback; onChange(rollback: Rollback): void }) {
  const { id } = useProject();
  const metric = metricOf(rollback);
  if (metric === null)
    return <p class="soft small">Set by the API in a form that is shown and kept, but not edited here.</p>;
  const putMetric = (changes: JsonObject): void =>
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
        placeholder="$exception"
        value={String(metric['event'])}
        onChange={(event) => putMetric({ event })}
        suggest={async (text, signal) => (await findEventNames(id, text, signal)).map((name) => ({ value: name }))}
        inputs={[id]}
      />
      <Select
        label="is sent"
        value={String(operator)}
        options={ROLLBACK_OPERATORS as readonly { value: string; label: string }[]}
        onChange={(next) => onChange({ ...rollback, operator: next })}
      />
      <TextField
        label="Number"
        type="number"
        step="any"
        value={threshold === null || threshold === undefined ? '' : String(threshold)}
        onInput={(text) => onChange({ ...rollback, threshold: text === '' ? null : Number(text) })}
      />
      <Select
        label="Counting"
        value={metric['math'] === 'unique_persons' ? 'unique_persons' : 'total'}
        options={COUNTS}
        onChange={(math) => putMetric({ math })}
      />
      <Select
        label="Within the last"
        value={window}
        options={windows}
        onChange={(next) => putMetric({ window: next })}
      />
    </div>
  );
}
