/** Launch, pause, end, ship and conclude; what changes the flag shows whose value changes. */
import { useState } from 'preact/hooks';
import {
  createExposureCohort,
  duplicateExperiment,
  type Experiment,
  type Results,
  takeStep,
  updateExperiment,
} from '../../api/experiments.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Select } from '../../components/field.tsx';
import { Banner } from '../../components/states.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { AffectedUsers } from '../flags/affected-users.tsx';
import { ConclusionFields, conclusionBody, conclusionOf } from './conclusion-fields.tsx';
import { againstShipping } from './conclusions.ts';

interface ActionProps {
  experiment: Experiment;
  results: Results | null;
  onChanged(experiment: Experiment): void;
}

interface DialogProps extends ActionProps {
  onClose(): void;
}

type Open = 'launch' | 'end' | 'ship' | 'conclude' | null;

export function ExperimentActions({ experiment, results, onChanged }: ActionProps) {
  const { id } = useProject();
  const [open, setOpen] = useState<Open>(null);
  const { status } = experiment;
  const quick = (step: 'pause' | 'resume'): void => {
    takeStep(id, experiment.id, step).then(onChanged, toastError);
  };
  const close = (): void => setOpen(null);
  return (
    <>
      {status === 'draft' && (
        <Button kind="primary" onClick={() => setOpen('launch')}>
          Launch…
        </Button>
      )}
      {status === 'running' && <Button onClick={() => quick('pause')}>Pause</Button>}
      {status === 'paused' && <Button onClick={() => quick('resume')}>Resume</Button>}
      {(status === 'running' || status === 'paused') && <Button onClick={() => setOpen('end')}>End…</Button>}
      {status !== 'draft' && experiment.mode !== 'aa' && experiment.feature_flag?.deleted === false && (
        <Button kind={isReadyToShip(experiment, results) ? 'primary' : 'plain'} onClick={() => setOpen('ship')}>
          Ship a variant…
        </Button>
      )}
      {experiment.end_date !== null && (
        <Button kind="quiet" onClick={() => setOpen('conclude')}>
          {experiment.conclusion === null ? 'Add a conclusion…' : 'Change the conclusion…'}
        </Button>
      )}
      {status !== 'draft' && (
        <Button
          kind="quiet"
          onClick={() =>
            createExposureCohort(id, experiment.id).then(({ cohort }) => {
              navigate(pathTo('cohort', { project: id, cohort: cohort.id }) ?? '/');
              toast('The cohort has everyone who was exposed until now.');
            }, toastError)
          }
        >
          {experiment.exposure_cohort === null ? 'Create cohort' : 'Update cohort'}
        </Button>
      )}
      <Button
        kind="quiet"
        onClick={() =>
          duplicateExperiment(id, experiment.id).then((copy) => {
            navigate(pathTo('experiment', { project: id, experiment: copy.id }) ?? '/');
            toast('This is the copy.');
          }, toastError)
        }
      >
        Duplicate
      </Button>
      {open === 'launch' && <Launch experiment={experiment} onChanged={onChanged} onClose={close} />}
      {open === 'end' && <End experiment={experiment} results={results} onChanged={onChanged} onClose={close} />}
      {open === 'conclude' && (
        <Conclude experiment={experiment} results={results} onChanged={onChanged} onClose={close} />
      )}
      {open === 'ship' && <Ship experiment={experiment} results={results} onChanged={onChanged} onClose={close} />}
    </>
  );
}

const isReadyToShip = ({ rolled_back: rolledBack, shipped }: Experiment, results: Results | null): boolean =>
  results?.verdict === 'better' && rolledBack === null && shipped === null;

const flagIdOf = ({ feature_flag }: Experiment): number | null => (feature_flag as { id?: number } | null)?.id ?? null;

const filtersOf = ({ feature_flag }: Experiment): Record<string, unknown> =>
  (feature_flag as { filters?: Record<string, unknown> } | null)?.filters ?? {};

