/** A draft with metrics and guardrails, and a power calculation from the project's own history. */
import { useState } from 'preact/hooks';
import { createExperiment, listHoldouts, listSavedMetrics, planExperiment } from '../../api/experiments.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { ErrorNote, Loaded, Skeleton } from '../../components/states.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { EventField } from '../insights/builder/event-field.tsx';
import { type Draft, draftBody, EMPTY_DRAFT, planBody } from './draft.ts';
import { GuardrailMetrics, PrimaryMetrics } from './metric-fields.tsx';
import { ChangeField, PlanText } from './plan-fields.tsx';

export function NewExperiment() {
  const { id } = useProject();
  const [flag] = useQueryState('flag');
  const [draft, setDraft] = useState<Draft>({ ...EMPTY_DRAFT, flagKey: flag });
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  const settled = useDebounced(draft, 400);
  const saved = useResource((signal) => listSavedMetrics(id, signal), [id]).data?.results ?? [];
  const body = planBody(settled, saved);
  const plan = useResource(body === null ? null : (signal) => planExperiment(id, body, signal), [
    id,
    JSON.stringify(body),
  ]);
  const create = useAction(async () => {
    const made = await createExperiment(id, draftBody(draft, plan.data ?? null));
    navigate(pathTo('experiment', { project: id, experiment: made.id }) ?? '/', { replace: true });
  });
  return (
    <PageFrame
      title="New experiment"
      lead={<Link to={pathTo('experiments', { project: id }) ?? '/'}>All experiments</Link>}
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <TextField
          label="Name"
          required
          maxLength={400}
          placeholder="Shorter checkout"
          value={draft.name}
          onInput={(name) => change({ name })}
        />
        <TextArea
          label="Hypothesis"
          rows={2}
          placeholder="With one page instead of three, more people finish their order."
          value={draft.description}
          onInput={(description) => change({ description })}
        />
        <TextField
          label="Feature flag"
          required
          hint="A flag with a variant named control, or the key of a new one with control and test."
          placeholder="checkout"
          value={draft.flagKey}
          onInput={(flagKey) => change({ flagKey })}
        />
        <Checkbox
          label="A/A test: all variants are the same, to check the set-up"
          checked={draft.isAa}
          onChange={(isAa) => change({ isAa })}
        />
        <HoldoutField draft={draft} onChange={change} />
        <PrimaryMetrics draft={draft} saved={saved} onChange={change} />
        <GuardrailMetrics draft={draft} onChange={change} />
        <section class="stack-s card" aria-label="Plan">
          <h2>Plan</h2>
          <ChangeField
            value={draft.mdePercent}
            plan={plan.data ?? null}
            onChange={(mdePercent) => change({ mdePercent })}
          />
          <p class="label">Who will be part of it: persons with this event</p>
          <EventField
            label="Who will be part of it"
            value={{ event: draft.exposedBy, action: null }}
            isPlain
            onChange={({ event }) => change({ exposedBy: event ?? '' })}
          />
          <p class="label">Count persons only from this event on (optional)</p>
          <EventField
            label="Count persons only from this event on"
            value={{ event: draft.activation, action: null }}
            isPlain
            onChange={({ event }) => change({ activation: event ?? '' })}
          />
          <p class="muted small">
            For a change that only some of those who call the flag ever see, such as one on the last page of a form.
          </p>
          {body === null ? (
            <p class="muted">Select the event of the metric to see how long it takes.</p>
          ) : (
            <Loaded resource={plan} skeleton={<Skeleton lines={2} />}>
              {(found) => <PlanText plan={found} />}
            </Loaded>
          )}
        </section>
        {create.error !== undefined && <ErrorNote error={create.error} />}
        <div class="row">
          <Button kind="primary" type="submit" busy={create.busy}>
            Create draft
          </Button>
        </div>
      </form>
    </PageFrame>
  );
}

/** Persons who stay out. */
function HoldoutField({ draft, onChange }: { draft: Draft; onChange(changes: Partial<Draft>): void }) {
  const { id } = useProject();
  const holdouts = useResource((signal) => listHoldouts(id, signal), [id]);
  const known = holdouts.data?.results ?? [];
  if (known.length === 0)
    return (
      <p class="muted small">
        To keep a share of all persons out of this experiment and others, create a{' '}
        <Link to={pathTo('holdouts', { project: id }) ?? '/'}>holdout</Link> first.
      </p>
    );
  return (
    <Select
      label="Holdout"
      hint="Persons of a holdout are not part of the experiment."
      value={draft.holdoutId}
      options={[
        { value: '', label: 'None' },
        ...known.map((one) => ({
          value: String(one.id),
          label: `${one.name}, ${one.filters[0]?.rollout_percentage ?? 0}%`,
        })),
      ]}
      onChange={(holdoutId) => onChange({ holdoutId })}
    />
  );
}
