/** Stands for a name where there is no space for it. */
export const Initial = ({ of }: { of: string }) => (
  <span class="initial" aria-hidden="true">
    {[...of.trim()][0]?.toUpperCase() ?? '?'}
  </span>
);
