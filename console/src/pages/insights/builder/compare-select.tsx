import { useState } from 'preact/hooks';
import { Select, TextField } from '../../../components/field.tsx';
import type { Question } from '../question.ts';

interface CompareSelectProps {
  question: Question;
  onChange(changes: Partial<Question>): void;
}

const OPTIONS = [
  { value: 'none', label: 'No comparison' },
  { value: 'previous', label: 'Previous period' },
  { value: '-7d', label: 'Week before' },
  { value: '-28d', label: '4 weeks before' },
  { value: '-1y', label: 'Year before' },
  { value: 'custom', label: 'Custom…' },
];

/** What the period is compared to. Stickiness only knows the period before. */
export function CompareSelect({ question: { kind, compare, compareTo }, onChange }: CompareSelectProps) {
  const [isTyping, setTyping] = useState(false);
  const isKnown = OPTIONS.some(({ value }) => value === compareTo);
  const isCustom = compare && kind === 'trends' && (isTyping || (compareTo !== '' && !isKnown));
  const value = !compare ? 'none' : isCustom ? 'custom' : compareTo === '' ? 'previous' : compareTo;
  const choose = (key: string): void => {
    setTyping(key === 'custom');
    const ago = key.startsWith('-') ? key : key === 'custom' ? compareTo || '-30d' : '';
    onChange({ compare: key !== 'none', compareTo: ago });
  };
  return (
    <>
      <Select
        label="Compare to"
        value={value}
        options={kind === 'trends' ? OPTIONS : OPTIONS.slice(0, 2)}
        onChange={choose}
      />
      {isCustom && (
        <div class="narrow-field">
          <TextField
            label="Days before"
            type="number"
            min={1}
            max={3650}
            value={/^-(\d+)d$/.exec(compareTo)?.[1] ?? ''}
            onInput={(days) => /^[1-9]\d{0,3}$/.test(days) && onChange({ compareTo: `-${days}d` })}
          />
        </div>
      )}
    </>
  );
}
