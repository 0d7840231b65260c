import './settings.css';
import { ADMIN } from '../../api/organizations.ts';
import { getProject } from '../../api/projects.ts';
import { PageFrame } from '../../components/page.tsx';
import { Banner, Loaded } from '../../components/states.tsx';
import { useSession } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { ApprovalPolicies } from './approval-policies.tsx';
import { DeleteProject } from './delete-project.tsx';
import { DemoData } from './demo-data.tsx';
import { General, Privacy, Webhook } from './general.tsx';
import { Keys } from './keys.tsx';
import { PathCleaning } from './path-cleaning.tsx';
import { SecretKeys } from './secret-keys.tsx';
import { TestAccounts } from './test-accounts.tsx';

export function Page() {
  const { project, reload } = useSession();
  const settings = useResource((signal) => getProject(project.id, signal), [project.id]);
  const onSaved = (): void => {
    settings.reload();
    reload();
  };
  return (
    <PageFrame title="Project settings" lead="These settings apply to this project only.">
      <Loaded resource={settings}>
        {(data) => (
          <div class="settings">
            {data.effective_membership_level < ADMIN && (
              <Banner tone="warn">Only admins of the organization can change these settings.</Banner>
            )}
            <Keys project={data} onSaved={onSaved} />
            {data.effective_membership_level >= ADMIN && <SecretKeys project={data} />}
            <General project={data} onSaved={onSaved} />
            <Privacy project={data} onSaved={onSaved} />
            <Webhook project={data} onSaved={onSaved} />
            <ApprovalPolicies project={data} canEdit={data.effective_membership_level >= ADMIN} />
            <TestAccounts project={data} onSaved={onSaved} />
            <PathCleaning project={data} onSaved={onSaved} />
            <DemoData />
            <DeleteProject project={data} />
          </div>
        )}
      </Loaded>
    </PageFrame>
  );
}
