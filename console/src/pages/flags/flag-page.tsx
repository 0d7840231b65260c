/** One flag: who gets it, what it is for somebody, who may change it, and what it was before. */
import { ApiError } from '../../api/api-error.ts';
import { type FeatureFlag, getFlag, updateFlag } from '../../api/flags.ts';
import './flag-page.css';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Banner, Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { toast } from '../../components/toast.tsx';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { type Resource, useAction, useResource } from '../../lib/use-resource.ts';
import { AccessTab } from './access-tab.tsx';
import { ReleaseTab } from './editor/release-tab.tsx';
import { useEditing } from './editor/use-editing.ts';
import { type Targets, useTargets } from './editor/use-targets.ts';
import { FlagActions } from './flag-actions.tsx';
import { HistoryTab } from './history-tab.tsx';
import { RolledBack } from './rolled-back.tsx';
import { TryTab } from './test-flag-tab.tsx';

export function Page({ params }: PageProps) {
  const { flag = '' } = params;
  if (flag === 'new') return <NewFlag />;
  return /^\d{1,15}$/.test(flag) ? <StoredFlag key={flag} id={Number(flag)} /> : <NoSuchFlag />;
}

const NoSuchFlag = () => (
  <PageFrame title="Feature flag">
    <Empty title="There is no such flag in this project" action={<AllFlags />}>
      It may belong to another project, or another flag has taken its key since it was deleted.
    </Empty>
  </PageFrame>
);

const AllFlags = () => <Link to={pathTo('flags', { project: useProject().id }) ?? '/'}>All flags</Link>;

function NewFlag() {
  const { id } = useProject();
  const editing = useEditing(`${id}/new`, null);
  const { targets, names, resource } = useTargets(id);
  const onSaved = (flag: FeatureFlag): void => {
    editing.reset(null);
    navigate(pathTo('flag', { project: id, flag: flag.id }) ?? '/', { replace: true });
  };
  return (
    <PageFrame title="New flag" lead={<AllFlags />}>
      <Unnamed targets={resource} />
      <ReleaseTab flag={null} editing={editing} targets={targets} names={names} onSaved={onSaved} />
    </PageFrame>
  );
}

function StoredFlag({ id }: { id: number }) {
  const project = useProject();
  const flag = useResource((signal) => getFlag(project.id, id, signal), [project.id, id]);
  if (flag.error instanceof ApiError && flag.error.status === 404) return <NoSuchFlag />;
  if (flag.data) return <FlagPage flag={flag.data} onChanged={flag.set} />;
  return (
    <PageFrame title="Feature flag" lead={<AllFlags />}>
      <Loaded resource={flag}>{() => null}</Loaded>
    </PageFrame>
  );
}

const TABS = [
  { id: 'release', label: 'Release' },
  { id: 'try', label: 'Try it' },
  { id: 'access', label: 'Access' },
  { id: 'history', label: 'History' },
] as const;

function FlagPage({ flag, onChanged }: { flag: FeatureFlag; onChanged(flag: FeatureFlag): void }) {
  const { id } = useProject();
  const editing = useEditing(`${id}/${flag.id}`, flag);
  const { targets, names, resource } = useTargets(id);
  const [asked, setTab] = useQueryState('tab', 'release', { isStep: true });
  const tab = TABS.find((one) => one.id === asked)?.id ?? 'release';
  const onSaved = (saved: FeatureFlag): void => {
    editing.reset(saved);
    onChanged(saved);
  };
  /** A change beside the editor, such as the switch: what is being edited goes on from there. */
  const onAside = (saved: FeatureFlag): void => {
    editing.takeOn(saved);
    onChanged(saved);
  };
  return (
    <PageFrame
      title={flag.key}
      lead={
        <>
          <AllFlags /> {flag.name !== '' && <span> · {flag.name}</span>}
        </>
      }
      actions={<FlagActions flag={flag} names={names} onChanged={onAside} />}
    >
      <Unnamed targets={resource} />
      {flag.deleted && <Deleted flag={flag} onChanged={onAside} />}
      {flag.performed_rollback === true && <RolledBack flag={flag} />}
      {!flag.can_edit && (
        <Banner>
          You can look at this flag but not change it. Ask whoever made it, or an admin, to give one of your roles
          access.
        </Banner>
      )}
      <Tabs label="Parts of the flag" tabs={TABS} value={tab} onChange={setTab}>
        {tab === 'release' && (
          <ReleaseTab flag={flag} editing={editing} targets={targets} names={names} onSaved={onSaved} />
        )}
        {tab === 'try' && <TryTab flag={flag} isDirty={editing.isDirty} kinds={targets.kinds} names={names} />}
        {tab === 'access' && <AccessTab flag={flag} />}
        {tab === 'history' && <HistoryTab flag={flag} names={names} onRestored={onSaved} />}
      </Tabs>
    </PageFrame>
  );
}

/** Without them, conditions show ids in place of names, and there is nothing to choose from. */
const Unnamed = ({ targets }: { targets: Resource<Targets> }) =>
  targets.error === undefined ? null : <ErrorNote error={targets.error} onRetry={targets.reload} />;

function Deleted({ flag, onChanged }: { flag: FeatureFlag; onChanged(flag: FeatureFlag): void }) {
  const { id } = useProject();
  const restore = useAction(async () => {
    onChanged(await updateFlag(id, flag.id, { deleted: false, version: flag.version }));
    toast(`${flag.key} is back.`);
  });
  return (
    <>
      <Banner
        tone="warn"
        action={
          <Button small busy={restore.busy} disabled={!flag.can_edit} onClick={() => void restore.run()}>
            Bring it back
          </Button>
        }
      >
        This flag was deleted. It is off for everybody, and no list shows it.
      </Banner>
      {restore.error !== undefined && <ErrorNote error={restore.error} />}
    </>
  );
}
