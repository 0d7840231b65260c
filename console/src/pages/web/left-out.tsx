import { useState } from 'preact/hooks';
import type { Overview } from '../../api/web.ts';
import { Button } from '../../components/button.tsx';
import { Banner } from '../../components/states.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { BreakdownDialog } from './breakdown-dialog.tsx';
import type { WebState } from './web-state.ts';

interface LeftOutProps {
  overview: Overview;
  state: WebState;
}

/** Views by bots and one's own are one click away. */
export function LeftOut({ overview, state }: LeftOutProps) {
  const [isNaming, setNaming] = useState(false);
  const { bots, own, hidden } = overview.left_out;
  const { traffic } = state;
  const names = <BreakdownDialog table="bot" visitors={0} state={state} onClose={() => setNaming(false)} />;
  const isOnlyBots = bots > 0 && overview.totals.views.value === 0 && state.fields.filters.length === 0;
  if (isOnlyBots) {
    return (
      <>
        <OnlyBots views={bots} onShow={() => state.setTraffic({ bots: true })} onName={() => setNaming(true)} />
        {isNaming && names}
      </>
    );
  }
  const parts = [
    ...(bots > 0 ? [`${pluralize(bots, 'view')} by bots`] : []),
    ...(own > 0 ? [`${pluralize(own, 'view')} of your own`] : []),
    ...(hidden > 0 ? [`${pluralize(hidden, 'view')} from hidden referrers`] : []),
  ];
  const counted = [...(traffic.bots ? ['Bots'] : []), ...(traffic.own ? ['your own visits'] : [])];
  if (parts.length === 0 && counted.length === 0) return null;
  return (
    <p class="small muted web-left-out">
      {counted.length > 0 && (
        <span>
          {capitalized(counted.join(' and '))} are included.{' '}
          <Button kind="quiet" small onClick={() => state.setTraffic({ bots: false, own: false })}>
            Hide
          </Button>
        </span>
      )}
      {parts.length > 0 && (
        <span>
          {parts.join(' and ')} not counted.{' '}
          {bots + own > 0 && (
            <Button kind="quiet" small onClick={() => state.setTraffic({ bots: true, own: true })}>
              Show
            </Button>
          )}
        </span>
      )}
      {(bots > 0 || traffic.bots) && (
        <Button kind="quiet" small onClick={() => setNaming(true)}>
          Which bots
        </Button>
      )}
      {isNaming && names}
    </p>
  );
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The first try is often curl or a script. */
const OnlyBots = ({ views, onShow, onName }: { views: number; onShow(): void; onName(): void }) => (
  <Banner
    tone="warn"
    action={
      <span class="row">
        <Button small onClick={onName}>
          Which bots
        </Button>
        <Button small kind="primary" onClick={onShow}>
          Show bots
        </Button>
      </span>
    }
  >
    <strong>
      {views === 1 ? 'The only page view was' : `All ${formatNumber(views)} page views were`} sent by bots or scripts.
    </strong>{' '}
    Their user agent is that of a program such as curl, so they are stored but not counted as visitors. If you send page
    views for visitors from a server, add the visitor’s <code>$raw_user_agent</code> to the properties, or a{' '}
    <code>$lib</code> of your own.
  </Banner>
);
