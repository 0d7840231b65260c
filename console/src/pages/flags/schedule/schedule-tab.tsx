import { useState } from 'preact/hooks';
import type { FeatureFlag } from '../../../api/flags.ts';
import {
  cancelScheduledChange,
  listScheduledChanges,
  pauseScheduledChange,
  type ScheduledChange,
} from '../../../api/scheduled-changes.ts';
import { Button } from '../../../components/button.tsx';
import { Badge, Empty, Loaded } from '../../../components/states.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import { Time } from '../../../components/time.tsx';
import { toastError } from '../../../components/toast.tsx';
import { useProject } from '../../../lib/session.ts';
import { useResource } from '../../../lib/use-resource.ts';
import { describeOperation, describeRecurrence } from './operations.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';

interface ScheduleTabProps {
  flag: FeatureFlag;
  /** 'persons' or a group type. */
  audience: string;
}

/** Changes that the flag makes by itself: to come, and made. */
export function ScheduleTab({ flag, audience }: ScheduleTabProps) {
  const { id } = useProject();
  const [isOpen, setOpen] = useState(false);
  const changes = useResource((signal) => listScheduledChanges(id, flag.id, signal), [id, flag.id]);
  const act = (work: Promise<unknown>): void => void work.then(changes.reload, toastError);
  const columns = columnsFor({
    canEdit: flag.can_edit,
    pause: (change) => act(pauseScheduledChange(id, change.id, change.is_recurring)),
    cancel: (change) => act(cancelScheduledChange(id, change.id)),
  });
  const add = (
    <Button kind="primary" disabled={!flag.can_edit} onClick={() => setOpen(true)}>
      Schedule a change
    </Button>
  );
  return (
    <div class="stack">
      <Loaded resource={changes}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No scheduled changes" action={add}>
              Enable or disable the flag at a time, again and again, or roll it out step by step. Each change is made
              with your rights at that time, and is in the history.
            </Empty>
          ) : (
            <>
              <div class="row">{add}</div>
              <Table
                label="Scheduled changes"
                columns={columns}
                rows={[...all.filter(isWaiting), ...all.filter((one) => !isWaiting(one)).reverse()]}
                rowKey={(one) => one.id}
                sectionOf={(one) => (isWaiting(one) ? 'To come' : 'Done')}
              />
            </>
          )
        }
      </Loaded>
      {isOpen && (
        <ScheduleDialog
          flag={flag}
          audience={audience}
          onClose={() => setOpen(false)}
          onSaved={() => {
            setOpen(false);
            changes.reload();
          }}
        />
      )}
    </div>
  );
}

const isWaiting = ({ executed_at }: ScheduledChange): boolean => executed_at === null;

interface RowActions {
  canEdit: boolean;
  pause(change: ScheduledChange): void;
  cancel(change: ScheduledChange): void;
}

const columnsFor = ({ canEdit, pause, cancel }: RowActions): Column<ScheduledChange>[] => [
  { id: 'when', title: 'When', cell: ({ executed_at, scheduled_at }) => <Time at={executed_at ?? scheduled_at} /> },
  { id: 'what', title: 'Change', cell: describeOperation },
  {
    id: 'state',
    title: 'State',
    cell: (one) =>
      one.failure_reason === null ? (
        (describeRecurrence(one) ?? (isWaiting(one) ? 'Once' : <Badge tone="good">Done</Badge>))
      ) : (
        <>
          <Badge tone="bad">Not made</Badge> {one.failure_reason}
        </>
      ),
  },
  {
    id: 'by',
    title: 'Scheduled by',
    isWide: true,
    cell: ({ created_by: by }) => by && (by.first_name || by.email),
  },
  {
    id: 'actions',
    title: 'Actions',
    hideTitle: true,
    cell: (one) =>
      isWaiting(one) &&
      canEdit && (
        <div class="row">
          {describeRecurrence(one) !== null && (
            <Button kind="quiet" small onClick={() => pause(one)}>
              {one.is_recurring ? 'Pause' : 'Resume'}
            </Button>
          )}
          <Button kind="quiet" small onClick={() => cancel(one)}>
            Cancel
          </Button>
        </div>
      ),
  },
];
