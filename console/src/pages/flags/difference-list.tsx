import type { Difference } from './model/differences.ts';

/** What is different, each with before and after. */
export function DifferenceList({ differences, label }: { differences: readonly Difference[]; label: string }) {
  if (differences.length === 0) return <p class="soft">Nothing is different.</p>;
  return (
    <ul class="differences" aria-label={label}>
      {differences.map(({ what, before, after }) => (
        <li key={what}>
          <b>{what}</b>
          {before !== null && (
            <del>
              <span class="unseen">before: </span>
              {before === '' ? 'nothing' : before}
            </del>
          )}
          {after !== null && (
            <ins>
              <span class="unseen">after: </span>
              {after === '' ? 'nothing' : after}
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}
