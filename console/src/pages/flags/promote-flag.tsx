import { useState } from 'preact/hooks';
import type { FeatureFlag } from '../../api/flags.ts';
import { listProjects, type ProjectBasic } from '../../api/projects.ts';
import { type FlagPromotion, promoteFlag } from '../../api/promotion.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Select } from '../../components/field.tsx';
import { Banner, ErrorNote, Loaded } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { orAskForApproval } from '../approvals/or-ask-for-approval.ts';
import { DifferenceList } from './difference-list.tsx';
import { namedDifferences } from './model/path-labels.ts';

interface PromoteFlagProps {
  flag: Pick<FeatureFlag, 'id' | 'key'> & Partial<Pick<FeatureFlag, 'version'>>;
  /** The project to promote to; otherwise the first one is selected. */
  to?: number;
  onClose(): void;
}

/** Makes the flag with the same key in another project say the same, after a look at what changes there. */
export function PromoteFlag({ flag, to, onClose }: PromoteFlagProps) {
  const { id } = useProject();
  const projects = useResource((signal) => listProjects(signal), []);
  return (
    <Loaded resource={projects}>
      {(all) => {
        const others = all.filter((project) => project.id !== id);
        const first = others.find((project) => project.id === to) ?? others[0];
        if (first === undefined) return <NoProject onClose={onClose} />;
        return <Promotion flag={flag} projects={others} first={first} onClose={onClose} />;
      }}
    </Loaded>
  );
}

const NoProject = ({ onClose }: Pick<PromoteFlagProps, 'onClose'>) => (
  <Dialog title="Promote to another project" onClose={onClose}>
    <p>There is no other project yet. Create one for each environment, such as Production, and promote flags to it.</p>
  </Dialog>
);

interface PromotionProps extends PromoteFlagProps {
  projects: readonly ProjectBasic[];
  first: ProjectBasic;
}

function Promotion({ flag, projects, first, onClose }: PromotionProps) {
  const { id } = useProject();
  const [to, setTo] = useState(String(first.id));
  const [copies, setCopies] = useState(false);
  const asked = { to: Number(to), copy_cohorts: copies };
  const plan = useResource(
    (signal) => promoteFlag(id, flag.id, asked, signal),
    [id, flag.id, flag.version, to, copies],
  );
  const name = projects.find((project) => String(project.id) === to)?.name ?? '';
  const promote = useAction(async () => {
    const { confirm: confirmed } = plan.data ?? {};
    if (!confirmed) return;
    await orAskForApproval(asked.to, async () => {
      await promoteFlag(id, flag.id, { ...asked, confirm: confirmed });
      toast(`${flag.key} promoted to ${name}.`);
    });
  });
  const canPromote = plan.data !== undefined && plan.data.confirm !== null && plan.data.action !== 'none';
  const confirm = async (): Promise<void> => {
    if (await promote.run()) onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={promote.busy} disabled={!canPromote} onClick={() => void confirm()}>
        Promote
      </Button>
    </>
  );
  return (
    <Dialog title={`Promote ${flag.key}`} onClose={onClose} footer={footer}>
      <Select
        label="Project"
        value={to}
        options={projects.map((project) => ({ value: String(project.id), label: project.name }))}
        onChange={setTo}
      />
      <Checkbox label="Copy cohorts that are not there" checked={copies} onChange={setCopies} />
      <Loaded resource={plan}>{(planned) => <Plan plan={planned} name={name} />}</Loaded>
      {promote.error !== undefined && <ErrorNote error={promote.error} onRetry={plan.reload} />}
    </Dialog>
  );
}

function Plan({ plan, name }: { plan: FlagPromotion; name: string }) {
  if (plan.action === 'none') return <p>The flag says the same in {name}.</p>;
  const radius = plan.blast_radius;
  return (
    <>
      <p>{plan.action === 'create' ? `The flag is created in ${name}.` : `The flag in ${name} changes:`}</p>
      {plan.action === 'update' && <DifferenceList label="Changes" differences={namedDifferences(plan.diff)} />}
      {radius && (
        <p>
          <b>{radius.users_changed?.toLocaleString('en') ?? 0}</b> of {radius.total_users.toLocaleString('en')} users
          get another value there.
        </p>
      )}
      {plan.copied_cohorts.length > 0 && <p>Cohorts that are copied: {plan.copied_cohorts.join(', ')}.</p>}
      {plan.missing.length > 0 && (
        <Banner tone="warn">
          Missing there:
          {plan.missing.map(({ kind, name: missing, reason }) => (
            <p key={`${kind} ${missing}`}>
              {kind.replace('_', ' ')} <b>{missing}</b>. {reason}
            </p>
          ))}
        </Banner>
      )}
      {plan.not_portable.length > 0 && (
        <Banner>Some conditions name the ids of users. They are probably others in {name}.</Banner>
      )}
    </>
  );
}
