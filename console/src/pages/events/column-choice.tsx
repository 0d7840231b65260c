import { useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Tags } from '../../components/tag-input.tsx';
import { TargetPicker } from '../../components/target-picker.tsx';
import { PROPERTY_NAMES } from '../../lib/friendly-names.ts';
import { useDismiss } from '../../lib/use-dismiss.ts';

interface ColumnChoiceProps {
  /** Event properties. */
  value: readonly string[];
  onChange(value: string[]): void;
}

/** Which event properties are columns. */
export function ColumnChoice({ value, onChange }: ColumnChoiceProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useDismiss(frame, isOpen, () => setOpen(false));
  return (
    <div class="column-choice" ref={frame}>
      <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Columns
      </Button>
      {isOpen && (
        <div class="chip-panel">
          {value.length > 0 && (
            <div class="tags">
              <Tags
                value={value}
                names={PROPERTY_NAMES}
                onRemove={(key) => onChange(value.filter((one) => one !== key))}
              />
            </div>
          )}
          <TargetPicker
            key={value.length}
            label="Add column"
            types={['event']}
            onPick={(target) => target.type === 'event' && onChange([...new Set([...value, target.key])])}
          />
        </div>
      )}
    </div>
  );
}
