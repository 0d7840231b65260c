/** Shows the changes, who is affected, and conflicts with other users before saving. */
import { useMemo } from 'preact/hooks';
import { ApiError } from '../../../api/api-error.ts';
import { createFlag, type FeatureFlag, getFlag, updateFlag } from '../../../api/flags.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote, Loaded, Skeleton } from '../../../components/states.tsx';
import { toast } from '../../../components/toast.tsx';
import { useProject } from '../../../lib/session.ts';
import { useAction, useResource } from '../../../lib/use-resource.ts';
import { orAskForApproval } from '../../approvals/or-ask-for-approval.ts';
import { AffectedUsers } from '../affected-users.tsx';
import { DifferenceList } from '../difference-list.tsx';
import { FlagValues } from '../flag-values.tsx';
import { audienceName, describeCondition, type Names } from '../model/descriptions.ts';
import { differencesOf } from '../model/differences.ts';
import { changesOf } from '../model/draft.ts';
import { audienceOf, conditionsOf } from '../model/filters.ts';
import { Conflict } from './conflict.tsx';
import type { Editing } from './use-editing.ts';

interface ReviewProps {
  flag: FeatureFlag | null;
  editing: Editing;
  names: Names;
  onClose(): void;
  onSaved(flag: FeatureFlag): void;
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

export function Review({ flag, editing, names, onClose, onSaved }: ReviewProps) {
  const { id } = useProject();
  const { base, draft, version } = editing;
  const latest = useResource(flag ? (signal) => getFlag(id, flag.id, signal) : null, [id, flag?.id]);
  const theirs = latest.data && latest.data.version !== version ? latest.data : null;
  const save = useAction(async () => {
    try {
      const isMade = await orAskForApproval(id, async () => {
        const saved = await (flag
          ? updateFlag(id, flag.id, { ...changesOf(base, draft), version })
          : createFlag(id, { ...draft }));
        toast(savedMessage(saved, version));
        onSaved(saved);
      });
      if (!isMade) editing.reset(flag);
    } catch (error) {
      // Another user saved first: show their changes.
      if (isConflict(error)) latest.reload();
      throw error;
    }
  });
  const isReady = flag === null || (latest.data !== undefined && theirs === null);
  const footer = (
    <>
      <Button onClick={onClose}>Continue editing</Button>
      <Button kind="primary" busy={save.busy} disabled={!isReady} onClick={() => void save.run()}>
        {flag ? 'Save' : 'Create flag'}
      </Button>
    </>
  );
  return (
    <Dialog
      side
      title={flag ? `Review changes to ${flag.key}` : `Create ${draft.key}`}
      onClose={onClose}
      footer={footer}
    >
      {flag === null ? (
        <Plan {...{ editing, names }} />
      ) : (
        <Loaded resource={latest} skeleton={<Skeleton lines={3} />}>
          {() =>
            theirs ? (
              <Conflict editing={editing} theirs={theirs} names={names} onDiscard={() => onSaved(theirs)} />
            ) : (
              <Changes id={flag.id} editing={editing} names={names} />
            )
          }
        </Loaded>
      )}
      {save.error !== undefined && !isConflict(save.error) && <ErrorNote error={save.error} />}
    </Dialog>
  );
}

/** The server may have merged the changes of two users. */
const savedMessage = (saved: FeatureFlag, version: number): string =>
  version > 0 && saved.version > version + 1
    ? `Saved as version ${saved.version}, merged with the changes of another user.`
    : `Saved as version ${saved.version}.`;

type PartProps = Pick<ReviewProps, 'editing' | 'names'>;

function Plan({ editing: { draft }, names }: PartProps) {
  const query = { key: draft.key, filters: draft.filters };
  return (
    <>
      {!draft.active && <p>The flag is created disabled. This applies once it is enabled.</p>}
      <ul class="differences" aria-label="Release conditions">
        {conditionsOf(draft.filters).map((condition, index) => (
          <li key={index}>{describeCondition(draft.filters, condition, names)}</li>
        ))}
      </ul>
      <FlagValues filters={draft.filters} />
      <AffectedUsers query={query} audience={audienceName(audienceOf(draft.filters), names)} />
    </>
  );
}

function Changes({ id, editing: { base, draft }, names }: PartProps & { id: number }) {
  const differences = useMemo(() => differencesOf({ ...base }, { ...draft }, names), [base, draft, names]);
  const { key, filters, active } = draft;
  const audience = audienceName(audienceOf(filters), names);
  const isAudienceChanged = audienceOf(base.filters) !== audienceOf(filters);
  return (
    <>
      <section class="stack-s">
        <h3>Changes</h3>
        <DifferenceList differences={differences} label="Changes" />
      </section>
      <AffectedUsers query={{ id, key, filters, active }} audience={audience} />
      {isAudienceChanged && (
        <p class="muted small">Counts {audience}, which the flag now matches by. Rollouts are assigned anew.</p>
      )}
    </>
  );
}
