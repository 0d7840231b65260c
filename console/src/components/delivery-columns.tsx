/** A log of deliveries: what was sent where, and how it went. */
import type { Delivery } from '../api/alerts.ts';
import { Button } from './button.tsx';
import { Badge, type Tone } from './states.tsx';
import type { Column } from './table.tsx';
import { Time } from './time.tsx';

const TONES: Readonly<Record<string, Tone>> = { sent: 'good', failed: 'bad', unknown: 'warn', skipped: 'neutral' };
const TYPES: Readonly<Record<string, string>> = { email: 'Mail', slack_webhook: 'Slack', webhook: 'Webhook' };
const REPEATABLE = new Set(['failed', 'unknown', 'skipped']);

/** `retry`: for what may be sent again one by one. */
export const deliveryColumns = (retry?: (delivery: Delivery) => void): Column<Delivery>[] => [
  { id: 'when', title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'title', title: 'Message', cell: ({ title }) => title },
  {
    id: 'target',
    title: 'To',
    isWide: true,
    cell: ({ target_type, target }) => `${TYPES[target_type] ?? target_type}: ${target}`,
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state, attempts, next_attempt_at: next }) => (
      <>
        <Badge tone={TONES[state] ?? 'accent'}>{state}</Badge>{' '}
        <span class="muted small">
          {attempts.at(-1)?.error}
          {next !== null && attempts.length > 0 && (
            <>
              {' '}
              Next attempt <Time at={next} />
            </>
          )}
        </span>
      </>
    ),
  },
  { id: 'attempts', title: 'Attempts', isNumber: true, isExtraWide: true, cell: ({ attempts }) => attempts.length },
  {
    id: 'retry',
    title: 'Actions',
    hideTitle: true,
    cell: (one) =>
      retry &&
      REPEATABLE.has(one.state) && (
        <Button kind="quiet" small onClick={() => retry(one)}>
          Send again
        </Button>
      ),
  },
];
