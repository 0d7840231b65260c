/** The link in the mails of an alert. Nothing happens before the button is pressed. */
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
    await request('POST', `/unsubscribe/${encodeURIComponent(params['token'] ?? '')}`);
    setDone(true);
  });
  if (isDone) {
    return (
      <StandalonePage title="You are unsubscribed">
        <p>This alert sends you no more mail. To get it again, add yourself to the alert.</p>
      </StandalonePage>
    );
  }
  return (
    <StandalonePage title="Unsubscribe from this alert?">
      <p>You get no more mail when it fires or clears. Other members and webhooks are still told.</p>
      {error !== undefined && <ErrorNote error={error} />}
      <Button kind="primary" busy={busy} onClick={() => void run()}>
        Unsubscribe
      </Button>
    </StandalonePage>
  );
}
