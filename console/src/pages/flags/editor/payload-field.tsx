import { TextArea } from '../../../components/field.tsx';
import type { Filters } from '../model/filters.ts';
import { payloadAdvice, payloadOf, setPayload } from '../model/variants.ts';

interface PayloadProps {
  label: string;
  /** The key of the variant, or `true`. */
  variant: string;
  filters: Filters;
  onChange(change: (filters: Filters) => Filters): void;
}

export function Payload({ label, variant, filters, onChange }: PayloadProps) {
  const text = payloadOf(filters, variant);
  return (
    <TextArea
      label={label}
      isCode
      rows={Math.min(10, Math.max(2, text.split('\n').length))}
      placeholder='{"limit": 5}'
      hint={payloadAdvice(text) ?? 'JSON or plain text, or leave it empty.'}
      value={text}
      onInput={(next) => onChange((before) => setPayload(before, variant, next))}
    />
  );
}
