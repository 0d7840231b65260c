import { useState } from 'preact/hooks';
import { Checkbox, TextArea } from '../../components/field.tsx';
import { PropertyFilters } from '../../components/property-filters.tsx';
import { isComplete, OPERATORS, type PropertyFilter } from '../../lib/filters.ts';
import { Section } from './section.tsx';
import type { SettingsProps } from './settings-page.tsx';

/** Null where one of them is nothing that the lines can show: a cohort, a number, a group. */
export function readLines(given: readonly unknown[]): PropertyFilter[] | null {
  const lines = given.map((one) => {
    const { type = 'event', key, operator = 'exact', value = '' } = (one ?? {}) as Record<string, unknown>;
    const isOwner = type === 'event' || type === 'person';
    const isKnown = OPERATORS.some((known) => known.value === operator);
    const isTexts = [value].flat().every((text) => typeof text === 'string');
    return isOwner && typeof key === 'string' && isKnown && isTexts
      ? ({ type, key, operator, value } as PropertyFilter)
      : null;
  });
  return lines.includes(null) ? null : (lines as PropertyFilter[]);
}

function readJsonList(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

export function TestAccounts({ project, onSaved }: SettingsProps) {
  const [lines, setLines] = useState(() => readLines(project.test_account_filters));
  const [json, setJson] = useState(() => JSON.stringify(project.test_account_filters, null, 2));
  const [byDefault, setByDefault] = useState(project.test_account_filters_default_checked);
  const next = lines ? lines.filter(isComplete) : readJsonList(json);
  const isSame =
    JSON.stringify(next) ===
      JSON.stringify(lines ? readLines(project.test_account_filters) : project.test_account_filters) &&
    byDefault === project.test_account_filters_default_checked;
  return (
    <Section
      title="Test accounts"
      lead="Who counts when a chart leaves out your own people: everything that fits all of these conditions, such as an e-mail that does not contain your domain."
      changes={
        isSame || next === null ? null : { test_account_filters: next, test_account_filters_default_checked: byDefault }
      }
      onSaved={onSaved}
    >
      {lines ? (
        <PropertyFilters value={lines} onChange={setLines} owners={['person', 'event']} />
      ) : (
        <TextArea
          label="Conditions as JSON"
          isCode
          rows={8}
          value={json}
          onInput={setJson}
          error={next === null ? 'A JSON list of conditions is needed here.' : null}
        />
      )}
      <Checkbox label="New charts leave test accounts out" checked={byDefault} onChange={setByDefault} />
    </Section>
  );
}
