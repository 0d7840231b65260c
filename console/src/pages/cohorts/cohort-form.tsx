/** What a cohort is made of: the same form for a new one and for one that is there. */

import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../../api/api-error.ts';
import type { Cohort, CohortWrite } from '../../api/cohorts.ts';
import { Button } from '../../components/button.tsx';
import { Select, TextArea, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useAction } from '../../lib/use-resource.ts';
import { type CriteriaGroup, EMPTY_GROUP, isWhole, readCriteria, writeCriteria } from './criteria.ts';
import { CriteriaForm } from './criteria-form.tsx';

export interface CohortFieldsProps {
  /** Null: a new one. */
  cohort: Cohort | null;
  onSave(body: CohortWrite): Promise<unknown>;
}

const KINDS = [
  { value: 'criteria', label: 'Criteria: whoever fits, calculated again and again' },
  { value: 'list', label: 'A list: whom you put in by hand' },
];

export function CohortFields({ cohort, onSave }: CohortFieldsProps) {
  const [name, setName] = useState(cohort?.name ?? '');
  const [description, setDescription] = useState(cohort?.description ?? '');
  const [isStatic, setStatic] = useState(cohort?.is_static ?? false);
  const known = cohort ? readCriteria(cohort.filters) : [EMPTY_GROUP];
  const [groups, setGroups] = useState<CriteriaGroup[] | null>(known);
  const [json, setJson] = useState(() => JSON.stringify(cohort?.filters ?? {}, null, 2));
  const [ids, setIds] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const save = useAction(async () => {
    const body: CohortWrite = { name, description, ...(cohort ? {} : { is_static: isStatic }) };
    if (isStatic) {
      const named = ids
        .split(/[\n,]/)
        .map((id) => id.trim())
        .filter(Boolean);
      if (named.length > 0) body._create_static_person_ids = named;
    } else {
      body.filters = groups ? writeCriteria(groups) : JSON.parse(json);
    }
    await onSave(body);
    setIds('');
  });
  const submit = (): void => {
    const wrong = isStatic ? null : groups ? wrongWith(groups) : wrongWithJson(json);
    setProblem(wrong);
    if (wrong === null) void save.run();
  };
  const toJson = (): void => {
    setJson(JSON.stringify(writeCriteria(groups ?? []), null, 2));
    setGroups(null);
  };
  const toForm = (): void => {
    const wrong = wrongWithJson(json);
    const read = wrong === null ? readCriteria(JSON.parse(json) as Record<string, unknown>) : null;
    if (read) setGroups(read);
    else setProblem(wrong ?? 'The form cannot show these criteria. They work all the same; go on with the JSON.');
  };
  const blamed = save.error instanceof ApiError && save.error.attr === 'name' ? messageOf(save.error) : null;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField label="Name" value={name} onInput={setName} required maxLength={400} error={blamed} />
      <TextField label="Description" value={description} onInput={setDescription} maxLength={1000} />
      {cohort === null && (
        <Select
          label="Who is in it"
          value={isStatic ? 'list' : 'criteria'}
          options={KINDS}
          onChange={(kind) => setStatic(kind === 'list')}
        />
      )}
      {isStatic && (
        <TextArea
          label={cohort ? 'Add persons' : 'Persons'}
          hint="Distinct ids or UUIDs of persons, one on each line. Those that nobody has are passed over."
          isCode
          value={ids}
          onInput={setIds}
        />
      )}
      {!isStatic && groups !== null && (
        <CriteriaForm value={groups} onChange={setGroups} {...(cohort && { self: cohort.id })} />
      )}
      {!isStatic && groups === null && (
        <TextArea label="Criteria as JSON" rows={14} isCode value={json} onInput={setJson} />
      )}
      {problem !== null && <ErrorNote error={new Error(problem)} />}
      {save.error !== undefined && blamed === null && <ErrorNote error={save.error} />}
      <div class="row">
        <Button type="submit" kind="primary" busy={save.busy}>
          {cohort ? 'Save' : 'Make the cohort'}
        </Button>
        {!isStatic && (
          <Button kind="quiet" onClick={groups ? toJson : toForm}>
            {groups ? 'Edit as JSON' : 'Edit as a form'}
          </Button>
        )}
      </div>
    </form>
  );
}

const wrongWith = (groups: readonly CriteriaGroup[]): string | null =>
  groups.length > 0 && isWhole(groups)
    ? null
    : 'Something is missing: each group needs at least one line, and every line its values.';

function wrongWithJson(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? null : 'Criteria are an object: {"properties": {…}}';
  } catch {
    return 'This is no JSON. Texts and names stand in double quotes.';
  }
}
