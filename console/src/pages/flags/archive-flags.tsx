/** Archives flags that are not needed any more, after a look at who still asks for them. */
import { archiveFlags, type FeatureFlag, type FlagRemoval, getFlagRemoval } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Badge, ErrorNote, Loaded } from '../../components/states.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { orAskForApproval } from '../approvals/or-ask-for-approval.ts';

interface ArchiveFlagsProps {
  flags: readonly FeatureFlag[];
  onClose(): void;
  onArchived(flags: readonly FeatureFlag[]): void;
}

export function ArchiveFlags({ flags, onClose, onArchived }: ArchiveFlagsProps) {
  const { id } = useProject();
  const ids = flags.map((flag) => flag.id);
  const removals = useResource(
    (signal) => Promise.all(ids.map((flagId) => getFlagRemoval(id, flagId, signal))),
    [id, ids.join()],
  );
  const archive = useAction(async () => {
    await orAskForApproval(id, async () => {
      await archiveFlags(id, ids, true);
      onArchived(flags);
    });
  });
  const inUse = (removals.data ?? []).filter(({ safe_to_remove }) => !safe_to_remove).length;
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        kind={inUse > 0 ? 'danger' : 'primary'}
        busy={archive.busy}
        disabled={removals.data === undefined}
        onClick={() => void archive.run()}
      >
        Archive {pluralize(flags.length, 'flag')}
      </Button>
    </>
  );
  return (
    <Dialog title={`Archive ${pluralize(flags.length, 'flag')}?`} onClose={onClose} footer={footer}>
      <p>Archived flags are off for everyone, also for clients that still ask. You can undo it.</p>
      <Loaded resource={removals}>
        {(all) => (
          <ul class="flag-list" aria-label="What to remove from your code">
            {flags.map((flag, index) => (
              <Removal key={flag.id} flag={flag} removal={all[index]} />
            ))}
          </ul>
        )}
      </Loaded>
      {archive.error !== undefined && <ErrorNote error={archive.error} />}
    </Dialog>
  );
}

function Removal({ flag, removal }: { flag: FeatureFlag; removal: FlagRemoval | undefined }) {
  if (removal === undefined) return null;
  const { reason, safe_to_remove: isSafe, seen_in: seenIn } = removal;
  return (
    <li class="flag-item stack-s">
      <div class="flag-head">
        <b class="truncate" title={flag.key}>
          {flag.key}
        </b>
        <Badge tone={isSafe ? 'good' : 'warn'}>{isSafe ? 'Not asked for' : 'Still asked for'}</Badge>
      </div>
      {reason !== '' && <p class="muted">{sentence(reason)}</p>}
      <p>
        {isSafe
          ? 'No client has asked for it in seven days. If your code still has the key, remove it with the branch that no one reaches.'
          : `${seenIn.length > 0 ? `Asked for by ${seenIn.join(', ')} in the last seven days. ` : ''}Keep the branch of the value above, remove the other one and the check, and archive the flag once no release asks for it.`}
      </p>
      <div>
        <CopyButton text={flag.key}>Copy key to search for</CopyButton>
      </div>
    </li>
  );
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
