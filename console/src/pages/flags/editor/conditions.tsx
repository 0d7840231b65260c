import { useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { Confirm } from '../../../components/dialog.tsx';
import { Select } from '../../../components/field.tsx';
import { Empty } from '../../../components/states.tsx';
import { countOf } from '../../../lib/format.ts';
import type { Names } from '../model/descriptions.ts';
import { addCondition, audienceOf, conditionsOf, type Filters, lostBy, releaseTo } from '../model/filters.ts';
import { ConditionCard } from './condition-card.tsx';
import { kindName, type Targets } from './use-targets.ts';

export interface ConditionsProps {
  flagId: number | null;
  filters: Filters;
  onChange(change: (filters: Filters) => Filters): void;
  targets: Targets;
  names: Names;
}

/** Who gets the flag. */
export function Conditions(props: ConditionsProps) {
  const { filters, onChange } = props;
  const conditions = conditionsOf(filters);
  return (
    <section class="card stack" aria-label="Conditions">
      <h2>Who gets it</h2>
      <p class="soft">
        Conditions are tried from the top. Whoever fits one, and is in its share, gets the flag by it; the others go on
        to the next.
      </p>
      <Audience {...props} />
      {conditions.length === 0 && (
        <Empty title="Nobody">A flag without conditions is off for everybody. Add one to say who gets it.</Empty>
      )}
      <ol class="flag-list">
        {conditions.map((condition, index) => (
          <ConditionCard key={index} {...props} condition={condition} index={index} count={conditions.length} />
        ))}
      </ol>
      <div>
        <Button small onClick={() => onChange(addCondition)}>
          Add a condition
        </Button>
      </div>
      <Special filters={filters} />
    </section>
  );
}

/** Persons, or groups of a kind: where there are none, there is nothing to choose. */
function Audience({ filters, onChange, targets, names }: ConditionsProps) {
  const current = audienceOf(filters);
  const [asked, setAsked] = useState<{ audience: number | null } | null>(null);
  const choose = (audience: number | null): void => {
    if (lostBy(filters, audience) > 0) setAsked({ audience });
    else onChange((before) => releaseTo(before, audience));
  };
  const options = [
    { value: '', label: 'persons' },
    ...targets.kinds.map((kind) => ({ value: String(kind.group_type_index), label: `${kindName(kind)}, as a whole` })),
  ];
  const isKnown = options.some(({ value }) => value === String(current ?? ''));
  if (targets.kinds.length === 0 && current === null) return null;
  return (
    <div class="flag-audience">
      <Select
        label="Released to"
        value={String(current ?? '')}
        options={
          isKnown
            ? options
            : [
                ...options,
                { value: String(current), label: names.groups.get(current ?? -1) ?? `groups of kind ${current}` },
              ]
        }
        onChange={(value) => choose(value === '' ? null : Number(value))}
        hint="Everybody in one group gets the same value."
      />
      {asked && (
        <Confirm
          title="Take away filters that no longer fit?"
          action="Change it and take them away"
          danger
          onConfirm={async () => onChange((before) => releaseTo(before, asked.audience))}
          onClose={() => setAsked(null)}
        >
          <p>
            {countOf(lostBy(filters, asked.audience), 'filter')} of the conditions cannot be asked of the new audience.
            The conditions stay, and would reach more than before: look at them before you save.
          </p>
        </Confirm>
      )}
    </div>
  );
}

const SPECIAL: Record<string, string> = {
  super_groups: 'early access',
  feature_enrollment: 'early access',
  holdout_groups: 'a holdout',
  holdout: 'a holdout',
  early_exit: 'an early exit',
};

/** What decides before the conditions, and is kept as it is. */
function Special({ filters }: { filters: Filters }) {
  const found = Object.entries(SPECIAL).filter(([name]) => {
    const value = filters[name];
    return Array.isArray(value) ? value.length > 0 : Boolean(value);
  });
  if (found.length === 0) return null;
  const words = [...new Set(found.map(([, word]) => word))].join(' and ');
  return <p class="soft small">This flag also has {words}, set by the API. It is kept as it is.</p>;
}
