import { listInsights } from '../../api/insights.ts';
import { ADMIN, listMembers } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { TagInput } from '../../components/tag-input.tsx';
import { useProject, useSession } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import {
  type AlertDraft,
  CONDITIONS,
  type Condition,
  FLAG_CHANGE_KINDS,
  type HookDraft,
  hasOwnRule,
  INTERVALS,
  type Interval,
  isOfNow,
  WATCHED,
  type Watched,
} from './draft.ts';
import { FlagPicker } from './flag-picker.tsx';

interface FormProps {
  draft: AlertDraft;
  /** Of the insight. */
  kind: string;
  onChange(draft: AlertDraft): void;
}

const MAX_INSIGHTS = 1000;
const STATUSES = [
  { value: 'new', label: 'New' },
  { value: 'returning', label: 'Returning' },
  { value: 'resurrecting', label: 'Resurrecting' },
  { value: 'dormant', label: 'Dormant' },
];

/** What is watched, and when it fires. */
export function RuleFields({ draft, kind, onChange }: FormProps) {
  const { id } = useProject();
  const set = (changes: Partial<AlertDraft>): void => onChange({ ...draft, ...changes });
  const insights = useResource((signal) => listInsights(id, { limit: MAX_INSIGHTS, basic: true }, signal), [id]);
  const known = (insights.data?.results ?? []).map((one) => ({
    value: String(one.id),
    label: one.name || one.derived_name || `Insight ${one.id}`,
  }));
  const chosen = draft.insight === null ? '' : String(draft.insight);
  // While they load, and where it is not among those that are listed.
  const isListed = chosen === '' || known.some(({ value }) => value === chosen);
  const options = [
    { value: '', label: 'Choose an insight' },
    ...(isListed ? [] : [{ value: chosen, label: `Insight ${chosen}` }]),
    ...known,
  ];
  return (
    <>
      <TextField label="Name" value={draft.name} onInput={(name) => set({ name })} placeholder="Sign-ups are low" />
      <Select<Watched> label="Watch" value={draft.watched} options={WATCHED} onChange={(watched) => set({ watched })} />
      {draft.watched === 'insight' && (
        <>
          <Select
            label="Insight"
            value={chosen}
            options={options}
            onChange={(value) => set({ insight: value === '' ? null : Number(value), part: '' })}
          />
          <PartField draft={draft} kind={kind} onChange={onChange} />
        </>
      )}
      {draft.watched === 'silent' && (
        <>
          <TextField label="Event" value={draft.event} onInput={(event) => set({ event })} placeholder="order placed" />
          <TextField
            label="Silent for"
            value={draft.silentFor}
            onInput={(silentFor) => set({ silentFor })}
            hint="A length of time: 30m, 6h, 1d."
          />
        </>
      )}
      {draft.watched === 'flags' && <FlagFields draft={draft} onChange={onChange} />}
      {draft.watched === 'errors' && (
        <p class="muted small">
          An exception or ingestion warning of a kind that was not seen for 14 days, or an event that could not be
          processed.
        </p>
      )}
      {draft.watched === 'disk' && (
        <p class="muted small">In percent of the disk of the server’s data folder. Below 10 is a good start.</p>
      )}
      <Select<Interval>
        label="Check"
        value={draft.interval}
        options={INTERVALS}
        onChange={(interval) => set({ interval })}
      />
      {!hasOwnRule(draft) && <ConditionFields draft={draft} kind={kind} onChange={onChange} />}
      {draft.watched !== 'flags' && draft.watched !== 'errors' && (
        <>
          <TextField
            label="Periods in a row"
            type="number"
            min={1}
            max={100}
            value={draft.inRow}
            onInput={(inRow) => set({ inRow })}
            hint={inRowHint(draft)}
          />
          <TextField
            label="Remind every"
            value={draft.remindEvery}
            onInput={(remindEvery) => set({ remindEvery })}
            placeholder="Never"
            hint="While it fires: 30m, 6h, 1d."
          />
        </>
      )}
      <Checkbox label="Skip weekends" checked={draft.skipWeekend} onChange={(skipWeekend) => set({ skipWeekend })} />
    </>
  );
}

const inRowHint = ({ clearFor }: AlertDraft): string =>
  clearFor === null
    ? 'How many have to be outside before it fires, and inside before it clears.'
    : `How many have to be outside before it fires; it clears after ${clearFor} inside.`;

/** Whose changes of flags, and which. */
function FlagFields({ draft, onChange }: Omit<FormProps, 'kind'>) {
  const { flagIds, flagTags, flagKinds } = draft;
  const toggle = (kind: (typeof flagKinds)[number], isChosen: boolean): void =>
    onChange({
      ...draft,
      flagKinds: isChosen ? [...flagKinds, kind] : flagKinds.filter((one) => one !== kind),
    });
  const isOfAll = flagIds.length === 0 && flagTags.length === 0;
  return (
    <>
      <FlagPicker
        ids={flagIds}
        onChange={(ids) => onChange({ ...draft, flagIds: ids })}
        placeholder={isOfAll ? 'All flags' : 'Add…'}
      />
      <div class="field">
        <span class="label">And flags with one of these tags</span>
        <TagInput
          label="And flags with one of these tags"
          value={flagTags}
          onChange={(tags) => onChange({ ...draft, flagTags: tags })}
          placeholder={isOfAll ? 'Any tag' : 'Add…'}
        />
      </div>
      <fieldset class="plain stack-s">
        <legend class="label">Changes</legend>
        {FLAG_CHANGE_KINDS.map(({ value, label }) => (
          <Checkbox
            key={value}
            label={label}
            checked={flagKinds.includes(value)}
            onChange={(isChosen) => toggle(value, isChosen)}
          />
        ))}
      </fieldset>
    </>
  );
}

