import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Progress } from '../../components/states.tsx';
import { formatDuration } from '../../lib/format.ts';

/** Quick answers come without a word about it. */
const QUIET_MS = 700;
const LONG_MS = 5000;

/** Long work: that it goes on, for how long already, what would be quicker, and a way to end it. */
export function Waiting({ onStop }: { onStop(): void }) {
  const [since] = useState(() => Date.now());
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const waited = now - since;
  if (waited < QUIET_MS) return null;
  return (
    <div class="waiting" role="status">
      <Progress
        label={
          waited < LONG_MS
            ? 'Asking…'
            : `Asking for ${formatDuration(Math.floor(waited / 1000) * 1000)}. A shorter time or fewer conditions are answered sooner.`
        }
      />
      <Button small onClick={onStop}>
        Stop
      </Button>
    </div>
  );
}
