import { useMemo } from 'preact/hooks';
import type { Dashboard } from '../../api/dashboards.ts';
import { Button } from '../../components/button.tsx';
import { DateRange, type DateRangeValue } from '../../components/date-range.tsx';
import { changeQuery, usePlace } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import type { Fields } from '../insights/question.ts';

export interface Range {
  /** What every insight is asked with instead of its own; empty where each has its own. */
  dates: Fields;
  /** Whether it differs from what is kept for everybody. */
  isOwn: boolean;
  /** Whether one is kept for everybody. */
  isKept: boolean;
}

/** The time over all tiles: of the address, so that a look can be shared, else the one that is kept. */
export function useRange({ filters }: Dashboard): Range {
  const { query } = usePlace();
  const [from, to] = [query.get('date_from'), query.get('date_to')];
  return useMemo(() => {
    const isOwn = from !== null;
    const dates = isOwn ? { date_from: from, ...(to === null ? {} : { date_to: to }) } : filters;
    return { dates, isOwn, isKept: Object.keys(filters).length > 0 };
  }, [from, to, filters]);
}

const inAddress = ({ from, to }: DateRangeValue): void =>
  changeQuery({ date_from: from, date_to: to }, { replace: true });
const outOfAddress = (): void => changeQuery({ date_from: null, date_to: null }, { replace: true });

interface RangeBarProps {
  range: Range;
  isBusy: boolean;
  /** Resolves to whether it worked. */
  onKeep(filters: Record<string, unknown>): Promise<boolean>;
}

export function RangeBar({ range: { dates, isOwn, isKept }, isBusy, onKeep }: RangeBarProps) {
  const { timezone } = useProject();
  const from = dates['date_from'];
  const to = dates['date_to'];
  const value = { from: typeof from === 'string' ? from : '-7d', to: typeof to === 'string' ? to : null };
  return (
    <div class="row-end">
      {isOwn || isKept ? (
        <>
          <DateRange key={isOwn ? 'own' : 'kept'} label="Time of all" value={value} onChange={inAddress} />
          {isOwn && (
            <Button busy={isBusy} onClick={() => void onKeep({ ...dates }).then((worked) => worked && outOfAddress())}>
              Keep for everybody
            </Button>
          )}
          <Button
            kind="quiet"
            onClick={() => {
              outOfAddress();
              if (isKept && !isOwn) void onKeep({});
            }}
          >
            {isOwn && isKept ? 'Back to what is kept' : 'Each its own time'}
          </Button>
        </>
      ) : (
        <Button onClick={() => inAddress({ from: '-30d', to: null })}>Same time for all</Button>
      )}
      <span class="soft small push">Days begin at midnight in {timezone}.</span>
    </div>
  );
}
