import { useMemo } from 'preact/hooks';
import type { Dashboard } from '../../api/dashboards.ts';
import { Button } from '../../components/button.tsx';
import { DateRange, type DateRangeValue } from '../../components/date-range.tsx';
import { changeQuery, useLocation } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import type { Fields } from '../insights/question.ts';

interface Range {
  /** Overrides the dates of every insight; empty if each has its own. */
  dates: Fields;
  /** From the URL. */
  isTemporary: boolean;
  /** Saved with the dashboard. */
  isSaved: boolean;
}

/** The date range of all tiles: from the URL, so that a view can be shared, or the saved one. */
export function useRange({ filters }: Dashboard): Range {
  const { query } = useLocation();
  const [from, to] = [query.get('date_from'), query.get('date_to')];
  return useMemo(() => {
    const isTemporary = from !== null;
    const dates = isTemporary ? { date_from: from, ...(to === null ? {} : { date_to: to }) } : filters;
    return { dates, isTemporary, isSaved: Object.keys(filters).length > 0 };
  }, [from, to, filters]);
}

const setInUrl = ({ from, to }: DateRangeValue): void =>
  changeQuery({ date_from: from, date_to: to }, { replace: true });
const clearUrl = (): void => changeQuery({ date_from: null, date_to: null }, { replace: true });

interface DateRangeBarProps {
  range: Range;
  isBusy: boolean;
  /** Resolves to whether it succeeded. */
  onSave(filters: Record<string, unknown>): Promise<boolean>;
}

export function DateRangeBar({ range: { dates, isTemporary, isSaved }, isBusy, onSave }: DateRangeBarProps) {
  const { timezone } = useProject();
  const from = dates['date_from'];
  const to = dates['date_to'];
  const value = { from: typeof from === 'string' ? from : '-7d', to: typeof to === 'string' ? to : null };
  return (
    <div class="row-end">
      {isTemporary || isSaved ? (
        <>
          <DateRange key={isTemporary ? 'url' : 'saved'} label="Date range" value={value} onChange={setInUrl} />
          {isTemporary && (
            <Button busy={isBusy} onClick={() => void onSave({ ...dates }).then((isDone) => isDone && clearUrl())}>
              Save for everyone
            </Button>
          )}
          <Button
            kind="quiet"
            onClick={() => {
              clearUrl();
              if (isSaved && !isTemporary) void onSave({});
            }}
          >
            {isTemporary && isSaved ? 'Discard changes' : 'Use date range of each insight'}
          </Button>
        </>
      ) : (
        <Button onClick={() => setInUrl({ from: '-30d', to: null })}>Override date range</Button>
      )}
      <span class="muted small push">Time zone: {timezone}</span>
    </div>
  );
}
