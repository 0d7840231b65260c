import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Progress } from '../../components/states.tsx';
import { formatDuration } from '../../lib/dates.ts';

/** Fast queries show no progress. */
const DELAY_MS = 700;
const LONG_MS = 5000;

export function QueryProgress({ onCancel }: { onCancel(): void }) {
  const [since] = useState(() => Date.now());
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const elapsed = now - since;
  if (elapsed < DELAY_MS) return null;
  return (
    <div class="query-progress" role="status">
      <Progress
        label={
          elapsed < LONG_MS
            ? 'Running query…'
            : `Running for ${formatDuration(Math.floor(elapsed / 1000) * 1000)}. A shorter date range or fewer filters make it faster.`
        }
      />
      <Button small onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
