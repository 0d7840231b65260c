import { classes } from '../lib/classes.ts';
import { formatChange } from '../lib/numbers.ts';

/** By how much a value changed, as a share; nothing if it cannot be said. */
export const Change = ({ change }: { change: number | null }) =>
  change === null ? null : (
    <span class={classes('change', change > 0 && 'is-up', change < 0 && 'is-down')}>{formatChange(change)}</span>
  );
