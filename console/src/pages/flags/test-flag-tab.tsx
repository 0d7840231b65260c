/** What the flag is for somebody, and why. */

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
import { conditionSentence, type Names, reasonWords } from './model/descriptions.ts';
import { audienceOf, conditionsOf } from './model/filters.ts';
import { ON, payloadOf } from './model/variants.ts';

export interface TryTabProps {
  flag: FeatureFlag;
  isDirty: boolean;
  kinds: readonly GroupType[];
  names: Names;
}

export function TryTab({ flag, isDirty, kinds, names }: TryTabProps) {
  const { id } = useProject();
  const [who, setWho] = useQueryState('who');
  const [group, setGroup] = useQueryState('group');
  const index = audienceOf(flag.filters);
  const kind = kinds.find((one) => one.group_type_index === index);
  const groups = kind && group !== '' ? { [kind.group_type]: group } : {};
  const reasons = useResource(who === '' ? null : (signal) => evaluateFlags(id, who, groups, signal), [
    id,
    who,
    JSON.stringify(groups),
    flag.version,
  ]);
  const tryFor = (nextWho: string, nextGroup: string): void => {
    setWho(nextWho);
    setGroup(nextGroup);
  };
  return (
    <>
      {isDirty && <Banner tone="warn">The answer is about the flag as it is saved, without your changes.</Banner>}
      <Form {...{ who, group, kind }} onTry={tryFor} />
      {who === '' ? (
        <Empty title="Try it for somebody">
          Give a distinct id, of a person that there is or of a stranger, to see what they get and which condition says
          so. The server decides just as it does for an SDK.
        </Empty>
      ) : (
        <Loaded resource={reasons} skeleton={<Skeleton lines={2} />}>
          {(all) => <Answer flag={flag} who={who} answer={all[flag.key]} names={names} />}
        </Loaded>
      )}
      <section class="stack-s">
        <h2>In your code</h2>
        <Code label="Code that asks for the flag" text={codeFor(flag.key, kind?.group_type)} />
      </section>
    </>
  );
}

interface FormProps {
  who: string;
  group: string;
  kind: GroupType | undefined;
  onTry(who: string, group: string): void;
}

function Form({ who, group, kind, onTry }: FormProps) {
  const { id } = useProject();
  const [text, setText] = useState(who);
  const [groupKey, setGroupKey] = useState(group);
  return (
    <form
      class="flag-try"
      onSubmit={(event) => {
        event.preventDefault();
        onTry(text.trim(), groupKey.trim());
      }}
    >
      <Combobox
        label="Distinct id"
        placeholder="ada@example.org"
        value={text}
        onChange={setText}
        onCommit={(value) => onTry(value.trim(), groupKey.trim())}
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
          label={`Key of their ${kind.name_singular ?? kind.group_type}`}
          value={groupKey}
          onInput={setGroupKey}
        />
      )}
      <Button type="submit" kind="primary">
        Try it
      </Button>
    </form>
  );
}

interface AnswerProps {
  flag: FeatureFlag;
  who: string;
  answer: Evaluation | undefined;
  names: Names;
}

function Answer({ flag, who, answer, names }: AnswerProps) {
  if (answer === undefined) {
    return <p>Nothing: the flag is deleted, and SDKs get no value for it.</p>;
  }
  const { value, evaluation } = answer;
  const { reason, condition_index: index, description } = evaluation;
  const condition = index === null ? undefined : conditionsOf(flag.filters)[index];
  const payload = value === false ? '' : payloadOf(flag.filters, value === true ? ON : value);
  return (
    <section class="card stack-s" aria-label="What they get" aria-live="polite">
      <p class="row">
        For <PersonLink id={who} name={who} /> the flag is <ValueBadge value={value} />
      </p>
      <p>{reasonWords(reason, index) ?? description}</p>
      {condition && (
        <p class="soft">{`Condition ${(index ?? 0) + 1}: ${conditionSentence(flag.filters, condition, names)}`}</p>
      )}
      {payload !== '' && <Code label="Payload" text={payload} />}
    </section>
  );
}

/** JSON is a literal of JavaScript as well, whatever the key is. */
const codeFor = (key: string, kind: string | undefined): string => {
  const name = JSON.stringify(key);
  const group = kind === undefined ? '' : `posthog.group(${JSON.stringify(kind)}, 'key of the group')\n`;
  return `${group}// in a page\nposthog.onFeatureFlags(() => {\n  const value = posthog.getFeatureFlag(${name})\n})\n\n// on a server\nconst value = await client.getFeatureFlag(${name}, distinctId)`;
};
