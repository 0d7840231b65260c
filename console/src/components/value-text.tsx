/** A captured value: texts as they are, anything else as JSON. */
export const ValueText = ({ value }: { value: unknown }) =>
  typeof value === 'string' ? (
    <span>{value === '' ? <i class="muted">Empty string</i> : value}</span>
  ) : (
    <code>{JSON.stringify(value) ?? ''}</code>
  );
