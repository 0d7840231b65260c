import { Checkbox, Select, TextField } from '../../../components/field.tsx';
import { TagInput } from '../../../components/tag-input.tsx';
import { type Draft, keyProblem } from '../model/draft.ts';
import { makeBoolean, makeMultivariate, variantsOf } from '../model/variants.ts';
import type { Editing } from './use-editing.ts';

const KINDS = [
  { value: 'boolean', label: 'on or off' },
  { value: 'multivariate', label: 'one of several variants' },
  { value: 'configuration', label: 'remote configuration: a payload for everybody it reaches' },
] as const;
type Kind = (typeof KINDS)[number]['value'];

const RUNTIMES: readonly { value: Draft['evaluation_runtime']; label: string }[] = [
  { value: 'all', label: 'everywhere' },
  { value: 'client', label: 'in browsers and apps only' },
  { value: 'server', label: 'on servers only' },
];

const BUCKETS: readonly { value: Draft['bucketing_identifier']; label: string }[] = [
  { value: 'distinct_id', label: 'person (their distinct id)' },
  { value: 'device_id', label: 'device' },
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

/** What the flag is called, what it is for, and what it gives. */
export function Basics({ editing, isNew }: { editing: Editing; isNew: boolean }) {
  const { draft, basis, change } = editing;
  const isRenamed = !isNew && draft.key !== basis.key;
  return (
    <section class="card stack" aria-label="About">
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
              ? 'Code that asks for the old key will get nothing. Everybody is dealt into shares anew.'
              : 'The name that your code asks for.'
          }
        />
        <TextField
          label="Description"
          value={draft.name}
          onInput={(name) => change({ name })}
          hint="What it is for, so that others know when it can go."
        />
      </div>
      <div class="flag-pair">
        <Select
          label="It is"
          value={kindOf(draft)}
          options={KINDS}
          onChange={(kind) => change(withKind(draft, kind))}
        />
        <div class="field">
          <span class="label">Tags</span>
          <TagInput
            label="Add a tag"
            value={draft.tags}
            onChange={(tags) => change({ tags })}
            placeholder="Add a tag…"
          />
        </div>
      </div>
      {isNew && (
        <Checkbox
          label="Switch it on as soon as it is made"
          checked={draft.active}
          onChange={(active) => change({ active })}
        />
      )}
      <details>
        <summary>Where it is evaluated, and what it goes by</summary>
        <div class="stack flag-more">
          <div class="flag-pair">
            <Select
              label="Evaluated"
              value={draft.evaluation_runtime}
              options={RUNTIMES}
              onChange={(evaluation_runtime) => change({ evaluation_runtime })}
            />
            <Select
              label="Shares are dealt out by"
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
            label="Whoever had a value before signing in keeps it afterwards"
            checked={draft.ensure_experience_continuity}
            disabled={draft.bucketing_identifier === 'device_id'}
            onChange={(ensure_experience_continuity) => change({ ensure_experience_continuity })}
          />
        </div>
      </details>
    </section>
  );
}