function PartField({ draft, kind, onChange }: FormProps) {
  const set = (part: string): void => onChange({ ...draft, part });
  const field = { type: 'number', value: draft.part, onInput: set } as const;
  switch (kind) {
    case 'FUNNELS':
      return <TextField {...field} min={2} label="Conversion up to step" placeholder="The last" />;
    case 'RETENTION':
      return <TextField {...field} min={1} label="Share that came back after" hint="In periods." placeholder="1" />;
    case 'SQL':
      return <p class="muted small">The first number of the last row, when the period ends.</p>;
    case 'LIFECYCLE':
      return <Select label="Status" value={draft.part || 'new'} options={STATUSES} onChange={set} />;
    default:
      return <TextField {...field} min={0} label="Series" hint="Counted from 0." placeholder="0" />;
  }
}

const DIRECTIONS = [
  { value: 'both', label: 'High or low' },
  { value: 'up', label: 'High' },
  { value: 'down', label: 'Low' },
] as const;

function ConditionFields({ draft, kind, onChange }: FormProps) {
  const set = (changes: Partial<AlertDraft>): void => onChange({ ...draft, ...changes });
  const isNow = isOfNow(draft, kind);
  const condition = isNow ? 'absolute_value' : draft.condition;
  const isRelative = condition === 'relative_increase' || condition === 'relative_decrease';
  const unit = isRelative && draft.isPercentage ? ' in percent' : '';
  return (
    <>
      {!isNow && (
        <Select<Condition>
          label="Fires when"
          value={condition}
          options={CONDITIONS}
          onChange={(next) => set({ condition: next })}
        />
      )}
      {condition === 'seasonal' ? (
        <div class="alert-fields">
          <Select<AlertDraft['direction']>
            label="Unusually"
            value={draft.direction}
            options={DIRECTIONS}
            onChange={(direction) => set({ direction })}
          />
          <TextField
            label="Sensitivity"
            value={draft.k}
            onInput={(k) => set({ k })}
            hint="How many times the usual spread: 3 fires often, 6 seldom."
          />
        </div>
      ) : (
        <div class="alert-fields">
          <TextField label={`Below${unit}`} value={draft.lower} onInput={(lower) => set({ lower })} />
          <TextField label={`Above${unit}`} value={draft.upper} onInput={(upper) => set({ upper })} />
        </div>
      )}
      {isRelative && (
        <Checkbox
          label="In percent of the period before"
          checked={draft.isPercentage}
          onChange={(isPercentage) => set({ isPercentage })}
        />
      )}
      {condition === 'absolute_value' && draft.watched === 'insight' && kind === 'TRENDS' && (
        <Checkbox
          label="Also during the current period, as soon as it is above"
          checked={draft.checkOngoing}
          onChange={(checkOngoing) => set({ checkOngoing })}
        />
      )}
    </>
  );
}

const HOOK_TYPES = [
  { value: 'slack_webhook', label: 'Slack, Mattermost or Discord' },
  { value: 'webhook', label: 'Signed webhook' },
] as const;

/** Who is told. */
export function TargetFields({
  draft,
  onChange,
  known,
}: Omit<FormProps, 'kind'> & { known: ReadonlyMap<string, string> }) {
  const { me } = useSession();
  const { organization } = me;
  const members = useResource(organization === null ? null : (signal) => listMembers(organization.id, signal), [
    organization?.id,
  ]);
  const isAdmin = (organization?.membership_level ?? 0) >= ADMIN;
  const setHooks = (hooks: readonly HookDraft[]): void => onChange({ ...draft, hooks });
  return (
    <>
      <fieldset class="plain stack-s">
        <legend class="label">Mail to</legend>
        {(members.data ?? []).map(({ user: member }) => (
          <Checkbox
            key={member.id}
            label={member.first_name ? `${member.first_name} (${member.email})` : member.email}
            checked={draft.users.includes(member.id)}
            onChange={(isOn) =>
              onChange({
                ...draft,
                users: isOn ? [...draft.users, member.id] : draft.users.filter((one) => one !== member.id),
              })
            }
          />
        ))}
      </fieldset>
      {draft.hooks.map((hook, index) => (
        <div class="alert-hook" key={hook.id ?? index}>
          <Select<HookDraft['type']>
            label="Webhook"
            value={hook.type}
            options={HOOK_TYPES}
            disabled={hook.id !== null}
            onChange={(type) => setHooks(draft.hooks.with(index, { ...hook, type }))}
          />
          <TextField
            label="Address"
            type="url"
            value={hook.url}
            disabled={!isAdmin}
            onInput={(url) => setHooks(draft.hooks.with(index, { ...hook, url }))}
            placeholder={
              hook.id === null ? 'The webhook of the project' : (known.get(hook.id) ?? 'The webhook of the project')
            }
          />
          <Button kind="quiet" onClick={() => setHooks(draft.hooks.filter((_, at) => at !== index))}>
            Remove
          </Button>
        </div>
      ))}
      <div class="row">
        <Button onClick={() => setHooks([...draft.hooks, { id: null, type: 'slack_webhook', url: '' }])}>
          Add webhook
        </Button>
        {!isAdmin && (
          <span class="muted small">Only admins can enter addresses. Yours is the webhook of the project.</span>
        )}
      </div>
    </>
  );
}
