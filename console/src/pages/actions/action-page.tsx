/** Creates or changes an action, with the events that it matches. */
import './action-page.css';
import { useState } from 'preact/hooks';
import { type Action, type ActionStep, createAction, getAction, updateAction } from '../../api/actions.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { ItemPage } from '../../components/item-page.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { ClickPicker } from './click-picker.tsx';
import { MatchingEvents } from './matching-events.tsx';
import { StepForm } from './step-form.tsx';
import { cleanStep, newStep } from './steps.ts';

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['action'] ?? 'new';
  if (key === 'new') return <Editor key="new" saved={null} />;
  const all = <Link to={pathTo('actions', { project: id }) ?? '/'}>All actions</Link>;
  return (
    <ItemPage name="Action" all={all} load={(signal) => getAction(id, key, signal)} inputs={[id, key]}>
      {(saved) => <Editor key={saved.id} saved={saved} />}
    </ItemPage>
  );
}

function Editor({ saved }: { saved: Action | null }) {
  const { id } = useProject();
  const [name, setName] = useState(saved?.name ?? '');
  const [description, setDescription] = useState(saved?.description ?? '');
  const [steps, setSteps] = useState<ActionStep[]>(saved?.steps ?? [newStep()]);
  const [dialog, setDialog] = useState<'pick' | 'delete' | null>(null);
  const all = pathTo('actions', { project: id }) ?? '/';
  const save = useAction(async () => {
    const body = { name: name.trim(), description, steps: steps.map(cleanStep) };
    await (saved === null ? createAction(id, body) : updateAction(id, saved.id, body));
    toast(`${body.name} saved.`);
    navigate(all);
  });
  const put = (at: number, step: ActionStep | null): void =>
    setSteps(step === null ? steps.toSpliced(at, 1) : steps.with(at, step));
  const add = (step: ActionStep): void => setSteps([...steps.filter((one) => !isUntouched(one)), step]);
  return (
    <PageFrame
      title={saved?.name ?? 'New action'}
      lead={<Link to={all}>All actions</Link>}
      actions={
        <>
          {saved && (
            <Button kind="danger" onClick={() => setDialog('delete')}>
              Delete…
            </Button>
          )}
          <Button kind="primary" busy={save.busy} disabled={name.trim() === ''} onClick={() => void save.run()}>
            {saved === null ? 'Create action' : 'Save'}
          </Button>
        </>
      }
    >
      {save.error !== undefined && <ErrorNote error={save.error} />}
      <div class="action-panes">
        <div class="stack">
          <section class="card stack" aria-label="Basics">
            <TextField label="Name" placeholder="Bought something" maxLength={400} value={name} onInput={setName} />
            <TextField label="Description" value={description} onInput={setDescription} />
          </section>
          <section class="card stack" aria-label="Steps">
            <h2>Match events that fit any of these</h2>
            <ol class="action-steps">
              {steps.map((step, at) => (
                <StepForm
                  key={at}
                  step={step}
                  number={at + 1}
                  onChange={(next) => put(at, next)}
                  onRemove={steps.length > 1 ? () => put(at, null) : null}
                />
              ))}
            </ol>
            <div class="row">
              <Button small onClick={() => setSteps([...steps, newStep()])}>
                Add step
              </Button>
              <Button small onClick={() => setDialog('pick')}>
                Pick from recent clicks
              </Button>
            </div>
          </section>
        </div>
        <MatchingEvents steps={steps} />
      </div>
      {dialog === 'pick' && <ClickPicker onPick={add} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && saved && (
        <Confirm
          title={`Delete ${saved.name}?`}
          action="Delete action"
          danger
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await updateAction(id, saved.id, { deleted: true });
            navigate(all);
          }}
        >
          <p>Insights and cohorts that use it no longer work. Events stay as they are.</p>
        </Confirm>
      )}
    </PageFrame>
  );
}

const isUntouched = (step: ActionStep): boolean => JSON.stringify(step) === JSON.stringify(newStep());
