import { useState } from 'preact/hooks';
import { type FeatureFlag, type FlagVersion, listFlagVersions } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Badge, Loaded } from '../../components/states.tsx';
import { Pager } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { DifferenceList } from './difference-list.tsx';
import type { Names } from './model/descriptions.ts';
import { differencesOf } from './model/differences.ts';
import { RestoreVersion } from './restore-version.tsx';

interface HistoryTabProps {
  flag: FeatureFlag;
  names: Names;
  onRestored(flag: FeatureFlag): void;
}

const PAGE_SIZE = 20;

export function HistoryTab({ flag, names, onRestored }: HistoryTabProps) {
  const { id } = useProject();
  const [from, setFrom] = useQueryState('offset', '0', { isStep: true });
  const [restoring, setRestoring] = useState<FlagVersion | null>(null);
  const offset = Math.max(0, Number.parseInt(from, 10) || 0);
  // One more than is shown, to compare the last one with.
  const versions = useResource(
    (signal) => listFlagVersions(id, flag.id, { limit: PAGE_SIZE + 1, offset }, signal),
    [id, flag.id, flag.version, offset],
  );
  return (
    <Loaded resource={versions}>
      {({ count, results }) => (
        <>
          <ol class="history" aria-label="Versions, newest first">
            {results.slice(0, PAGE_SIZE).map((version, index) => (
              <VersionItem
                key={version.version}
                version={version}
                before={results[index + 1] ?? null}
                isCurrent={version.version === flag.version}
                canEdit={flag.can_edit}
                names={names}
                onRestore={() => setRestoring(version)}
              />
            ))}
          </ol>
          <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={(next) => setFrom(String(next))} />
          {restoring && (
            <RestoreVersion
              flag={flag}
              version={restoring}
              names={names}
              onClose={() => setRestoring(null)}
              onRestored={onRestored}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

interface ItemProps {
  version: FlagVersion;
  before: FlagVersion | null;
  isCurrent: boolean;
  canEdit: boolean;
  names: Names;
  onRestore(): void;
}

function VersionItem({ version, before, isCurrent, canEdit, names, onRestore }: ItemProps) {
  const [open, setOpen] = useQueryState('version');
  const { version: number, created_by: who, created_at, flag } = version;
  const isOpen = open === String(number);
  return (
    <li class="stack-s" aria-label={`Version ${number}`}>
      <header class="flag-head">
        <p>
          <b>Version {number}</b> {isCurrent && <Badge tone="good">Current</Badge>}
          <br />
          <span class="muted small">
            <Time at={created_at} /> by {who ? who.first_name || who.email : 'System'}
          </span>
        </p>
        {!isCurrent && (
          <Button small disabled={!canEdit} aria-label={`Restore version ${number}`} onClick={onRestore}>
            Restore…
          </Button>
        )}
      </header>
      {before ? (
        <DifferenceList differences={differencesOf(before.flag, flag, names)} label={`Changes in version ${number}`} />
      ) : (
        <p>{number === 1 ? 'Created.' : 'The oldest stored version.'}</p>
      )}
      <div class="row">
        <Button kind="quiet" small aria-expanded={isOpen} onClick={() => setOpen(isOpen ? '' : String(number))}>
          {isOpen ? 'Hide JSON' : 'Show JSON'}
        </Button>
      </div>
      {isOpen && <JsonView value={flag} label={`Version ${number} as JSON`} />}
    </li>
  );
}
