/** Links to the overview of the site: to all of it, and to parts that fit filters. */
import { useState } from 'preact/hooks';
import { createWebShare, deleteWebShare, listWebShares, type SharedItem, type WebShare } from '../../api/sharing.ts';
import type { WebFilter } from '../../api/web.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Switch, TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { publicUrl } from '../../lib/public-url.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { filterLabel } from '../web/web-state.ts';
import { ShareDialog } from './share-dialog.tsx';

interface SiteLinksDialogProps {
  /** Of the page as it is shown now. */
  filters: readonly WebFilter[];
  onClose(): void;
}

/** What a dialog of its own is open for. */
interface Opened {
  item: SharedItem;
  name: string;
}

export function SiteLinksDialog({ filters, onClose }: SiteLinksDialogProps) {
  const { id } = useProject();
  const links = useResource((signal) => listWebShares(id, signal), [id]);
  const revoke = useAction(async (link: WebShare) => {
    await deleteWebShare(id, link.id);
    links.reload();
  });
  const [opened, setOpened] = useState<Opened | null>(null);
  if (opened !== null) {
    const back = (): void => {
      setOpened(null);
      links.reload();
    };
    return <ShareDialog item={opened.item} name={opened.name} onClose={back} />;
  }
  return (
    <Dialog title="Share web analytics" onClose={onClose}>
      <div class="stack">
        <p class="muted small">
          Anyone with a link can view numbers, pages and sources as they are. They see no persons, sessions or events.
        </p>
        <NewLink filters={filters} onMade={links.reload} />
        <Loaded resource={links}>
          {({ results }) => (
            <ul class="stack">
              {results.map((link) => (
                <li key={link.id} class="stack-s">
                  <Link
                    link={link}
                    onSettings={() => setOpened({ item: ['web_analytics', 'shares', link.id], name: link.name })}
                    onRevoke={() => void revoke.run(link)}
                  />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
        {revoke.error !== undefined && <ErrorNote error={revoke.error} />}
        <div class="row">
          <Button small onClick={() => setOpened({ item: ['web_analytics'], name: 'the whole site' })}>
            Link to the whole site
          </Button>
          <span class="muted small">All visits, without filters.</span>
        </div>
      </div>
    </Dialog>
  );
}

function NewLink({ filters, onMade }: { filters: readonly WebFilter[]; onMade(): void }) {
  const { id } = useProject();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [isFiltered, setFiltered] = useState(true);
  const create = useAction(async () => {
    const chosen = isFiltered ? filters.map(({ label: _, ...filter }) => ({ ...filter })) : [];
    await createWebShare(id, { name: name.trim(), filters: chosen, ...(password === '' ? {} : { password }) });
    setName('');
    setPassword('');
    onMade();
  });
  return (
    <form
      class="stack-s"
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <TextField label="Name" value={name} onInput={setName} maxLength={200} placeholder="For the agency" />
      {filters.length > 0 && (
        <Switch
          label={`Only visits that fit: ${filters.map(filterLabel).join(', ')}`}
          checked={isFiltered}
          onChange={setFiltered}
        />
      )}
      <TextField
        label="Password"
        type="password"
        autocomplete="new-password"
        value={password}
        onInput={setPassword}
        hint="At least 8 characters. Leave it empty for none."
      />
      {create.error !== undefined && <ErrorNote error={create.error} />}
      <div>
        <Button type="submit" kind="primary" busy={create.busy} disabled={name.trim() === ''}>
          Create link
        </Button>
      </div>
    </form>
  );
}

interface LinkProps {
  link: WebShare;
  onSettings(): void;
  onRevoke(): void;
}

function Link({ link, onSettings, onRevoke }: LinkProps) {
  const filters = link.filters as unknown as WebFilter[];
  const facts = [
    ...(link.enabled ? [] : ['turned off']),
    ...filters.map(filterLabel),
    ...(link.password_required ? ['with a password'] : []),
    `opened ${pluralize(link.views_30d, 'time')} in 30 days`,
  ];
  return (
    <>
      <div class="row">
        <strong>{link.name}</strong>
        <Button small onClick={onSettings}>
          Settings
        </Button>
        <Button small onClick={onRevoke}>
          Revoke
        </Button>
      </div>
      <Code label={`Link: ${link.name}`} text={`${publicUrl()}${link.url}`} />
      <p class="muted small">{capitalized(facts.join(' · '))}</p>
    </>
  );
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
