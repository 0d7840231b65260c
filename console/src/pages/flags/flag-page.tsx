import './flag-page.css';
import { ApiError } from '../../api/api-error.ts';
import { type FeatureFlag, getFlag, updateFlag } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Banner, ErrorNote, Loaded, NotFound } from '../../components/states.tsx';
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
import { audienceName } from './model/descriptions.ts';
import { audienceOf } from './model/filters.ts';
import { OverviewTab } from './overview-tab.tsx';
import { RolledBack } from './rolled-back.tsx';
import { ScheduleTab } from './schedule/schedule-tab.tsx';
import { TestFlagTab } from './test-flag-tab.tsx';
import { WaitingChanges } from './waiting-changes.tsx';

export function Page({ params }: PageProps) {
  const { flag = '' } = params;
  if (flag === 'new') return <NewFlag />;
  return /^\d{1,15}$/.test(flag) ? <StoredFlag key={flag} id={Number(flag)} /> : <NoSuchFlag />;
}

const NoSuchFlag = () => (
  <PageFrame title="Feature flag">
    <NotFound name="Feature flag" all={<AllFlags />} />
  </PageFrame>
);

const AllFlags = () => <Link to={pathTo('flags', { project: useProject().id }) ?? '/'}>All feature flags</Link>;

function NewFlag() {
  const { id } = useProject();
  const editing = useEditing(`${id}/new`, null);
  const { targets, names, resource } = useTargets(id);
  const onSaved = (flag: FeatureFlag): void => {
    editing.reset(null);
    navigate(pathTo('flag', { project: id, flag: flag.id }) ?? '/', { replace: true });
  };
  return (
    <PageFrame title="New feature flag" lead={<AllFlags />}>
      <TargetsError targets={resource} />
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
  { id: 'overview', label: 'Overview' },
  { id: 'release', label: 'Release conditions' },
  { id: 'schedule', label: 'Schedule' },
  { id: 'try', label: 'Test' },
  { id: 'access', label: 'Access' },
  { id: 'history', label: 'History' },
] as const;

function FlagPage({ flag, onChanged }: { flag: FeatureFlag; onChanged(flag: FeatureFlag): void }) {
  const { id } = useProject();
  const editing = useEditing(`${id}/${flag.id}`, flag);
  const { targets, names, resource } = useTargets(id);
  const [selected, setTab] = useQueryState('tab', 'overview', { isStep: true });
  const tab = TABS.find((one) => one.id === selected)?.id ?? 'overview';
  const onSaved = (saved: FeatureFlag): void => {
    editing.reset(saved);
    onChanged(saved);
  };
  /** A change outside the editor, such as the switch: unsaved changes stay on top of it. */
  const onExternalChange = (saved: FeatureFlag): void => {
    editing.rebaseOn(saved);
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
      actions={<FlagActions flag={flag} names={names} onChanged={onExternalChange} />}
    >
      <TargetsError targets={resource} />
      {flag.deleted && <Deleted flag={flag} onChanged={onExternalChange} />}
      <WaitingChanges flag={flag} />
      {flag.performed_rollback === true && <RolledBack flag={flag} />}
      {!flag.can_edit && (
        <Banner>
          You can view this flag but not edit it. Ask its creator or an admin to grant access to one of your roles.
        </Banner>
      )}
      <Tabs label="Feature flag" tabs={TABS} value={tab} onChange={setTab}>
        {tab === 'overview' && (
          <OverviewTab
            flag={flag}
            names={names}
            flags={targets.flags}
            isDirty={editing.isDirty}
            onEdit={() => setTab('release')}
            onChanged={onExternalChange}
          />
        )}
        {tab === 'release' && (
          <ReleaseTab flag={flag} editing={editing} targets={targets} names={names} onSaved={onSaved} />
        )}
        {tab === 'try' && <TestFlagTab flag={flag} isDirty={editing.isDirty} kinds={targets.kinds} names={names} />}
        {tab === 'schedule' && <ScheduleTab flag={flag} audience={audienceName(audienceOf(flag.filters), names)} />}
        {tab === 'access' && <AccessTab flag={flag} />}
        {tab === 'history' && <HistoryTab flag={flag} names={names} onRestored={onSaved} />}
      </Tabs>
    </PageFrame>
  );
}

/** Without targets, conditions show IDs instead of names. */
const TargetsError = ({ targets }: { targets: Resource<Targets> }) =>
  targets.error === undefined ? null : <ErrorNote error={targets.error} onRetry={targets.reload} />;

function Deleted({ flag, onChanged }: { flag: FeatureFlag; onChanged(flag: FeatureFlag): void }) {
  const { id } = useProject();
  const restore = useAction(async () => {
    onChanged(await updateFlag(id, flag.id, { deleted: false, version: flag.version }));
    toast(`${flag.key} restored.`);
  });
  return (
    <>
      <Banner
        tone="warn"
        action={
          <Button small busy={restore.busy} disabled={!flag.can_edit} onClick={() => void restore.run()}>
            Restore
          </Button>
        }
      >
        This flag was deleted. It is disabled for everyone and not listed.
      </Banner>
      {restore.error !== undefined && <ErrorNote error={restore.error} />}
    </>
  );
}
