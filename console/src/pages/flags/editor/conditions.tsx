import { useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { Confirm } from '../../../components/dialog.tsx';
import { Select } from '../../../components/field.tsx';
import { Empty } from '../../../components/states.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import {
  addCondition,
  audienceOf,
  conditionsOf,
  countIncompatible,
  hasOwnAudiences,
  setAudience,
} from '../model/filters.ts';
import { ConditionCard } from './condition-card.tsx';
import type { ConditionsProps } from './conditions-props.ts';
import { audienceOptions } from './use-targets.ts';

export function Conditions(props: ConditionsProps) {
  const { filters, onChange } = props;
  const conditions = conditionsOf(filters);
  const [isByCondition, setByCondition] = useState(() => hasOwnAudiences(filters));
  return (
    <section class="card stack" aria-label="Release conditions">
      <h2>Release conditions</h2>
      <p class="muted">
        Conditions are evaluated from top to bottom. A person gets the flag from the first condition that they match and
        whose rollout includes them.
      </p>
      <Audience {...props} isByCondition={isByCondition} onByCondition={setByCondition} />
      {conditions.length === 0 && (
        <Empty title="No release conditions">No one gets this flag. Add a condition to release it.</Empty>
      )}
      <ol class="flag-list">
        {conditions.map((condition, index) => (
          <ConditionCard
            key={index}
            {...props}
            condition={condition}
            index={index}
            count={conditions.length}
            isByCondition={isByCondition}
          />
        ))}
      </ol>
      <div>
        <Button small onClick={() => onChange(addCondition)}>
          Add condition
        </Button>
      </div>
    </section>
  );
}

interface AudienceProps extends ConditionsProps {
  isByCondition: boolean;
  onByCondition(isByCondition: boolean): void;
}

const BY_CONDITION = 'by condition';

/** Persons, groups of a type, or what each condition says. */
function Audience({ filters, onChange, targets, names, isByCondition, onByCondition }: AudienceProps) {
  const current = audienceOf(filters);
  const [confirming, setConfirming] = useState<{ audience: number | null } | null>(null);
  const select = (audience: number | null): void => {
    if (countIncompatible(filters, audience) > 0) setConfirming({ audience });
    else onChange((before) => setAudience(before, audience));
  };
  const options = [...audienceOptions(targets), { value: BY_CONDITION, label: 'Choose for each condition' }];
  const isKnown = options.some(({ value }) => value === String(current ?? ''));
  if (targets.kinds.length === 0 && current === null) return null;
  return (
    <div class="flag-audience">
      <Select
        label="Match by"
        value={isByCondition ? BY_CONDITION : String(current ?? '')}
        options={
          isKnown
            ? options
            : [
                ...options,
                { value: String(current), label: names.groups.get(current ?? -1) ?? `Group type ${current}` },
              ]
        }
        onChange={(value) => {
          onByCondition(value === BY_CONDITION);
          if (value !== BY_CONDITION) select(value === '' ? null : Number(value));
        }}
        hint="When matching by group, all members of a group get the same value."
      />
      {confirming && (
        <Confirm
          title="Remove incompatible filters?"
          action="Change and remove filters"
          danger
          onConfirm={async () => onChange((before) => setAudience(before, confirming.audience))}
          onClose={() => setConfirming(null)}
        >
          <p>
            {pluralize(countIncompatible(filters, confirming.audience), 'filter')} cannot be used with the new setting
            and will be removed. The conditions may then match more than before: review them before you save.
          </p>
        </Confirm>
      )}
    </div>
  );
}
