/** Shares an insight, a dashboard or the overview of the site with people who are not signed in. */
import { useState } from 'preact/hooks';
import {
  addSharePassword,
  deleteSharePassword,
  getShare,
  refreshShare,
  type Share,
  type ShareChange,
  type SharedItem,
  updateShare,
} from '../../api/sharing.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Select, Switch, TextArea, TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { publicUrl } from '../../lib/public-url.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';

interface ShareDialogProps {
  item: SharedItem;
  /** What is shared, for the title: `this dashboard`. */
  name: string;
  onClose(): void;
}

export function ShareDialog({ item, name, onClose }: ShareDialogProps) {
  const { id } = useProject();
  const share = useResource((signal) => getShare(id, item, signal), [id, item.join()]);
  const change = useAction(async (body: ShareChange) => share.set(await updateShare(id, item, body)));
  const refresh = useAction(async () => share.set(await refreshShare(id, item)));
  const error = change.error ?? refresh.error;
  const save = (body: ShareChange): void => void change.run(body);
  return (
    <Dialog title={`Share ${name}`} onClose={onClose}>
      <Loaded resource={share}>
        {(found) => (
          <div class="stack">
            <Switch
              label="Anyone with the link can view"
              checked={found.enabled}
              onChange={(enabled) => save({ enabled })}
            />
            <p class="muted small">
              Visitors see names and numbers. They see no persons, events or filters, and cannot open anything else.
            </p>
            {found.enabled && found.access_token !== null && (
              <>
                <Links token={found.access_token} />
                <Passwords item={item} share={found} onChange={save} reload={share.reload} />
                <Appearance flags={item[0] === 'web_analytics' ? SITE_FLAGS : FLAGS} share={found} onChange={save} />
                <Limits share={found} onChange={save} />
                <div class="row">
                  <Button small busy={refresh.busy} onClick={() => void refresh.run()}>
                    New link
                  </Button>
                  <span class="muted small">
                    The old link stops working. Opened {pluralize(found.views_30d, 'time')} in the last 30 days.
                  </span>
                </div>
              </>
            )}
          </div>
        )}
      </Loaded>
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  );
}

function Links({ token }: { token: string }) {
  const frame = `<iframe src="${publicUrl()}/embedded/${token}" width="100%" height="600" frameborder="0"></iframe>`;
  return (
    <div class="stack-s">
      <Code label="Link" text={`${publicUrl()}/shared/${token}`} />
      <details>
        <summary>Embed in another site</summary>
        <Code label="HTML for embedding" text={frame} />
      </details>
    </div>
  );
}

interface PartProps {
  share: Share;
  onChange(body: ShareChange): void;
}

function Passwords({ item, share, onChange, reload }: PartProps & { item: SharedItem; reload(): void }) {
  const { id } = useProject();
  const [note, setNote] = useState('');
  const [made, setMade] = useState<string | null>(null);
  const add = useAction(async () => {
    setMade((await addSharePassword(id, item, note.trim())).password);
    setNote('');
    reload();
  });
  const drop = useAction(async (password: number) => {
    await deleteSharePassword(id, item, password);
    reload();
  });
  const error = add.error ?? drop.error;
  return (
    <div class="stack-s">
      <Switch
        label="Require a password"
        checked={share.password_required}
        onChange={(password_required) => onChange({ password_required })}
      />
      {share.password_required && (
        <>
          <ul class="stack-s">
            {share.share_passwords.map((one) => (
              <li key={one.id} class="row">
                <span>{one.note || 'Password'}</span>
                <span class="muted small">
                  <Time at={one.created_at} as="relative" />
                </span>
                <Button small onClick={() => void drop.run(one.id)}>
                  Delete
                </Button>
              </li>
            ))}
            {share.share_passwords.length === 0 && (
              <li class="muted small">No password yet, so the link cannot be opened.</li>
            )}
          </ul>
          <form
            class="row-end"
            onSubmit={(event) => {
              event.preventDefault();
              void add.run();
            }}
          >
            <TextField label="Who is it for?" value={note} onInput={setNote} maxLength={200} placeholder="Board" />
            <Button type="submit" busy={add.busy}>
              Add password
            </Button>
          </form>
          {made !== null && (
            <>
              <Code label="New password" text={made} />
              <p class="muted small">Copy it now. It is not shown again.</p>
            </>
          )}
        </>
      )}
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  );
}

const THEMES = [
  { value: 'system', label: 'As on the device' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

type Flag = Exclude<keyof Share['settings'], 'theme' | 'showInspector'>;
const FLAGS: readonly { name: Flag; label: string; isInverse?: boolean }[] = [
  { name: 'noHeader', label: 'Show name and description', isInverse: true },
  { name: 'legend', label: 'Show legends' },
  { name: 'detailed', label: 'Show tables of numbers' },
  { name: 'hideExtraDetails', label: 'Show when it was computed', isInverse: true },
  { name: 'showAnnotations', label: 'Show annotations' },
  { name: 'allowDates', label: 'Visitors can choose the dates' },
];
const SITE_FLAGS: typeof FLAGS = [...FLAGS, { name: 'allowFilters', label: 'Visitors can filter' }];

const Appearance = ({ flags, share: { settings }, onChange }: PartProps & { flags: typeof FLAGS }) => (
  <details>
    <summary>Appearance</summary>
    <div class="stack-s">
      {flags.map(({ name, label, isInverse = false }) => (
        <Switch
          key={name}
          label={label}
          checked={settings[name] !== isInverse}
          onChange={(isOn) => onChange({ settings: { [name]: isOn !== isInverse } })}
        />
      ))}
      <Select
        label="Theme"
        value={settings.theme}
        options={THEMES}
        onChange={(theme) => onChange({ settings: { theme } })}
      />
    </div>
  </details>
);

function Limits({ share, onChange }: PartProps) {
  const [origins, setOrigins] = useState(share.allowed_origins.join('\n'));
  const given = origins.split(/\s+/).filter((one) => one !== '');
  const expires = share.expires_at?.slice(0, 10) ?? '';
  return (
    <details>
      <summary>Expiry and embedding</summary>
      <div class="stack-s">
        <TextField
          label="Link expires on"
          type="date"
          value={expires}
          onInput={(day) => onChange({ expires_at: day === '' ? null : `${day}T00:00:00Z` })}
          hint="At midnight UTC. Leave it empty to keep the link."
        />
        <TextArea
          label="Sites that may embed it"
          rows={3}
          value={origins}
          onInput={setOrigins}
          placeholder="https://example.org"
          hint="One per line. Empty: every site."
        />
        <Button
          small
          disabled={given.join() === share.allowed_origins.join()}
          onClick={() => onChange({ allowed_origins: given })}
        >
          Save sites
        </Button>
      </div>
    </details>
  );
}
