import { useState } from 'preact/hooks';
import { type ApprovalPolicy, createPolicy, updatePolicy } from '../../api/approvals.ts';
import { listMembers, listRoles } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { TagInput } from '../../components/tag-input.tsx';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import {
  ACTIONS,
  type ActionKey,
  draftOfPolicy,
  OPERATORS,
  type PolicyDraft,
  policyOf,
  policyProblems,
  SCOPES,
  scopeOf,
} from './policy-draft.ts';

interface PolicyDialogProps {
  projectId: number;
  policy: ApprovalPolicy | null;
  /** Actions that have a policy. */
  taken: readonly ActionKey[];
  onClose(): void;
}

interface PartProps {
  draft: PolicyDraft;
  change(changes: Partial<PolicyDraft>): void;
}

export function PolicyDialog({ projectId, policy, taken, onClose }: PolicyDialogProps) {
  const free = ACTIONS.filter(({ value }) => policy?.action_key === value || !taken.includes(value));
  const [draft, setDraft] = useState(() => draftOfPolicy(policy, free[0]?.value ?? 'feature_flag.update'));
  const change = (changes: Partial<PolicyDraft>): void => setDraft((before) => ({ ...before, ...changes }));
  const problems = policyProblems(draft);
  const isComplete = Object.values(problems).every((problem) => problem === null);
  const save = useAction(async () => {
    const body = policyOf(draft);
    await (policy === null ? createPolicy(projectId, body) : updatePolicy(projectId, policy.id, body));
    onClose();
  });
  return (
    <Dialog title={policy === null ? 'New policy' : 'Edit policy'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) void save.run();
        }}
      >
        <Select<ActionKey>
          label="When"
          value={draft.action}
          options={free}
          onChange={(action) => change({ action })}
          disabled={policy !== null}
        />
        <Which draft={draft} change={change} problem={problems.value} />
        <TextField
          label="Approvals needed"
          type="number"
          min={1}
          value={draft.quorum}
          onInput={(quorum) => change({ quorum })}
          error={problems.quorum}
        />
        <People draft={draft} change={change} />
        <TextField
          label="Expires after (days)"
          type="number"
          min={0}
          step="any"
          value={draft.days}
          onInput={(days) => change({ days })}
          error={problems.days}
          hint="A request without a decision by then expires and has to be made again."
        />
        <Checkbox
          label="Whoever asks may approve, too"
          checked={draft.isSelf}
          onChange={(isSelf) => change({ isSelf })}
        />
        <Checkbox label="On" checked={draft.isOn} onChange={(isOn) => change({ isOn })} />
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" busy={save.busy} disabled={!isComplete}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Which({ draft, change, problem }: PartProps & { problem: string | null }) {
  const scope = scopeOf(draft);
  const isAmount = scope === 'change_amount' || scope === 'before_after';
  return (
    <>
      {draft.action === 'feature_flag.update' && (
        <Select label="Which changes" value={scope} options={SCOPES} onChange={(next) => change({ scope: next })} />
      )}
      {isAmount && (
        <div class="policy-amount">
          <Select
            label="Comparison"
            value={draft.operator}
            options={OPERATORS}
            onChange={(operator) => change({ operator })}
          />
          <TextField
            label={scope === 'change_amount' ? 'Percentage points' : 'Percent'}
            type="number"
            min={0}
            max={100}
            step="any"
            value={draft.value}
            onInput={(value) => change({ value })}
            error={problem}
          />
        </div>
      )}
      <div class="field">
        <span class="label">Only flags with one of these tags</span>
        <TagInput
          label="Only flags with one of these tags"
          value={draft.tags}
          onChange={(tags) => change({ tags })}
          placeholder="All flags"
        />
      </div>
    </>
  );
}

const toggled = <T,>(list: readonly T[], item: T): T[] =>
  list.includes(item) ? list.filter((one) => one !== item) : [...list, item];

const LEVELS = [
  { value: '15', label: 'Owners' },
  { value: '8', label: 'Admins' },
];

/** Who approves, and who need not ask. */
function People({ draft, change }: PartProps) {
  const { organization } = useProject();
  const members = useResource((signal) => listMembers(organization, signal), [organization]);
  const roles = useResource((signal) => listRoles(organization, signal), [organization]);
  return (
    <>
      <fieldset class="plain stack-s">
        <legend class="label">Who approves (admins, if none are chosen)</legend>
        <Loaded resource={members}>
          {(all) => (
            <>
              {all.map(({ user }) => (
                <Checkbox
                  key={user.uuid}
                  label={user.email}
                  checked={draft.users.includes(user.id)}
                  onChange={() => change({ users: toggled(draft.users, user.id) })}
                />
              ))}
            </>
          )}
        </Loaded>
        <Loaded resource={roles}>
          {(all) => (
            <>
              {all.map(({ id, name }) => (
                <Checkbox
                  key={id}
                  label={`Role ${name}`}
                  checked={draft.roles.includes(id)}
                  onChange={() => change({ roles: toggled(draft.roles, id) })}
                />
              ))}
            </>
          )}
        </Loaded>
      </fieldset>
      <fieldset class="plain stack-s">
        <legend class="label">Who need not ask (it is noted in the activity log)</legend>
        {LEVELS.map(({ value, label }) => (
          <Checkbox
            key={value}
            label={label}
            checked={draft.levels.includes(value)}
            onChange={() => change({ levels: toggled(draft.levels, value) })}
          />
        ))}
        {(roles.data ?? []).map(({ id, name }) => (
          <Checkbox
            key={id}
            label={`Members with the role ${name}`}
            checked={draft.bypassRoles.includes(id)}
            onChange={() => change({ bypassRoles: toggled(draft.bypassRoles, id) })}
          />
        ))}
      </fieldset>
    </>
  );
}
