/** Who gets what, without fields. */
import type { FeatureFlag } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Banner } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { DependenciesCard } from './dependencies-card.tsx';
import { FlagValues } from './flag-values.tsx';
import { describeCondition, type Names } from './model/descriptions.ts';
import { conditionsOf } from './model/filters.ts';
import { describeRollback, isRollback, rollbackEntries } from './model/rollbacks.ts';
import { RehashCard } from './rehash-card.tsx';
import { RolloutBar } from './rollout-bar.tsx';
import { UsageCard } from './usage-card.tsx';

interface OverviewTabProps {
  flag: FeatureFlag;
  names: Names;
  flags: readonly FeatureFlag[];
  isDirty: boolean;
  onEdit(): void;
  onChanged(flag: FeatureFlag): void;
}

export function OverviewTab({ flag, names, flags, isDirty, onEdit, onChanged }: OverviewTabProps) {
  const edit = (
    <Button kind="primary" onClick={onEdit}>
      {isDirty ? 'Continue editing' : 'Edit'}
    </Button>
  );
  return (
    <div class="stack">
      {isDirty && <Banner>You have unsaved changes; this is the flag without them.</Banner>}
      <section class="card stack" aria-label="Who gets the flag">
        <div class="flag-head">
          <Sentences flag={flag} names={names} />
          {flag.can_edit && edit}
        </div>
        <RolloutBar filters={flag.filters} isOn={flag.active} />
        <FlagValues filters={flag.filters} />
      </section>
      <RehashCard flag={flag} names={names} onChanged={onChanged} />
      <DependenciesCard flag={flag} flags={flags} />
      <UsageCard flagId={flag.id} />
      <section class="card" aria-label="Details">
        <Facts facts={factsOf(flag)} />
      </section>
    </div>
  );
}

/** The first condition that matches decides. */
function Sentences({ flag, names }: Pick<OverviewTabProps, 'flag' | 'names'>) {
  const sentences = conditionsOf(flag.filters).map((one) => describeCondition(flag.filters, one, names));
  const isOn = flag.active && !flag.deleted;
  return (
    <div class="stack-s">
      {!isOn && <p class="sentence">No one gets the flag: it is {flag.deleted ? 'deleted' : 'disabled'}.</p>}
      {isOn && sentences.length === 0 && <p class="sentence">No one gets the flag: it has no release conditions.</p>}
      {!isOn && sentences.length > 0 && <p class="muted">Once it is enabled:</p>}
      {sentences.map((sentence, index) => (
        <p key={index} class={isOn ? 'sentence' : undefined}>
          {index > 0 && 'Otherwise: '}
          {sentence}
        </p>
      ))}
    </div>
  );
}

const RUNTIMES = { all: 'Client and server', client: 'Client only', server: 'Server only' };

function factsOf(flag: FeatureFlag): Fact[] {
  const who = flag.last_modified_by;
  const rollbacks = rollbackEntries(flag.rollback_conditions).map((entry) =>
    isRollback(entry) ? describeRollback(entry) : JSON.stringify(entry),
  );
  const facts: (Fact | false)[] = [
    [
      'Last change',
      <>
        <Time at={flag.updated_at} as="relative" /> by {who ? who.first_name || who.email : 'System'} (version{' '}
        {flag.version})
      </>,
    ],
    ['Last evaluated', flag.last_called_at === null ? 'Never' : <Time at={flag.last_called_at} as="relative" />],
    ['Created', <Time at={flag.created_at} />],
    flag.name !== '' && ['Description', flag.name],
    flag.tags.length > 0 && ['Tags', flag.tags.join(', ')],
    rollbacks.length > 0 && ['Automatic rollback when', rollbacks.join('; or ')],
    ['Evaluation runtime', RUNTIMES[flag.evaluation_runtime]],
    flag.ensure_experience_continuity === true && ['Persists', 'Across authentication'],
  ];
  return facts.filter((fact) => fact !== false);
}
