/** The form for creating and editing a cohort. */
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import type { Cohort, CohortWrite } from '../../api/cohorts.ts';
import { Button } from '../../components/button.tsx';
import { FileField, Select, TextArea, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useAction } from '../../lib/use-resource.ts';
import { type CriteriaGroup, EMPTY_GROUP, isFilledIn, readCriteria, writeCriteria } from './criteria.ts';
import { CriteriaForm } from './criteria-form.tsx';

interface CohortFormProps {
  /** Null for a new cohort. */
  cohort: Cohort | null;
  onSave(body: CohortWrite): Promise<unknown>;
  onCancel?(): void;
}

const KINDS = [
  { value: 'dynamic', label: 'Dynamic: persons who match the criteria, updated automatically' },
  { value: 'static', label: 'Static: a fixed list of persons' },
];

export function CohortForm({ cohort, onSave, onCancel }: CohortFormProps) {
  const [name, setName] = useState(cohort?.name ?? '');
  const [description, setDescription] = useState(cohort?.description ?? '');
  const [isStatic, setStatic] = useState(cohort?.is_static ?? false);
  const criteria = cohort ? readCriteria(cohort.filters) : [EMPTY_GROUP];
  const [groups, setGroups] = useState<CriteriaGroup[] | null>(criteria);
  const [json, setJson] = useState(() => JSON.stringify(cohort?.filters ?? {}, null, 2));
  const [ids, setIds] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const save = useAction(async () => {
    const body: CohortWrite = { name, description, ...(cohort ? {} : { is_static: isStatic }) };
    if (isStatic) {
      const personIds = ids
        .split(/[\n,]/)
        .map((id) => id.trim())
        .filter(Boolean);
      if (personIds.length > 0) body._create_static_person_ids = personIds;
      if (file) body.csv = await file.text();
    } else {
      body.filters = groups ? writeCriteria(groups) : JSON.parse(json);
    }
    await onSave(body);
    setIds('');
    setFile(null);
  });
  const submit = (): void => {
    const found = isStatic ? null : groups ? problemWith(groups) : jsonProblem(json);
    setProblem(found);
    if (found === null) void save.run();
  };
  const toJson = (): void => {
    setJson(JSON.stringify(writeCriteria(groups ?? []), null, 2));
    setGroups(null);
  };
  const toForm = (): void => {
    const found = jsonProblem(json);
    const read = found === null ? readCriteria(JSON.parse(json) as Record<string, unknown>) : null;
    if (read) setGroups(read);
    else setProblem(found ?? 'The form cannot show these criteria. Keep editing them as JSON.');
  };
  const nameError = save.error instanceof ApiError && save.error.attr === 'name' ? save.error.message : null;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField label="Name" value={name} onInput={setName} required maxLength={400} error={nameError} />
      <TextField label="Description" value={description} onInput={setDescription} maxLength={1000} />
      {cohort === null && (
        <Select
          label="Type"
          value={isStatic ? 'static' : 'dynamic'}
          options={KINDS}
          onChange={(kind) => setStatic(kind === 'static')}
        />
      )}
      {isStatic && (
        <>
          <TextArea
            label={cohort ? 'Add persons' : 'Persons'}
            hint="One distinct ID or person UUID per line. Unknown IDs are ignored."
            isCode
            value={ids}
            onInput={setIds}
          />
          <FileField
            label={cohort ? 'Add persons from a file' : 'Persons from a file'}
            hint="CSV or text with distinct IDs in its first column."
            accept=".csv,.txt,text/csv,text/plain"
            value={file}
            onChange={setFile}
          />
        </>
      )}
      {!isStatic && groups !== null && (
        <CriteriaForm value={groups} onChange={setGroups} {...(cohort && { self: cohort.id })} />
      )}
      {!isStatic && groups === null && (
        <TextArea label="Criteria as JSON" rows={14} isCode value={json} onInput={setJson} />
      )}
      {problem !== null && <ErrorNote error={new Error(problem)} />}
      {save.error !== undefined && nameError === null && <ErrorNote error={save.error} />}
      <div class="row">
        {!isStatic && (
          <Button kind="quiet" onClick={groups ? toJson : toForm}>
            {groups ? 'Edit as JSON' : 'Edit in form'}
          </Button>
        )}
        <span class="row push">
          {onCancel && <Button onClick={onCancel}>Cancel</Button>}
          <Button type="submit" kind="primary" busy={save.busy}>
            {cohort ? 'Save' : 'Create cohort'}
          </Button>
        </span>
      </div>
    </form>
  );
}

const problemWith = (groups: readonly CriteriaGroup[]): string | null =>
  groups.length > 0 && isFilledIn(groups)
    ? null
    : 'Complete the criteria: every group needs at least one criterion, and every criterion its values.';

function jsonProblem(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? null : 'Criteria must be a JSON object: {"properties": {…}}';
  } catch {
    return 'Invalid JSON. Put strings and keys in double quotes.';
  }
}
