import type { FeatureFlag } from '../../../api/flags.ts';
import { Button } from '../../../components/button.tsx';
import { Banner } from '../../../components/states.tsx';
import { DifferenceList } from '../difference-list.tsx';
import type { Names } from '../model/descriptions.ts';
import { differencesOf } from '../model/differences.ts';
import { conflictsOf, type Draft, draftOf } from '../model/draft.ts';
import type { Editing } from './use-editing.ts';

const FIELD_NAMES: Partial<Record<keyof Draft, string>> = {
  name: 'the description',
  filters: 'the release conditions, variants or payloads',
  active: 'whether it is enabled',
  rollback_conditions: 'the automatic rollback',
};

const nameOf = (field: keyof Draft): string => FIELD_NAMES[field] ?? `the ${field.replaceAll('_', ' ')}`;

interface ConflictProps {
  editing: Editing;
  theirs: FeatureFlag;
  names: Names;
  onDiscard(): void;
}

/** Another user saved while this one was editing: nothing is overwritten without confirmation. */
export function Conflict({ editing, theirs, names, onDiscard }: ConflictProps) {
  const { base, draft, rebaseOn } = editing;
  const conflicts = conflictsOf(base, draft, draftOf(theirs));
  const who = theirs.last_modified_by;
  return (
    <>
      <Banner tone="warn">
        {who ? who.first_name || who.email : 'System'} saved version {theirs.version} while you were editing version{' '}
        {editing.version}.
      </Banner>
      <section class="stack-s">
        <h3>Their changes</h3>
        <DifferenceList differences={differencesOf({ ...base }, { ...draftOf(theirs) }, names)} label="Their changes" />
      </section>
      <section class="stack-s">
        <h3>Your changes</h3>
        <DifferenceList differences={differencesOf({ ...base }, { ...draft }, names)} label="Your changes" />
      </section>
      {conflicts.length === 0 ? (
        <p>The changes do not conflict. You can keep both.</p>
      ) : (
        <p>You both changed {conflicts.map(nameOf).join(' and ')}. Only one of the changes can be kept.</p>
      )}
      <div class="row">
        <Button kind={conflicts.length === 0 ? 'primary' : 'danger'} onClick={() => rebaseOn(theirs)}>
          {conflicts.length === 0 ? 'Keep both' : 'Overwrite their changes'}
        </Button>
        <Button onClick={onDiscard}>Discard my changes</Button>
      </div>
    </>
  );
}
