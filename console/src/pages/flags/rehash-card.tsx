/** A flag that was imported with its people: what that means, and how to end it. */
import { useState } from 'preact/hooks';
import { type FeatureFlag, getFlag, rehashFlag } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { orAskForApproval } from '../approvals/or-ask-for-approval.ts';
import { AffectedUsers } from './affected-users.tsx';
import { audienceName, type Names } from './model/descriptions.ts';
import { audienceOf, vendorHashOf } from './model/filters.ts';

interface RehashProps {
  flag: FeatureFlag;
  names: Names;
  onChanged(flag: FeatureFlag): void;
}

/** Renders nothing for other flags. */
export function RehashCard({ flag, names, onChanged }: RehashProps) {
  const [isOpen, setOpen] = useState(false);
  const vendor = vendorHashOf(flag.filters);
  if (vendor === null) return null;
  return (
    <section class="card stack-s" aria-label="Imported hash">
      <h2>Hashed as by {vendor}</h2>
      <p>
        This flag was imported with its people: its percentages reach the same persons as in {vendor}. While a rollout
        percentage grows, whoever has the flag keeps it. SDKs that evaluate locally ask the server for it. Rehash it
        when it no longer matters who is in: the percentages stay, the people change.
      </p>
      <div>
        <Button disabled={!flag.can_edit || flag.deleted} onClick={() => setOpen(true)}>
          Rehash…
        </Button>
      </div>
      {isOpen && <RehashFlag flag={flag} names={names} onChanged={onChanged} onClose={() => setOpen(false)} />}
    </section>
  );
}

function RehashFlag({ flag, names, onChanged, onClose }: RehashProps & { onClose(): void }) {
  const { id } = useProject();
  const plan = useResource((signal) => rehashFlag(id, flag.id, {}, signal), [id, flag.id, flag.version]);
  const rehash = useAction(async () => {
    const { version } = plan.data ?? {};
    if (version === undefined) return;
    await orAskForApproval(id, async () => {
      await rehashFlag(id, flag.id, { version });
      onChanged(await getFlag(id, flag.id));
      toast(`${flag.key} rehashed.`);
    });
  });
  const confirm = async (): Promise<void> => {
    if (await rehash.run()) onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={rehash.busy} disabled={plan.data === undefined} onClick={() => void confirm()}>
        Rehash
      </Button>
    </>
  );
  return (
    <Dialog title={`Rehash ${flag.key}?`} onClose={onClose} footer={footer}>
      <p>Cairn puts users into the same percentages by its own hash, which all SDKs know.</p>
      <Loaded resource={plan}>
        {({ filters }) => (
          <AffectedUsers query={{ id: flag.id, filters }} audience={audienceName(audienceOf(flag.filters), names)} />
        )}
      </Loaded>
      {rehash.error !== undefined && <ErrorNote error={rehash.error} onRetry={plan.reload} />}
    </Dialog>
  );
}
