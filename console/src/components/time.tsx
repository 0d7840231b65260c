import { formatDateTime, formatRecent, formatRelative, formatTime, type Moment } from '../lib/dates.ts';
import { useProject } from '../lib/session.ts';
import { useNow } from '../lib/use-now.ts';

interface TimeProps {
  at: Moment | null;
  /**
   * `datetime` (default); `recent`: the time, with the date unless it is today; `time`: for rows whose date is shown
   * beside it; `relative`: 3 minutes ago.
   */
  as?: 'datetime' | 'recent' | 'time' | 'relative';
}

/** A time in the project's time zone; the tooltip has all of it. */
export function Time({ at, as = 'datetime' }: TimeProps) {
  const { timezone } = useProject();
  if (at === null) return <span class="muted">Never</span>;
  const full = `${formatDateTime(at, timezone)} (${timezone})`;
  const texts = {
    datetime: () => formatDateTime(at, timezone),
    recent: () => formatRecent(at, timezone, Date.now()),
    time: () => formatTime(at, timezone),
    relative: () => <Relative at={at} />,
  };
  return (
    <time dateTime={new Date(at).toISOString()} title={full}>
      {texts[as]()}
    </time>
  );
}

const Relative = ({ at }: { at: Moment }) => <>{formatRelative(at, useNow())}</>;
