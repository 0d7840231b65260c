import { useState } from 'preact/hooks';
import { deleteProject, type Project } from '../../api/projects.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';

export function DeleteProject({ project }: { project: Project }) {
  const [isAsked, ask] = useState(false);
  return (
    <section class="card stack" aria-label="Delete the project">
      <h2>Delete the project</h2>
      <p class="soft">For a project that nobody needs any more. To begin afresh, make a new one beside it first.</p>
      <div>
        <Button kind="danger" onClick={() => ask(true)}>
          Delete this project…
        </Button>
      </div>
      {isAsked && (
        <Confirm
          title={`Delete ${project.name}?`}
          action="Delete the project and everything in it"
          danger
          typed={project.name}
          onClose={() => ask(false)}
          onConfirm={async () => {
            await deleteProject(project.id);
            // The session has another project now, or none.
            location.assign('/');
          }}
        >
          <p>
            All events, persons, groups, flags, cohorts, insights and dashboards of this project are removed for good,
            and its keys stop working at once. <b>This cannot be undone</b>, except from a backup.
          </p>
        </Confirm>
      )}
    </section>
  );
}
