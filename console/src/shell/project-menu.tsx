import { useState } from 'preact/hooks';
import { setCurrentProject } from '../api/accounts.ts';
import { Menu } from '../components/menu.tsx';
import { toastError } from '../components/toast.tsx';
import { pathTo } from '../lib/route-table.ts';
import { navigate } from '../lib/router.ts';
import { useSession } from '../lib/session.ts';
import { Initial } from './initial.tsx';
import { NewProject } from './new-project.tsx';

export function ProjectMenu() {
  const { project, projects } = useSession();
  const [isCreating, setCreating] = useState(false);
  const choose = (id: number): void => {
    // So that the next visit starts there.
    setCurrentProject(id).catch(toastError);
    navigate(pathTo('web', { project: id }) ?? '/');
  };
  return (
    <>
      <Menu
        label={
          <span class="nav-item" title={project.name}>
            <Initial of={project.name} />
            <span class="nav-label truncate">{project.name}</span>
          </span>
        }
      >
        {projects.map(({ id, name }) => (
          <button type="button" key={id} aria-current={id === project.id} onClick={() => choose(id)}>
            {name}
          </button>
        ))}
        <hr />
        <button type="button" onClick={() => setCreating(true)}>
          New project…
        </button>
      </Menu>
      {isCreating && <NewProject onClose={() => setCreating(false)} />}
    </>
  );
}
