import './field.css';
import type { ComponentChildren, InputHTMLAttributes, PartialInputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

export interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | null | undefined;
  /** True: the label is only for screen readers. */
  hideLabel?: boolean;
}

interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

/** A label, a control, a hint and an error, linked for screen readers. */
export function Field({
  label,
  hint,
  error,
  hideLabel = false,
  children,
}: FieldProps & { children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label class={hideLabel ? 'visually-hidden' : 'label'} for={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': Boolean(error) })}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span class="problem" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

type InputAttributes = Pick<
  PartialInputHTMLAttributes<HTMLInputElement>,
  | 'placeholder'
  | 'required'
  | 'minLength'
  | 'maxLength'
  | 'min'
  | 'max'
  | 'step'
  | 'disabled'
  | 'spellcheck'
  | 'onBlur'
  | 'onKeyDown'
> & {
  type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'url';
  autocomplete?: string;
};

interface TextFieldProps extends FieldProps, InputAttributes {
  value: string;
  onInput(value: string): void;
}

export function TextField({ label, hint, error, hideLabel = false, value, onInput, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(control) => {
        const typed = { ...rest, ...control } as InputHTMLAttributes<HTMLInputElement>;
        return <input {...typed} class="input" value={value} onInput={(e) => onInput(e.currentTarget.value)} />;
      }}
    </Field>
  );
}

interface FileFieldProps extends FieldProps {
  value: File | null;
  onChange(file: File | null): void;
  /** Types of files to offer. */
  accept: string;
}

export const FileField = ({ value, onChange, accept, ...field }: FileFieldProps) => (
  <Field {...field}>
    {(control) => (
      <input
        {...control}
        // Scripts can only empty it.
        ref={(input) => {
          if (input && value === null) input.value = '';
        }}
        type="file"
        class="input"
        accept={accept}
        onChange={(event) => onChange(event.currentTarget.files?.[0] ?? null)}
      />
    )}
  </Field>
);

interface TextAreaProps extends FieldProps {
  value: string;
  onInput(value: string): void;
  rows?: number;
  isCode?: boolean;
  placeholder?: string;
}

export function TextArea({ value, onInput, rows = 4, isCode = false, placeholder, ...field }: TextAreaProps) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          class={isCode ? 'input code' : 'input'}
          rows={rows}
          spellcheck={!isCode}
          placeholder={placeholder ?? ''}
          value={value}
          onInput={(e) => onInput(e.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Option<T extends string = string> {
  value: T;
  label: string;
}

interface SelectProps<T extends string> extends FieldProps {
  value: T;
  options: readonly Option<T>[];
  onChange(value: T): void;
  disabled?: boolean;
}

export function Select<T extends string>({ value, options, onChange, disabled = false, ...field }: SelectProps<T>) {
  return (
    <Field {...field}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value}
          disabled={disabled}
          onChange={(e) => onChange(e.currentTarget.value as T)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckProps {
  label: ComponentChildren;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
}

export function Checkbox({ label, checked, onChange, disabled = false }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(e) => onChange(e.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** Takes effect at once; use a checkbox for what is saved later. */
export function Switch({ label, checked, onChange, disabled = false }: CheckProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        disabled={disabled}
        onChange={(e) => onChange(e.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
