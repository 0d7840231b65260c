import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Section } from './section.tsx';
import type { SettingsProps } from './settings-props.ts';

interface CleaningRule {
  regex: string;
  alias: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const readRules = (given: readonly unknown[]): CleaningRule[] =>
  given.map((one) => {
    const { regex, alias } = (one ?? {}) as Record<string, unknown>;
    return { regex: textOf(regex), alias: textOf(alias) };
  });

/** A preview: the server's regex dialect is slightly stricter. Invalid patterns change nothing, as on the server. */
export const cleanPath = (path: string, rules: readonly CleaningRule[]): string =>
  rules.reduce((before, { regex, alias }) => {
    if (regex === '') return before;
    try {
      return before.replace(new RegExp(regex, 'g'), () => alias);
    } catch {
      return before;
    }
  }, path);

export function PathCleaning({ project, onSaved }: SettingsProps) {
  const [rules, setRules] = useState(() => readRules(project.path_cleaning_filters));
  const [sample, setSample] = useState('/orders/1234/items');
  const next = rules.filter(({ regex }) => regex !== '');
  const update = (index: number, rule: CleaningRule | null): void =>
    setRules(rules.flatMap((one, at) => (at !== index ? [one] : rule ? [rule] : [])));
  const isSame = JSON.stringify(next) === JSON.stringify(readRules(project.path_cleaning_filters));
  return (
    <Section
      title="Path cleaning"
      lead="Groups similar URLs in user paths: /orders/1234 and /orders/5678 both become /orders/:id. Rules apply in order."
      changes={isSame ? null : { path_cleaning_filters: next }}
      onSaved={onSaved}
    >
      {rules.map((rule, index) => (
        <div class="cleaning-rule" key={index}>
          <TextField
            label={`Regex ${index + 1}`}
            placeholder="/orders/\d+"
            value={rule.regex}
            onInput={(regex) => update(index, { ...rule, regex })}
            spellcheck={false}
          />
          <TextField
            label="Replacement"
            placeholder="/orders/:id"
            value={rule.alias}
            onInput={(alias) => update(index, { ...rule, alias })}
            spellcheck={false}
          />
          <Button small kind="quiet" aria-label={`Remove rule ${index + 1}`} onClick={() => update(index, null)}>
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button small onClick={() => setRules([...rules, { regex: '', alias: '' }])}>
          Add rule
        </Button>
      </div>
      {next.length > 0 && (
        <TextField
          label="Test with a path"
          value={sample}
          onInput={setSample}
          hint={
            <>
              Result: <code>{cleanPath(sample, next)}</code>
            </>
          }
        />
      )}
    </Section>
  );
}
