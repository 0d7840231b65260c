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

export interface ColumnEvents {
  onTag(tag: string): void;
  onChanged(flag: FeatureFlag): void;
}

export const columnsOf = (names: Names, { onTag, onChanged }: ColumnEvents): Column<FeatureFlag>[] => [
  {
    id: 'switch',
    title: 'Switch',
    cell: (flag) => <FlagSwitch flag={flag} names={names} onChanged={onChanged} />,
  },
  { id: 'key', title: 'Flag', canSort: true, cell: (flag) => <FlagName flag={flag} /> },
  { id: 'status', title: 'Status', cell: ({ status }) => <FlagStatus status={status} /> },
  {
    id: 'rollout',
    title: 'Rollout',
    isWide: true,
    cell: ({ filters, active }) => <RolloutBar filters={filters} isOn={active} />,
  },
  { id: 'variants', title: 'Variants', isWide: true, cell: (flag) => <Variants flag={flag} /> },
  { id: 'tags', title: 'Tags', isWide: true, cell: ({ tags }) => <TagButtons tags={tags} onTag={onTag} /> },
  {
    id: 'updated_at',
    title: 'Last changed',
    canSort: true,
    isWide: true,
    cell: ({ updated_at, last_modified_by: who }) => (
      <span class="flag-changed">
        <Time at={updated_at} as="ago" />
        <span class="cut soft"> by {who ? who.first_name || who.email : 'the system'}</span>
      </span>
    ),
  },
];

function FlagName({ flag }: { flag: FeatureFlag }) {
  const project = useProject();
  return (
    <div class="flag-name">
      <Link class="cut" to={pathTo('flag', { project: project.id, flag: flag.id }) ?? '/'} title={flag.key}>
        {flag.key}
      </Link>
      {flag.name !== '' && (
        <span class="cut soft" title={flag.name}>
          {flag.name}
        </span>
      )}
      {/* The column of its own is left out on narrow screens. */}
      <div class="flag-rollout">
        <RolloutBar filters={flag.filters} isOn={flag.active} />
      </div>
    </div>
  );
}

function Variants({ flag }: { flag: FeatureFlag }) {
  const variants = variantsOf(flag.filters);
  if (flag.is_remote_configuration) return <Badge>configuration</Badge>;
  return variants.length === 0 ? <span class="soft">on or off</span> : <span>{variants.map(keyOf).join(', ')}</span>;
}

const TagButtons = ({ tags, onTag }: { tags: readonly string[]; onTag(tag: string): void }) => (
  <span class="row">
    {tags.map((tag) => (
      <button
        type="button"
        class="tag-button"
        key={tag}
        aria-label={`Flags with the tag ${tag}`}
        onClick={() => onTag(tag)}
      >
        {tag}
      </button>
    ))}
  </span>
);
