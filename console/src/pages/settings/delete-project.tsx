import { useState } from 'preact/hooks';
import { deleteProject, type Project } from '../../api/projects.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';

export function DeleteProject({ project }: { project: Project }) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <section class="card stack" aria-label="Delete project">
      <h2>Delete project</h2>
      <p class="muted">Permanently deletes this project and all its data.</p>
      <div>
        <Button kind="danger" onClick={() => setConfirming(true)}>
          Delete project…
        </Button>
      </div>
      {isConfirming && (
        <Confirm
          title={`Delete ${project.name}?`}
          action="Delete project and all data"
          danger
          typed={project.name}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await deleteProject(project.id);
            // The session continues with another project, if there is one.
            location.assign('/');
          }}
        >
          <p>
            All events, persons, groups, feature flags, cohorts, insights and dashboards of this project are permanently
            deleted, and its API keys stop working at once. <b>This cannot be undone</b>, except by restoring a backup.
          </p>
        </Confirm>
      )}
    </section>
  );
}
