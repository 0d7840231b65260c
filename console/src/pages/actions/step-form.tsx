import type { ActionStep } from '../../api/actions.ts';
import { Button } from '../../components/button.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { filtersToField } from '../../lib/filters.ts';
import { EventField } from '../insights/builder/event-field.tsx';
import { readFilters } from '../insights/read-question.ts';
import { AUTOCAPTURE, describeStep, ELEMENT_FIELDS, URL_OPTIONS } from './steps.ts';

interface StepFormProps {
  step: ActionStep;
  number: number;
  onChange(step: ActionStep): void;
  /** Null: it is the only one. */
  onRemove: (() => void) | null;
}

export function StepForm({ step, number, onChange, onRemove }: StepFormProps) {
  return (
    <li class="stack-s" aria-label={`Step ${number}`}>
      <header class="row">
        <p>
          <span class="muted small">Step {number}</span>
          <br />
          <b class="sentence">{describeStep(step)}</b>
        </p>
        {onRemove && (
          <span class="push">
            <Button kind="quiet" small aria-label={`Remove step ${number}`} onClick={onRemove}>
              Remove
            </Button>
          </span>
        )}
      </header>
      <EventField
        isPlain
        label={`Event of step ${number}`}
        value={{ event: step.event ?? '', action: null }}
        onChange={({ event }) => onChange({ ...step, event })}
      />
      {step.event === AUTOCAPTURE && (
        <div class="action-fields">
          {ELEMENT_FIELDS.map(({ name, label, placeholder }) => (
            <TextField
              key={name}
              label={label}
              placeholder={placeholder}
              value={step[name] ?? ''}
              onInput={(text) => onChange({ ...step, [name]: text })}
            />
          ))}
        </div>
      )}
      <div class="action-url">
        <Select
          label="URL"
          value={step.url_matching}
          options={URL_OPTIONS}
          onChange={(url_matching) => onChange({ ...step, url_matching })}
        />
        <TextField
          label="Part of the URL, or all of it"
          hideLabel
          placeholder="/pricing"
          value={step.url ?? ''}
          onInput={(url) => onChange({ ...step, url })}
        />
      </div>
      <FilterChips
        value={readFilters(step.properties)}
        onChange={(filters) => onChange({ ...step, properties: filtersToField(filters) })}
      />
    </li>
  );
}
