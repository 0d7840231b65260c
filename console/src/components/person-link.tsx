import { pathTo } from '../lib/route-table.ts';
import { useProject } from '../lib/session.ts';
import { Link } from './link.tsx';

interface PersonLinkProps {
  /** The person's UUID or a distinct ID; without one only the name is shown. */
  id?: string | undefined;
  name: string;
}

export function PersonLink({ id, name }: PersonLinkProps) {
  const project = useProject();
  const to = id === undefined ? null : pathTo('person', { project: project.id, person: id });
  return to === null ? (
    <span class="truncate" title={name}>
      {name}
    </span>
  ) : (
    <Link class="truncate" to={to} title={name}>
      {name}
    </Link>
  );
}
