/** The link in the mails of a digest. Nothing happens before the button is pressed. */
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import type { PageProps } from '../../lib/route-table.ts';
import { useAction } from '../../lib/use-resource.ts';
import { StandalonePage } from '../../shell/standalone-page.tsx';

export function Page({ params }: PageProps) {
  const [isDone, setDone] = useState(false);
  const { run, busy, error } = useAction(async () => {
    await request('POST', `/unsubscribe/digest/${encodeURIComponent(params['token'] ?? '')}`);
    setDone(true);
  });
  if (isDone) {
    return (
      <StandalonePage title="You are unsubscribed">
        <p>This digest is no longer sent to you. To get it again, ask a member to add your address.</p>
      </StandalonePage>
    );
  }
  return (
    <StandalonePage title="Unsubscribe from this digest?">
      <p>It is no longer sent to this address. Other recipients still get it.</p>
      {error !== undefined && <ErrorNote error={error} />}
      <Button kind="primary" busy={busy} onClick={() => void run()}>
        Unsubscribe
      </Button>
    </StandalonePage>
  );
}
