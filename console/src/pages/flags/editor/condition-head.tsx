import { useRef } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { describeCondition, type Names } from '../model/descriptions.ts';
import { type Condition, copyCondition, type Filters, moveCondition, removeCondition } from '../model/filters.ts';

interface ConditionHeadProps {
  filters: Filters;
  condition: Condition;
  index: number;
  count: number;
  names: Names;
  onChange(change: (filters: Filters) => Filters): void;
}

export function ConditionHead({ filters, condition, index, count, onChange, names }: ConditionHeadProps) {
  const number = index + 1;
  const head = useRef<HTMLElement>(null);
  /** The focus follows the condition, so that the same key moves it further. */
  const move = (by: -1 | 1): void => {
    const item = head.current?.closest('li');
    const target = by < 0 ? item?.previousElementSibling : item?.nextElementSibling;
    onChange((before) => moveCondition(before, index, by));
    const [up, down] = target?.querySelectorAll<HTMLElement>('.flag-head .button') ?? [];
    // At either end one of the buttons is disabled; the other gets the focus.
    requestAnimationFrame(() => {
      for (const button of by < 0 ? [down, up] : [up, down]) button?.focus();
    });
  };
  return (
    <header class="flag-head" ref={head}>
      <p>
        <span class="muted small">Condition {number}</span>
        <br />
        <b class="sentence">{describeCondition(filters, condition, names)}</b>
      </p>
      <span class="row">
        <Button
          kind="quiet"
          small
          disabled={index === 0}
          aria-label={`Move condition ${number} up`}
          onClick={() => move(-1)}
        >
          ↑
        </Button>
        <Button
          kind="quiet"
          small
          disabled={index === count - 1}
          aria-label={`Move condition ${number} down`}
          onClick={() => move(1)}
        >
          ↓
        </Button>
        <Button
          kind="quiet"
          small
          aria-label={`Duplicate condition ${number}`}
          onClick={() => onChange((before) => copyCondition(before, index))}
        >
          Duplicate
        </Button>
        <Button
          kind="quiet"
          small
          aria-label={`Remove condition ${number}`}
          onClick={() => onChange((before) => removeCondition(before, index))}
        >
          Remove
        </Button>
      </span>
    </header>
  );
}
