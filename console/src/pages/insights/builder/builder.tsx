import '../../../components/toolbar.css';
import './builder.css';
import { listGroupTypes } from '../../../api/groups.ts';
import { Checkbox, TextField } from '../../../components/field.tsx';
import { FilterChips } from '../../../components/filter-chips.tsx';
import { useProject } from '../../../lib/session.ts';
import { useResource } from '../../../lib/use-resource.ts';
import { hasBreakdown, type Question } from '../question.ts';
import { BreakdownChips } from './breakdown-chips.tsx';
import { FunnelControls, PathControls, RetentionControls } from './kind-options.tsx';
import { SeriesList } from './series-list.tsx';

interface BuilderProps {
  question: Question;
  onChange(question: Question): void;
}

export function Builder({ question, onChange }: BuilderProps) {
  const update = (changes: Partial<Question>): void => onChange({ ...question, ...changes });
  const { kind, rest } = question;
  const { id } = useProject();
  const { data: groupTypes = [] } = useResource((signal) => listGroupTypes(id, signal), [id]);
  return (
    <section class="builder" aria-label="Query">
      {kind === 'retention' && (
        <RetentionControls
          question={question}
          onSeries={(series) => update({ series })}
          onChange={(retention) => update({ retention })}
        />
      )}
      {kind === 'paths' && <PathControls value={question.paths} onChange={(paths) => update({ paths })} />}
      {kind !== 'retention' && kind !== 'paths' && (
        <SeriesList question={question} groupTypes={groupTypes} onChange={(series) => update({ series })} />
      )}
      {kind === 'funnel' && (
        <FunnelControls
          value={question.funnel}
          steps={question.series.length}
          groupTypes={groupTypes}
          onChange={(funnel) => update({ funnel })}
        />
      )}
      {kind === 'trends' && question.series.length > 1 && (
        <TextField
          label="Formula"
          placeholder="A / B"
          hint="Combine series by their letters. Leave empty to show the series themselves."
          value={question.formula}
          onInput={(formula) => update({ formula })}
        />
      )}
      <div class="builder-part">
        <h3>Filters</h3>
        <FilterChips value={question.filters} onChange={(filters) => update({ filters })} />
        <Checkbox
          label="Filter out internal and test users"
          checked={question.withoutTestAccounts}
          onChange={(withoutTestAccounts) => update({ withoutTestAccounts })}
        />
      </div>
      {hasBreakdown(question) && (
        <div class="builder-part">
          <h3>Breakdown</h3>
          <BreakdownChips question={question} onChange={update} />
        </div>
      )}
      <OtherFields rest={rest} />
    </section>
  );
}

/** Names the fields without a control, because they affect the numbers. */
function OtherFields({ rest }: { rest: Question['rest'] }) {
  const names = Object.keys(rest).filter((name) => !name.startsWith('breakdown'));
  if (names.length === 0) return null;
  return (
    <p class="muted small">
      Also part of this query: <code>{names.join(', ')}</code>. Change these through the API.
    </p>
  );
}
