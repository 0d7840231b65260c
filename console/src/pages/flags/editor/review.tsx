/** Before anything is saved: what changes, for whom, and whether somebody else was there meanwhile. */

import { useMemo } from 'preact/hooks';
import { ApiError } from '../../../api/api-error.ts';
import { createFlag, type FeatureFlag, getFlag, updateFlag } from '../../../api/flags.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote, Loaded, Skeleton } from '../../../components/states.tsx';
import { toast } from '../../../components/toast.tsx';
import { useProject } from '../../../lib/session.ts';
import { useAction, useResource } from '../../../lib/use-resource.ts';
import { WhoChanges } from '../affected-users.tsx';
import { DifferenceList } from '../difference-list.tsx';
import { audienceWord, conditionSentence, type Names } from '../model/descriptions.ts';
import { differencesOf } from '../model/differences.ts';
import { changesOf } from '../model/draft.ts';
import { audienceOf, conditionsOf } from '../model/filters.ts';
import { Conflict } from './conflict.tsx';
import type { Editing } from './use-editing.ts';

export interface ReviewProps {
  flag: FeatureFlag | null;
  editing: Editing;
  names: Names;
  onClose(): void;
  onSaved(flag: FeatureFlag): void;
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

export function Review({ flag, editing, names, onClose, onSaved }: ReviewProps) {
  const { id } = useProject();
  const { basis, draft, version } = editing;
  const latest = useResource(flag ? (signal) => getFlag(id, flag.id, signal) : null, [id, flag?.id]);
  const theirs = latest.data && latest.data.version !== version ? latest.data : null;
  const save = useAction(async () => {
    try {
      const saved = await (flag
        ? updateFlag(id, flag.id, { ...changesOf(basis, draft), version })
        : createFlag(id, { ...draft }));
      toast(savedWords(saved, version));
      onSaved(saved);
    } catch (error) {
      // Somebody was faster in this very moment: look at what they did.
      if (isConflict(error)) latest.reload();
      throw error;
    }
  });
  const isReady = flag === null || (latest.data !== undefined && theirs === null);
  const footer = (
    <>
      <Button onClick={onClose}>Go on editing</Button>
      <Button kind="primary" busy={save.busy} disabled={!isReady} onClick={() => void save.run()}>
        {flag ? 'Save' : 'Make the flag'}
      </Button>
    </>
  );
  return (
    <Dialog side title={flag ? `Review changes to ${flag.key}` : `Make ${draft.key}`} onClose={onClose} footer={footer}>
      {flag === null ? (
        <Plan {...{ editing, names }} />
      ) : (
        <Loaded resource={latest} skeleton={<Skeleton lines={3} />}>
          {() =>
            theirs ? (
              <Conflict editing={editing} theirs={theirs} names={names} onTakeTheirs={() => onSaved(theirs)} />
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

/** Where the server has joined the changes of two people, it says so. */
const savedWords = (saved: FeatureFlag, version: number): string =>
  version > 0 && saved.version > version + 1
    ? `Saved as version ${saved.version}, together with what somebody else changed meanwhile.`
    : `Saved as version ${saved.version}.`;

type PartProps = Pick<ReviewProps, 'editing' | 'names'>;

function Plan({ editing: { draft }, names }: PartProps) {
  const question = { key: draft.key, filters: draft.filters };
  return (
    <>
      {!draft.active && <p>It is made switched off: this holds from when somebody switches it on.</p>}
      <ul class="differences" aria-label="Who will get it">
        {conditionsOf(draft.filters).map((condition, index) => (
          <li key={index}>{conditionSentence(draft.filters, condition, names)}</li>
        ))}
      </ul>
      <WhoChanges question={question} audience={audienceWord(audienceOf(draft.filters), names)} />
    </>
  );
}

function Changes({ id, editing: { basis, draft }, names }: PartProps & { id: number }) {
  const differences = useMemo(() => differencesOf({ ...basis }, { ...draft }, names), [basis, draft, names]);
  const { key, filters, active } = draft;
  const audience = audienceWord(audienceOf(filters), names);
  const isMoved = audienceOf(basis.filters) !== audienceOf(filters);
  return (
    <>
      <section class="stack-s">
        <h3>What changes</h3>
        <DifferenceList differences={differences} label="What changes" />
      </section>
      <WhoChanges question={{ id, key, filters, active }} audience={audience} />
      {isMoved && (
        <p class="soft small">
          Counted are {audience}, which the flag is for from now on. Shares are dealt out to them anew.
        </p>
      )}
    </>
  );
}
