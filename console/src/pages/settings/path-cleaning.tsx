import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Section } from './section.tsx';
import type { SettingsProps } from './settings-page.tsx';

export interface Cleaning {
  regex: string;
  alias: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const readCleanings = (given: readonly unknown[]): Cleaning[] =>
  given.map((one) => {
    const { regex, alias } = (one ?? {}) as Record<string, unknown>;
    return { regex: textOf(regex), alias: textOf(alias) };
  });

/**
 * What a path becomes. The server's patterns are a little stricter than the browser's, so this is a preview; one that
 * the browser cannot read changes nothing, as on the server.
 */
export const cleaned = (path: string, cleanings: readonly Cleaning[]): string =>
  cleanings.reduce((before, { regex, alias }) => {
    if (regex === '') return before;
    try {
      return before.replace(new RegExp(regex, 'g'), () => alias);
    } catch {
      return before;
    }
  }, path);

export function PathCleaning({ project, onSaved }: SettingsProps) {
  const [cleanings, setCleanings] = useState(() => readCleanings(project.path_cleaning_filters));
  const [sample, setSample] = useState('/orders/1234/items');
  const next = cleanings.filter(({ regex }) => regex !== '');
  const put = (index: number, cleaning: Cleaning | null): void =>
    setCleanings(cleanings.flatMap((one, at) => (at !== index ? [one] : cleaning ? [cleaning] : [])));
  const isSame = JSON.stringify(next) === JSON.stringify(readCleanings(project.path_cleaning_filters));
  return (
    <Section
      title="Path cleaning"
      lead="Makes one page of many in paths: /orders/1234 and /orders/5678 are both /orders/:id. The rules apply one after the other."
      changes={isSame ? null : { path_cleaning_filters: next }}
      onSaved={onSaved}
    >
      {cleanings.map((cleaning, index) => (
        <div class="cleaning" key={index}>
          <TextField
            label={`Pattern ${index + 1}`}
            placeholder="/orders/\d+"
            value={cleaning.regex}
            onInput={(regex) => put(index, { ...cleaning, regex })}
            spellcheck={false}
          />
          <TextField
            label={`becomes`}
            placeholder="/orders/:id"
            value={cleaning.alias}
            onInput={(alias) => put(index, { ...cleaning, alias })}
            spellcheck={false}
          />
          <Button small kind="quiet" aria-label={`Remove pattern ${index + 1}`} onClick={() => put(index, null)}>
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button small onClick={() => setCleanings([...cleanings, { regex: '', alias: '' }])}>
          Add a rule
        </Button>
      </div>
      {next.length > 0 && (
        <TextField
          label="Try it"
          value={sample}
          onInput={setSample}
          hint={
            <>
              becomes <code>{cleaned(sample, next)}</code>
            </>
          }
        />
      )}
    </Section>
  );
}
