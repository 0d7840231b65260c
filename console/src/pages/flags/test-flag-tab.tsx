/** The value of the flag for a distinct ID, with the reason. */
import { useState } from 'preact/hooks';
import { findDistinctIds } from '../../api/flag-targets.ts';
import { type Evaluation, evaluateFlags, type FeatureFlag } from '../../api/flags.ts';
import type { GroupType } from '../../api/groups.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { TextField } from '../../components/field.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { Banner, Empty, Loaded, Skeleton } from '../../components/states.tsx';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { ValueBadge } from './affected-users.tsx';
import { describeCondition, type Names } from './model/descriptions.ts';
import { audiencesOf, conditionsOf } from './model/filters.ts';
import { describeReason } from './model/reasons.ts';
import { ON, payloadOf } from './model/variants.ts';

interface TestFlagTabProps {
  flag: FeatureFlag;
  isDirty: boolean;
  kinds: readonly GroupType[];
  names: Names;
}

export function TestFlagTab({ flag, isDirty, kinds, names }: TestFlagTabProps) {
  const { id } = useProject();
  const [who, setWho] = useQueryState('who');
  const [group, setGroup] = useQueryState('group');
  const index = audiencesOf(flag.filters).find((audience) => audience !== null);
  const kind = kinds.find((one) => one.group_type_index === index);
  const groups = kind && group !== '' ? { [kind.group_type]: group } : {};
  const reasons = useResource(who === '' ? null : (signal) => evaluateFlags(id, who, groups, signal), [
    id,
    who,
    JSON.stringify(groups),
    flag.version,
  ]);
  const evaluate = (nextWho: string, nextGroup: string): void => {
    setWho(nextWho);
    setGroup(nextGroup);
  };
  return (
    <>
      {isDirty && (
        <Banner tone="warn">The result is for the saved version of the flag, without your unsaved changes.</Banner>
      )}
      <Form {...{ who, group, kind }} onEvaluate={evaluate} />
      {who === '' ? (
        <Empty title="Test this flag">
          Enter a distinct ID to see which value it gets, and why. It can be a person or an ID that has not sent events
          yet.
        </Empty>
      ) : (
        <Loaded resource={reasons} skeleton={<Skeleton lines={2} />}>
          {(all) => <Result flag={flag} who={who} result={all[flag.key]} names={names} />}
        </Loaded>
      )}
      <section class="stack-s">
        <h2>Implementation</h2>
        <Code label="Code example" text={codeFor(flag.key, kind?.group_type)} />
      </section>
    </>
  );
}

interface FormProps {
  who: string;
  group: string;
  kind: GroupType | undefined;
  onEvaluate(who: string, group: string): void;
}

function Form({ who, group, kind, onEvaluate }: FormProps) {
  const { id } = useProject();
  const [text, setText] = useState(who);
  const [groupKey, setGroupKey] = useState(group);
  return (
    <form
      class="flag-inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        onEvaluate(text.trim(), groupKey.trim());
      }}
    >
      <Combobox
        label="Distinct ID"
        placeholder="ada@example.org"
        value={text}
        onChange={setText}
        onCommit={(value) => onEvaluate(value.trim(), groupKey.trim())}
        suggest={async (part, signal) =>
          (await findDistinctIds(id, part, signal)).map((one) => ({
            value: one.id,
            ...(one.name !== one.id && { note: one.name }),
          }))
        }
        inputs={[id]}
      />
      {kind && (
        <TextField
          label={`Key of the ${kind.name_singular ?? kind.group_type}`}
          value={groupKey}
          onInput={setGroupKey}
        />
      )}
      <Button type="submit" kind="primary">
        Evaluate
      </Button>
    </form>
  );
}

interface ResultProps {
  flag: FeatureFlag;
  who: string;
  result: Evaluation | undefined;
  names: Names;
}

function Result({ flag, who, result, names }: ResultProps) {
  if (result === undefined) {
    return <p>No value: the flag is deleted.</p>;
  }
  const { value, evaluation } = result;
  const { condition_index: index } = evaluation;
  const condition = index === null ? undefined : conditionsOf(flag.filters)[index];
  const payload = value === false ? '' : payloadOf(flag.filters, value === true ? ON : value);
  return (
    <section class="card stack-s" aria-label="Result" aria-live="polite">
      <p class="row">
        Value for <PersonLink id={who} name={who} /> is <ValueBadge value={value} />
      </p>
      <p>{describeReason(evaluation)}</p>
      {condition && (
        <p class="muted">{`Condition ${(index ?? 0) + 1}: ${describeCondition(flag.filters, condition, names)}`}</p>
      )}
      {payload !== '' && <Code label="Payload" text={payload} />}
    </section>
  );
}

/** JSON is valid JavaScript, whatever the key is. */
const codeFor = (key: string, kind: string | undefined): string => {
  const name = JSON.stringify(key);
  const group = kind === undefined ? '' : `posthog.group(${JSON.stringify(kind)}, 'group key')\n`;
  return `${group}// Browser\nposthog.onFeatureFlags(() => {\n  const value = posthog.getFeatureFlag(${name})\n})\n\n// Server\nconst value = await client.getFeatureFlag(${name}, distinctId)`;
};
