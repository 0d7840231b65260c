/** Everything that can be set for a project. */
import { ADMIN } from '../../api/organizations.ts';
import { getProject, type Project } from '../../api/projects.ts';
import './settings.css';
import { PageFrame } from '../../components/page.tsx';
import { Banner, Loaded } from '../../components/states.tsx';
import { useSession } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { DeleteProject } from './delete-project.tsx';
import { General, Privacy, Webhook } from './general.tsx';
import { Keys } from './keys.tsx';
import { PathCleaning } from './path-cleaning.tsx';
import { TestAccounts } from './test-accounts.tsx';

export interface SettingsProps {
  project: Project;
  onSaved(): void;
}

export function Page() {
  const { project, reload } = useSession();
  const settings = useResource((signal) => getProject(project.id, signal), [project.id]);
  const onSaved = (): void => {
    settings.reload();
    reload();
  };
  return (
    <PageFrame title="Project settings" lead="They apply to this project alone, from the moment they are saved.">
      <Loaded resource={settings}>
        {(data) => (
          <div class="settings">
            {data.effective_membership_level < ADMIN && (
              <Banner tone="warn">You may look, but only admins of the organization can save changes here.</Banner>
            )}
            <Keys project={data} onSaved={onSaved} />
            <General project={data} onSaved={onSaved} />
            <Privacy project={data} onSaved={onSaved} />
            <Webhook project={data} onSaved={onSaved} />
            <TestAccounts project={data} onSaved={onSaved} />
            <PathCleaning project={data} onSaved={onSaved} />
            <DeleteProject project={data} />
          </div>
        )}
      </Loaded>
    </PageFrame>
  );
}
