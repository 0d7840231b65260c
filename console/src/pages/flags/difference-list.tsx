import type { Difference } from './model/differences.ts';

export function DifferenceList({ differences, label }: { differences: readonly Difference[]; label: string }) {
  if (differences.length === 0) return <p class="muted">No changes.</p>;
  return (
    <ul class="differences" aria-label={label}>
      {differences.map(({ what, before, after }) => (
        <li key={what}>
          <b>{what}</b>
          {before !== null && (
            <del>
              <span class="visually-hidden">Before: </span>
              {before === '' ? 'Empty' : before}
            </del>
          )}
          {after !== null && (
            <ins>
              <span class="visually-hidden">After: </span>
              {after === '' ? 'Empty' : after}
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}
