import { Checkbox, Select, TextField } from '../../../components/field.tsx';
import { TagInput } from '../../../components/tag-input.tsx';
import { type Draft, keyAdvice, keyProblem } from '../model/draft.ts';
import { makeBoolean, makeMultivariate, variantsOf } from '../model/variants.ts';
import type { Editing } from './use-editing.ts';

const KINDS = [
  { value: 'boolean', label: 'Boolean' },
  { value: 'multivariate', label: 'Multivariate' },
  { value: 'configuration', label: 'Remote config (payload only)' },
] as const;
type Kind = (typeof KINDS)[number]['value'];

const RUNTIMES: readonly { value: Draft['evaluation_runtime']; label: string }[] = [
  { value: 'all', label: 'Client and server' },
  { value: 'client', label: 'Client only' },
  { value: 'server', label: 'Server only' },
];

const BUCKETS: readonly { value: Draft['bucketing_identifier']; label: string }[] = [
  { value: 'distinct_id', label: 'Distinct ID' },
  { value: 'device_id', label: 'Device ID' },
];

const kindOf = (draft: Draft): Kind => {
  if (variantsOf(draft.filters).length > 0) return 'multivariate';
  return draft.is_remote_configuration ? 'configuration' : 'boolean';
};

const withKind = (draft: Draft, kind: Kind): Partial<Draft> => ({
  is_remote_configuration: kind === 'configuration',
  filters:
    kind === 'multivariate'
      ? makeMultivariate(draft.filters)
      : kindOf(draft) === 'multivariate'
        ? makeBoolean(draft.filters)
        : draft.filters,
});

export function Basics({ editing, isNew }: { editing: Editing; isNew: boolean }) {
  const { draft, base, change } = editing;
  const isRenamed = !isNew && draft.key !== base.key;
  return (
    <section class="card stack" aria-label="General">
      <div class="flag-pair">
        <TextField
          label="Key"
          value={draft.key}
          onInput={(key) => change({ key })}
          placeholder="new-checkout"
          spellcheck={false}
          maxLength={400}
          error={draft.key === '' ? null : keyProblem(draft.key)}
          hint={
            isRenamed
              ? 'Code that uses the old key gets no value. Rollouts are assigned anew.'
              : (keyAdvice(draft.key) ?? 'The key that your code uses.')
          }
        />
        <TextField
          label="Description"
          value={draft.name}
          onInput={(name) => change({ name })}
          hint="What the flag is for, and when it can be removed."
        />
      </div>
      <div class="flag-pair">
        <Select label="Type" value={kindOf(draft)} options={KINDS} onChange={(kind) => change(withKind(draft, kind))} />
        <div class="field">
          <span class="label">Tags</span>
          <TagInput label="Add tag" value={draft.tags} onChange={(tags) => change({ tags })} placeholder="Add tag" />
        </div>
      </div>
      {isNew && (
        <Checkbox label="Enable flag on creation" checked={draft.active} onChange={(active) => change({ active })} />
      )}
      <details>
        <summary>Advanced options</summary>
        <div class="stack flag-more">
          <div class="flag-pair">
            <Select
              label="Evaluation runtime"
              value={draft.evaluation_runtime}
              options={RUNTIMES}
              onChange={(evaluation_runtime) => change({ evaluation_runtime })}
            />
            <Select
              label="Bucket by"
              value={draft.bucketing_identifier}
              options={BUCKETS}
              onChange={(bucketing_identifier) =>
                change({
                  bucketing_identifier,
                  ...(bucketing_identifier === 'device_id' && { ensure_experience_continuity: false }),
                })
              }
            />
          </div>
          <Checkbox
            label="Persist across authentication: keep the value when a person signs in"
            checked={draft.ensure_experience_continuity}
            disabled={draft.bucketing_identifier === 'device_id'}
            onChange={(ensure_experience_continuity) => change({ ensure_experience_continuity })}
          />
        </div>
      </details>
    </section>
  );
}
