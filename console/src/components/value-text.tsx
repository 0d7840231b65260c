/** A value that somebody captured, on one line: texts as they are, anything else as JSON. Nothing but text either way. */
export const ValueText = ({ value }: { value: unknown }) =>
  typeof value === 'string' ? (
    <span>{value === '' ? <i class="soft">empty text</i> : value}</span>
  ) : (
    <code>{JSON.stringify(value) ?? ''}</code>
  );
