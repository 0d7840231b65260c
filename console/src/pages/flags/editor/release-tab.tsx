import { useState } from 'preact/hooks';
import type { FeatureFlag } from '../../../api/flags.ts';
import { Button } from '../../../components/button.tsx';
import type { Names } from '../model/descriptions.ts';
import { problemsOf } from '../model/draft.ts';
import { ON, variantsOf } from '../model/variants.ts';
import { Basics } from './basics.tsx';
import { Conditions } from './conditions.tsx';
import { Overrides } from './overrides.tsx';
import { Payload } from './payload-field.tsx';
import { Review } from './review.tsx';
import { Rollbacks } from './rollbacks.tsx';
import type { Editing } from './use-editing.ts';
import type { Targets } from './use-targets.ts';
import { Variants } from './variants.tsx';

interface ReleaseTabProps {
  /** Null for a new flag. */
  flag: FeatureFlag | null;
  editing: Editing;
  targets: Targets;
  names: Names;
  onSaved(flag: FeatureFlag): void;
}

export function ReleaseTab({ flag, editing, targets, names, onSaved }: ReleaseTabProps) {
  const { draft, changeFilters } = editing;
  const isMultivariate = variantsOf(draft.filters).length > 0;
  const canEdit = flag === null || flag.can_edit;
  return (
    <>
      <fieldset class="flag-form stack" disabled={!canEdit}>
        <legend class="visually-hidden">Feature flag</legend>
        <Basics editing={editing} isNew={flag === null} />
        <Conditions
          flagId={flag?.id ?? null}
          filters={draft.filters}
          onChange={changeFilters}
          targets={targets}
          names={names}
        />
        <Overrides flag={flag} filters={draft.filters} onChange={changeFilters} targets={targets} />
        {isMultivariate ? (
          <Variants filters={draft.filters} onChange={changeFilters} />
        ) : (
          <section class="card stack-s" aria-label="Payload">
            <h2>Payload</h2>
            <Payload
              label={draft.is_remote_configuration ? 'Payload' : 'Payload when the flag is on'}
              variant={ON}
              filters={draft.filters}
              onChange={changeFilters}
            />
          </section>
        )}
        <Rollbacks
          value={draft.rollback_conditions}
          onChange={(rollback_conditions) => editing.change({ rollback_conditions })}
        />
      </fieldset>
      {canEdit && <SaveBar flag={flag} editing={editing} names={names} onSaved={onSaved} />}
    </>
  );
}

function SaveBar({ flag, editing, names, onSaved }: Omit<ReleaseTabProps, 'targets'>) {
  const [isReviewing, setReviewing] = useState(false);
  const [hasTried, setHasTried] = useState(false);
  const problems = problemsOf(editing.draft);
  const isNew = flag === null;
  if (!editing.isDirty && !isNew) return <p class="muted small">All changes saved (version {flag.version}).</p>;
  const review = (): void => {
    setHasTried(true);
    if (problems.length === 0) setReviewing(true);
  };
  return (
    <section class="save-bar" aria-label="Unsaved changes">
      {hasTried && problems.length > 0 ? (
        <ul class="save-problems" role="alert">
          {[...new Set(problems)].map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      ) : (
        <span class="muted">{isNew ? 'Not created yet' : 'You have unsaved changes'}</span>
      )}
      <span class="row push">
        <Button disabled={!editing.isDirty} onClick={() => editing.reset(flag)}>
          {isNew ? 'Reset' : 'Discard changes'}
        </Button>
        <Button kind="primary" onClick={review}>
          Review and save
        </Button>
      </span>
      {isReviewing && (
        <Review
          flag={flag}
          editing={editing}
          names={names}
          onClose={() => setReviewing(false)}
          onSaved={(saved) => {
            setReviewing(false);
            onSaved(saved);
          }}
        />
      )}
    </section>
  );
}
