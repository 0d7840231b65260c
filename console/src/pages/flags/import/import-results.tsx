/** Each flag of an import: what happens to it, who gets another value, and what is kept. */
import type { FlagImport, ImportSource } from '../../../api/flag-imports.ts';
import { type Option, Select } from '../../../components/field.tsx';
import { Link } from '../../../components/link.tsx';
import { Empty } from '../../../components/states.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import { formatNumber } from '../../../lib/numbers.ts';
import { pathTo } from '../../../lib/route-table.ts';
import { useProject } from '../../../lib/session.ts';
import { ValueBadge } from '../affected-users.tsx';
import { DifferenceList } from '../difference-list.tsx';
import { namedDifferences } from '../model/path-labels.ts';
import { type Kept, type KeptByFlag, keptOf, type Result } from './percentages.ts';
import { inSections, sectionOf } from './sections.ts';
import { SOURCES } from './sources.ts';

interface ImportResultsProps {
  plan: FlagImport;
  source: ImportSource;
  choices?: KeptByFlag;
  /** Absent: it is done. */
  onChoose?(result: Result, kept: Kept): void;
}

const DONE = { Create: 'Created', Change: 'Changed', 'No change': 'No change', 'Left out': 'Left out' };

export function ImportResults({ plan, source, choices = {}, onChoose }: ImportResultsProps) {
  const { id } = useProject();
  const columns: Column<Result>[] = [
    {
      id: 'key',
      title: 'Flag',
      cell: ({ key, id: flag }) =>
        flag === null ? <b>{key}</b> : <Link to={pathTo('flag', { project: id, flag }) ?? '/'}>{key}</Link>,
    },
    {
      id: 'what',
      title: 'What happens',
      cell: (result) => (
        <div class="stack-s">
          <Effect result={result} plan={plan} source={source} />
          {onChoose && (result.can_keep_people || result.can_accept) && (
            <KeptSelect result={result} value={keptOf(result, choices)} onChange={(kept) => onChoose(result, kept)} />
          )}
        </div>
      ),
    },
  ];
  return (
    <div class="import-results">
      <Table
        label="Flags of the file"
        columns={columns}
        rows={inSections(plan.results)}
        rowKey={({ key }) => key}
        sectionOf={(result) => (onChoose ? sectionOf(result) : DONE[sectionOf(result)])}
        empty={<Empty title="No flags">The file has no flags.</Empty>}
      />
    </div>
  );
}

interface KeptSelectProps {
  result: Result;
  value: Kept;
  onChange(kept: Kept): void;
}

function KeptSelect({ result, value, onChange }: KeptSelectProps) {
  const { key, can_keep_people: hasPeople, can_accept: canAccept } = result;
  const options: Option<Kept>[] = [
    ...(hasPeople ? [{ value: 'people' as const, label: 'Keep the people' }] : []),
    ...(canAccept
      ? [{ value: 'percentage' as const, label: hasPeople ? 'Keep the percentage only' : 'Import it' }]
      : []),
    { value: 'nothing', label: 'Leave out' },
  ];
  return (
    <div class="import-kept">
      <Select label={`What to keep of ${key}`} hideLabel value={value} options={options} onChange={onChange} />
    </div>
  );
}

type EffectProps = Pick<ImportResultsProps, 'plan' | 'source'> & { result: Result };

function Effect({ result: { key, outcome }, plan, source }: EffectProps) {
  const { label } = SOURCES[source];
  const differing = plan.differ.find((one) => one.key === key);
  if (outcome === 'not_imported')
    return <p>Cannot be converted: {plan.not_imported.find((one) => one.key === key)?.why}.</p>;
  if (outcome === 'differs') return <p>{sentence(differing?.reason ?? '')}</p>;
  return (
    <>
      {outcome === 'equal' && <p>Everyone keeps their value.</p>}
      {outcome === 'kept' && <p>Everyone keeps their value, by the hash of {label}.</p>}
      {outcome === 'accepted' && differing && <Differing differing={differing} />}
      <Changes name={key} plan={plan} />
    </>
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function Differing({ differing }: { differing: FlagImport['differ'][number] }) {
  const { reason, users_compared: compared, users_changed: changed, examples } = differing;
  if (compared === null || changed === null) return <p>{sentence(reason)}</p>;
  return (
    <>
      <p>
        <b>
          {formatNumber(changed)} of {formatNumber(compared)}
        </b>{' '}
        sample users get another value.
      </p>
      <ul class="import-examples" aria-label="Examples">
        {examples.map(({ context, theirs, ours }) => (
          <li key={JSON.stringify(context)} class="row">
            <code>{String(context['distinct_id'])}</code>
            <ValueBadge value={theirs} /> <span aria-hidden="true">→</span>
            <span class="visually-hidden">changes to</span> <ValueBadge value={ours} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Of a flag that the project has. */
function Changes({ name, plan }: { name: string; plan: FlagImport }) {
  const change = plan.changes.find((one) => one.kind === 'flag' && one.name === name);
  if (change?.action !== 'update') return null;
  return (
    <details>
      <summary>What changes</summary>
      <DifferenceList label={`Changes of ${name}`} differences={namedDifferences(change.diff)} />
    </details>
  );
}
