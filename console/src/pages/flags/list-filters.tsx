import { listFlags } from '../../api/flags.ts';
import { Combobox, type Suggestion } from '../../components/combobox.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { useProject } from '../../lib/session.ts';

export interface FlagFilters {
  search: string;
  status: string;
  type: string;
  tag: string;
}

export const NO_FILTERS: FlagFilters = { search: '', status: '', type: '', tag: '' };

/** Not a value of `active`: deleted flags are a list of their own. */
export const DELETED = 'deleted';

const STATUSES = [
  { value: '', label: 'All' },
  { value: 'true', label: 'Enabled' },
  { value: 'false', label: 'Disabled' },
  { value: 'STALE', label: 'Stale' },
  { value: DELETED, label: 'Deleted' },
];

const TYPES = [
  { value: '', label: 'All' },
  { value: 'boolean', label: 'Boolean' },
  { value: 'multivariant', label: 'Multivariate' },
  { value: 'remote_config', label: 'Remote config' },
];

interface FlagListFiltersProps {
  value: FlagFilters;
  onChange(changes: Partial<FlagFilters>): void;
}

export function FlagListFilters({ value, onChange }: FlagListFiltersProps) {
  const { id } = useProject();
  const suggestTags = async (text: string, signal: AbortSignal): Promise<Suggestion[]> => {
    const { results } = await listFlags(id, { limit: 1000 }, signal);
    const tags = [...new Set(results.flatMap((flag) => flag.tags))].sort();
    return tags.filter((tag) => tag.includes(text.toLowerCase())).map((tag) => ({ value: tag }));
  };
  return (
    <div class="flags-filters">
      <TextField
        label="Search"
        type="search"
        placeholder="Key or description"
        value={value.search}
        onInput={(search) => onChange({ search })}
      />
      <Select label="Status" value={value.status} options={STATUSES} onChange={(status) => onChange({ status })} />
      <Select label="Type" value={value.type} options={TYPES} onChange={(type) => onChange({ type })} />
      <Combobox
        label="Tag"
        placeholder="All"
        value={value.tag}
        onChange={(tag) => onChange({ tag })}
        suggest={suggestTags}
        inputs={[id]}
      />
    </div>
  );
}
