import { pathTo } from '../lib/route-table.ts';
import { useProject } from '../lib/session.ts';
import { Link } from './link.tsx';

export interface PersonLinkProps {
  /** The person's UUID or a distinct id; without one there is only the name. */
  id?: string | undefined;
  /** A name, an e-mail, a distinct id. */
  name: string;
}

/** Leads to the person's page where there is one. */
export function PersonLink({ id, name }: PersonLinkProps) {
  const project = useProject();
  const to = id === undefined ? null : pathTo('person', { project: project.id, person: id });
  return to === null ? (
    <span class="cut" title={name}>
      {name}
    </span>
  ) : (
    <Link class="cut" to={to} title={name}>
      {name}
    </Link>
  );
}
