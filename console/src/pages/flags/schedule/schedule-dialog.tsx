import { useState } from 'preact/hooks';
import { listAlerts } from '../../../api/alerts.ts';
import type { FeatureFlag } from '../../../api/flags.ts';
import { createScheduledChange, type ScheduledChangeWrite } from '../../../api/scheduled-changes.ts';
import { localTime } from '../../../charts/rules/unfinished.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog, DialogActions } from '../../../components/dialog.tsx';
import { Select, TextField } from '../../../components/field.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { knownZone } from '../../../lib/dates.ts';
import { momentOf } from '../../../lib/local-dates.ts';
import { useProject } from '../../../lib/session.ts';
import { useAction, useResource } from '../../../lib/use-resource.ts';
import { orAskForApproval } from '../../approvals/or-ask-for-approval.ts';
import { AffectedUsers } from '../affected-users.tsx';
import { conditionsOf } from '../model/filters.ts';
import {
  ACTIONS,
  type Action,
  flagAfter,
  PACES,
  type Pace,
  RECURRENCES,
  type Recurrence,
  rampOf,
  readPercentages,
} from './operations.ts';

interface ScheduleDialogProps {
  flag: FeatureFlag;
  audience: string;
  onSaved(): void;
  onClose(): void;
}

const HOUR_MS = 3_600_000;

export function ScheduleDialog({ flag, audience, onSaved, onClose }: ScheduleDialogProps) {
  const { id, timezone } = useProject();
  const zone = knownZone(timezone);
  const [action, setAction] = useState<Action>(flag.active ? 'disable' : 'enable');
  const [local, setLocal] = useState(() => nextHour(zone));
  const [recurrence, setRecurrence] = useState<Recurrence>('once');
  const [steps, setSteps] = useState('1, 10, 50, 100');
  const [pace, setPace] = useState<Pace>('24');
  const [condition, setCondition] = useState('0');
  const [alert, setAlert] = useState(NO_ALERT);
  const percentages = readPercentages(steps);
  const isComplete = local !== '' && (action !== 'ramp' || percentages !== null);
  const save = useAction(async () => {
    const start = momentOf(local, zone);
    const body: ScheduledChangeWrite = {
      record_id: flag.id,
      model_name: 'FeatureFlag',
      ...(action === 'ramp'
        ? { payload: rampOf(Number(condition), percentages ?? [], start, Number(pace), alert || null) }
        : {
            payload: { operation: 'update_status', value: action === 'enable' },
            scheduled_at: new Date(start).toISOString(),
          }),
      ...(action === 'ramp' || recurrence === 'once' ? {} : { is_recurring: true, recurrence_interval: recurrence }),
    };
    await orAskForApproval(id, async () => {
      await createScheduledChange(id, body);
      onSaved();
    });
  });
  const conditions = conditionsOf(flag.filters).map((_, at) => ({ value: String(at), label: `Condition ${at + 1}` }));
  return (
    <Dialog title="Schedule a change" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) void save.run();
        }}
      >
        <Select<Action>
          label="Change"
          value={action}
          options={conditions.length === 0 ? ACTIONS.filter(({ value }) => value !== 'ramp') : ACTIONS}
          onChange={setAction}
        />
        <TextField
          label={action === 'ramp' ? 'First step' : 'When'}
          type="datetime-local"
          value={local}
          onInput={setLocal}
          hint={`In the time zone of the project, ${timezone}.`}
        />
        {action === 'ramp' ? (
          <>
            <TextField
              label="Percentages"
              value={steps}
              onInput={setSteps}
              error={percentages === null ? 'Enter rising percentages, such as 1, 10, 50, 100.' : null}
            />
            <Select<Pace> label="Next step" value={pace} options={PACES} onChange={setPace} />
            {conditions.length > 1 && (
              <Select label="Of" value={condition} options={conditions} onChange={setCondition} />
            )}
            <AlertField value={alert} onChange={setAlert} />
          </>
        ) : (
          <Select<Recurrence> label="Repeat" value={recurrence} options={RECURRENCES} onChange={setRecurrence} />
        )}
        {isComplete && (
          <AffectedUsers query={flagAfter(flag, action, Number(condition), percentages)} audience={audience} />
        )}
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" busy={save.busy} disabled={!isComplete}>
            Schedule
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const NO_ALERT = '';

/** Which alert stops the rollout. */
function AlertField({ value, onChange }: { value: string; onChange(id: string): void }) {
  const { id } = useProject();
  const alerts = useResource((signal) => listAlerts(id, { limit: 1000 }, signal), [id]);
  const usable = (alerts.data?.results ?? []).filter(({ enabled, state }) => enabled && state !== 'Firing');
  return (
    <Select
      label="Stop if this alert fires"
      value={value}
      options={[{ value: NO_ALERT, label: 'No alert' }, ...usable.map((one) => ({ value: one.id, label: one.name }))]}
      onChange={onChange}
      hint="The rollout also stops when the flag is disabled, by a person or a rollback condition. You get a mail."
    />
  );
}

/** The next full hour by the zone's clock. */
const nextHour = (zone: string): string =>
  `${localTime(new Date(Date.now() + HOUR_MS).toISOString(), zone)
    .slice(0, 13)
    .replace(' ', 'T')}:00`;
