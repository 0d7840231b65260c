import { formatAgo, formatMoment, formatTime, type Moment } from '../lib/format.ts';
import { useProject } from '../lib/session.ts';

export interface TimeProps {
  at: Moment | null;
  /** `moment` with date (the default), `time` of day only, or `ago`. */
  as?: 'moment' | 'time' | 'ago';
}

/** A moment in the project's time zone; the whole of it on hovering. */
export function Time({ at, as = 'moment' }: TimeProps) {
  const { timezone } = useProject();
  if (at === null) return <span class="soft">never</span>;
  const whole = `${formatMoment(at, timezone)} (${timezone})`;
  const shown =
    as === 'time' ? formatTime(at, timezone) : as === 'ago' ? formatAgo(at, Date.now()) : formatMoment(at, timezone);
  return (
    <time dateTime={new Date(at).toISOString()} title={whole}>
      {shown}
    </time>
  );
}
