import { Link } from '../../components/link.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';

/** `name` is the key of the group. */
export function GroupLink({ type, name }: { type: number; name: string }) {
  const { id } = useProject();
  return (
    <Link class="truncate" to={pathTo('group', { project: id, type, group: name }) ?? '/'} title={name}>
      {name}
    </Link>
  );
}
