import { useState } from 'preact/hooks';
import { Checkbox, TextArea } from '../../components/field.tsx';
import { PropertyFilters } from '../../components/property-filters.tsx';
import { isComplete, OPERATORS, type PropertyFilter } from '../../lib/filters.ts';
import { Section } from './section.tsx';
import type { SettingsProps } from './settings-props.ts';

/** Null if the form cannot show one of them, such as a cohort. */
export function readFilters(given: readonly unknown[]): PropertyFilter[] | null {
  const filters = given.map((one) => {
    const { type = 'event', key, operator = 'exact', value = '' } = (one ?? {}) as Record<string, unknown>;
    const isOwner = type === 'event' || type === 'person';
    const isKnown = OPERATORS.some((known) => known.value === operator);
    const isText = [value].flat().every((text) => typeof text === 'string');
    return isOwner && typeof key === 'string' && isKnown && isText
      ? ({ type, key, operator, value } as PropertyFilter)
      : null;
  });
  return filters.includes(null) ? null : (filters as PropertyFilter[]);
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
  const [filters, setFilters] = useState(() => readFilters(project.test_account_filters));
  const [json, setJson] = useState(() => JSON.stringify(project.test_account_filters, null, 2));
  const [byDefault, setByDefault] = useState(project.test_account_filters_default_checked);
  const next = filters ? filters.filter(isComplete) : readJsonList(json);
  const isSame =
    JSON.stringify(next) ===
      JSON.stringify(filters ? readFilters(project.test_account_filters) : project.test_account_filters) &&
    byDefault === project.test_account_filters_default_checked;
  return (
    <Section
      title="Internal and test users"
      lead="Insights that filter out internal and test users count only events that match all of these filters, for example: email doesn't contain your domain."
      changes={
        isSame || next === null ? null : { test_account_filters: next, test_account_filters_default_checked: byDefault }
      }
      onSaved={onSaved}
    >
      {filters ? (
        <PropertyFilters value={filters} onChange={setFilters} owners={['person', 'event']} />
      ) : (
        <TextArea
          label="Filters as JSON"
          isCode
          rows={8}
          value={json}
          onInput={setJson}
          error={next === null ? 'Enter a JSON array of filters.' : null}
        />
      )}
      <Checkbox label="Filter out by default in new insights" checked={byDefault} onChange={setByDefault} />
    </Section>
  );
}
