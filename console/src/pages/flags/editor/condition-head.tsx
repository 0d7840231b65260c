import { useRef } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { conditionSentence, type Names } from '../model/descriptions.ts';
import { type Condition, copyCondition, type Filters, moveCondition, removeCondition } from '../model/filters.ts';

export interface ConditionHeadProps {
  filters: Filters;
  condition: Condition;
  index: number;
  /** How many conditions there are. */
  count: number;
  names: Names;
  onChange(change: (filters: Filters) => Filters): void;
}

/** The condition as a sentence, and what can be done with the whole of it. */
export function ConditionHead({ filters, condition, index, count, onChange, names }: ConditionHeadProps) {
  const number = index + 1;
  const head = useRef<HTMLElement>(null);
  /** The focus goes along with the condition, so that the same key moves it on. */
  const move = (by: -1 | 1): void => {
    const item = head.current?.closest('li');
    const target = by < 0 ? item?.previousElementSibling : item?.nextElementSibling;
    onChange((before) => moveCondition(before, index, by));
    const [up, down] = target?.querySelectorAll<HTMLElement>('.flag-head .button') ?? [];
    // The last of the two that can be pressed has it: at an end, one of them cannot.
    requestAnimationFrame(() => {
      for (const button of by < 0 ? [down, up] : [up, down]) button?.focus();
    });
  };
  return (
    <header class="flag-head" ref={head}>
      <p>
        <span class="soft small">Condition {number}</span>
        <br />
        <b class="sentence">{conditionSentence(filters, condition, names)}</b>
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
          aria-label={`Copy condition ${number}`}
          onClick={() => onChange((before) => copyCondition(before, index))}
        >
          Copy
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