function Launch({ experiment, onChanged, onClose }: Omit<DialogProps, 'results'>) {
  const { id } = useProject();
  const flagId = flagIdOf(experiment);
  return (
    <Confirm
      title="Launch this experiment?"
      action="Launch experiment"
      onClose={onClose}
      onConfirm={async () => {
        onChanged(await takeStep(id, experiment.id, 'launch'));
        toast('Experiment launched.');
      }}
    >
      <p>The feature flag is enabled, and exposures count from now on. Metrics and plan are fixed.</p>
      {flagId !== null && <AffectedUsers query={{ id: flagId, active: true }} audience="persons" />}
    </Confirm>
  );
}

/** Deciding early is possible, but not without knowing what it means. */
const EarlyNote = ({ results }: { results: Results | null }) =>
  results === null || results.decision_allowed ? null : (
    <p>
      {results.plan.days_left
        ? `The plan needs ${pluralize(results.plan.days_left, 'more day')}: `
        : 'The plan does not allow a decision yet: '}
      {results.sentence} What you see may be chance. About 4 in 10 experiments without any effect look as if they had
      one at some time, if you keep looking.
    </p>
  );

function End({ experiment, results, onChanged, onClose }: DialogProps) {
  const { id } = useProject();
  const [draft, setDraft] = useState(conclusionOf(experiment));
  return (
    <Confirm
      title="End this experiment?"
      action="End experiment"
      onClose={onClose}
      onConfirm={async () => {
        onChanged(await takeStep(id, experiment.id, 'end', conclusionBody(draft)));
        toast('Experiment ended. The feature flag stays as it is.');
      }}
    >
      <EarlyNote results={results} />
      <p>No more exposures and events count. The feature flag stays as it is until you ship a variant.</p>
      <ConclusionFields draft={draft} results={results} onChange={setDraft} />
    </Confirm>
  );
}

/** Of an experiment that has ended. */
function Conclude({ experiment, results, onChanged, onClose }: DialogProps) {
  const { id } = useProject();
  const [draft, setDraft] = useState(conclusionOf(experiment));
  return (
    <Confirm
      title="What do you conclude?"
      action="Save conclusion"
      onClose={onClose}
      onConfirm={async () => {
        const body = { conclusion: draft.conclusion || null, conclusion_comment: draft.comment || null };
        onChanged(await updateExperiment(id, experiment.id, body));
        toast('Conclusion saved.');
      }}
    >
      <ConclusionFields draft={draft} results={results} onChange={setDraft} />
    </Confirm>
  );
}

/** No variant is selected beforehand. */
function Ship({ experiment, results, onChanged, onClose }: DialogProps) {
  const { id } = useProject();
  const [variant, setVariant] = useState('');
  const [draft, setDraft] = useState(conclusionOf(experiment));
  const against = results === null || variant === '' ? [] : againstShipping(variant, results);
  const flagId = flagIdOf(experiment);
  const variants = (experiment.parameters['feature_flag_variants'] ?? []) as { key: string }[];
  const filters = filtersOf(experiment);
  const shipped = {
    ...filters,
    groups: [
      { properties: [], rollout_percentage: 100, variant },
      ...((filters['groups'] as unknown[] | undefined) ?? []),
    ],
  };
  return (
    <Confirm
      title="Ship a variant to everyone?"
      action="Ship variant"
      onClose={onClose}
      onConfirm={async () => {
        if (variant === '') throw new Error('Select the variant that everyone gets.');
        onChanged(
          await takeStep(id, experiment.id, 'ship_variant', { variant_key: variant, ...conclusionBody(draft) }),
        );
        toast(`Everyone gets ${variant} now.`);
      }}
    >
      <EarlyNote results={results} />
      <Select
        label="Variant"
        value={variant}
        onChange={setVariant}
        options={[{ value: '', label: 'Select a variant' }, ...variants.map(({ key }) => ({ value: key, label: key }))]}
      />
      {against.length > 0 && (
        <Banner tone="warn">
          The results speak against it:{' '}
          {against.map((sentence, at) => (
            <span key={at}>{sentence} </span>
          ))}
        </Banner>
      )}
      <p>
        A release condition for everyone is added on top of the others. To undo it, remove that condition from the
        feature flag. A running experiment ends.
      </p>
      <ConclusionFields draft={draft} results={results} onChange={setDraft} />
      {flagId !== null && variant !== '' && (
        <AffectedUsers query={{ id: flagId, active: true, filters: shipped }} audience="persons" />
      )}
    </Confirm>
  );
}
