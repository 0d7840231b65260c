/** What an import would change, in short, and what is to know about it. */
import type { FlagImport, ImportSource } from '../../../api/flag-imports.ts';
import { Banner } from '../../../components/states.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { SECTIONS, sectionOf } from './sections.ts';
import { SOURCES } from './sources.ts';

export function ImportPlan({ plan, source }: { plan: FlagImport; source: ImportSource }) {
  const { label, segments } = SOURCES[source];
  const cohorts = plan.changes.filter(({ kind }) => kind === 'cohort');
  const hasPercentages = plan.results.some((one) => one.can_keep_people);
  return (
    <>
      <h2>Preview</h2>
      <ul class="import-counts" aria-label="Flags of the file">
        {SECTIONS.map((section) => (
          <li key={section}>
            <b>{formatNumber(plan.results.filter((one) => sectionOf(one) === section).length)}</b> {section}
          </li>
        ))}
      </ul>
      {plan.needs_approval.length > 0 && (
        <Banner tone="warn">
          Needs approval: {plan.needs_approval.join(', ')}. Importing asks for it, and changes nothing until then.
        </Banner>
      )}
      {hasPercentages && (
        <p>
          <b>Percentages.</b> {label} hashes users in its own way, so the same percentage would be other people here.
          Keep the people, and Cairn hashes them as {label} does: no one gets another value, and SDKs that evaluate
          locally ask the server for these flags. You can rehash a flag later.
        </p>
      )}
      <p>
        {cohorts.length > 0 && (
          <>
            <b>Cohorts: {pluralize(cohorts.length, 'cohort')} to create.</b>{' '}
            {cohorts.map(({ name }) => name).join(', ')}.{' '}
          </>
        )}
        {segments}
      </p>
      {plan.unlisted.length > 0 && (
        <p class="muted">
          Flags of this project that the file does not have stay as they are: {formatNumber(plan.unlisted.length)}.
        </p>
      )}
    </>
  );
}
