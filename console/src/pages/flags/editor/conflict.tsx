import type { FeatureFlag } from '../../../api/flags.ts';
import { Button } from '../../../components/button.tsx';
import { Banner } from '../../../components/states.tsx';
import { DifferenceList } from '../difference-list.tsx';
import type { Names } from '../model/descriptions.ts';
import { differencesOf } from '../model/differences.ts';
import { clashesOf, type Draft, draftOf } from '../model/draft.ts';
import type { Editing } from './use-editing.ts';

const FIELD_NAMES: Partial<Record<keyof Draft, string>> = {
  name: 'the description',
  filters: 'conditions, variants or payloads',
  active: 'whether it is on',
  rollback_conditions: 'when it switches itself off',
};

const nameOf = (field: keyof Draft): string => FIELD_NAMES[field] ?? `the ${field.replaceAll('_', ' ')}`;

export interface ConflictProps {
  editing: Editing;
  theirs: FeatureFlag;
  names: Names;
  onTakeTheirs(): void;
}

/** Somebody saved while one was editing: nothing is overwritten before one has seen what, and said so. */
export function Conflict({ editing, theirs, names, onTakeTheirs }: ConflictProps) {
  const { basis, draft, takeOn } = editing;
  const clashes = clashesOf(basis, draft, draftOf(theirs));
  const who = theirs.last_modified_by;
  return (
    <>
      <Banner tone="warn">
        {who ? who.first_name || who.email : 'The system'} saved version {theirs.version} while you were editing version{' '}
        {editing.version}.
      </Banner>
      <section class="stack-s">
        <h3>What they changed</h3>
        <DifferenceList
          differences={differencesOf({ ...basis }, { ...draftOf(theirs) }, names)}
          label="What they changed"
        />
      </section>
      <section class="stack-s">
        <h3>What you changed</h3>
        <DifferenceList differences={differencesOf({ ...basis }, { ...draft }, names)} label="What you changed" />
      </section>
      {clashes.length === 0 ? (
        <p>You did not change the same things: both can be kept.</p>
      ) : (
        <p>You both changed {clashes.map(nameOf).join(' and ')}. Only one of the two can stay.</p>
      )}
      <div class="row">
        <Button kind={clashes.length === 0 ? 'primary' : 'danger'} onClick={() => takeOn(theirs)}>
          {clashes.length === 0 ? 'Keep both' : 'Keep mine in place of theirs'}
        </Button>
        <Button onClick={onTakeTheirs}>Take theirs, drop mine</Button>
      </div>
    </>
  );
}
