import type { FeatureFlag } from '../../api/flags.ts';
import { Link } from '../../components/link.tsx';
import { Badge } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { FlagStatus } from './flag-status.tsx';
import { FlagSwitch } from './flag-switch.tsx';
import type { Names } from './model/descriptions.ts';
import { keyOf, variantsOf } from './model/variants.ts';
import { RolloutBar } from './rollout-bar.tsx';

interface Selection {
  selected: ReadonlySet<number>;
  onSelect(selected: ReadonlySet<number>): void;
}

interface ColumnEvents {
  /** Null: nothing can be selected. */
  selection: Selection | null;
  onTag(tag: string): void;
  onChanged(flag: FeatureFlag): void;
}

export const columnsOf = (names: Names, { selection, onTag, onChanged }: ColumnEvents): Column<FeatureFlag>[] => [
  ...(selection === null ? [] : [selectColumn(selection)]),
  {
    id: 'switch',
    title: 'Enabled',
    cell: (flag) => !flag.deleted && <FlagSwitch flag={flag} names={names} onChanged={onChanged} />,
  },
  { id: 'key', title: 'Key', canSort: true, cell: (flag) => <FlagName flag={flag} /> },
  { id: 'status', title: 'Status', cell: ({ status }) => <FlagStatus status={status} /> },
  {
    id: 'rollout',
    title: 'Rollout',
    isWide: true,
    cell: ({ filters, active }) => <RolloutBar filters={filters} isOn={active} />,
  },
  { id: 'variants', title: 'Variants', isExtraWide: true, cell: (flag) => <Variants flag={flag} /> },
  { id: 'tags', title: 'Tags', isExtraWide: true, cell: ({ tags }) => <TagButtons tags={tags} onTag={onTag} /> },
  {
    id: 'updated_at',
    title: 'Last modified',
    canSort: true,
    isWide: true,
    cell: ({ updated_at, last_modified_by: who }) => (
      <span class="flag-changed">
        <Time at={updated_at} as="relative" />
        <span class="truncate muted"> by {who ? who.first_name || who.email : 'System'}</span>
      </span>
    ),
  },
];

const selectColumn = ({ selected, onSelect }: Selection): Column<FeatureFlag> => ({
  id: 'select',
  title: 'Select',
  hideTitle: true,
  cell: (flag) => (
    <input
      type="checkbox"
      aria-label={`Select ${flag.key}`}
      checked={selected.has(flag.id)}
      disabled={!flag.can_edit}
      onChange={() => {
        const next = new Set(selected);
        if (!next.delete(flag.id)) next.add(flag.id);
        onSelect(next);
      }}
    />
  ),
});

function FlagName({ flag }: { flag: FeatureFlag }) {
  const project = useProject();
  return (
    <div class="flag-name">
      <Link class="truncate" to={pathTo('flag', { project: project.id, flag: flag.id }) ?? '/'} title={flag.key}>
        {flag.key}
      </Link>
      {flag.name !== '' && (
        <span class="truncate muted" title={flag.name}>
          {flag.name}
        </span>
      )}
      {/* On narrow screens, in place of the rollout column. */}
      <div class="flag-rollout">
        <RolloutBar filters={flag.filters} isOn={flag.active} />
      </div>
    </div>
  );
}

function Variants({ flag }: { flag: FeatureFlag }) {
  const variants = variantsOf(flag.filters);
  if (flag.is_remote_configuration) return <Badge>Remote config</Badge>;
  return variants.length === 0 ? <span class="muted">Boolean</span> : <span>{variants.map(keyOf).join(', ')}</span>;
}

const TagButtons = ({ tags, onTag }: { tags: readonly string[]; onTag(tag: string): void }) => (
  <span class="row">
    {tags.map((tag) => (
      <button type="button" class="tag-button" key={tag} aria-label={`Filter by tag ${tag}`} onClick={() => onTag(tag)}>
        {tag}
      </button>
    ))}
  </span>
);
