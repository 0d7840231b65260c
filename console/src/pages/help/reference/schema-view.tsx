import { limitsText, objectIn, type Schema, typeText } from './openapi.ts';

/** Deeper fields are rare, and described by the text of their parents. */
const MAX_DEPTH = 3;

/** Text with code between backticks. */
export const Described = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);

interface FieldsProps {
  schema: Schema;
  depth?: number;
}

export function Fields({ schema, depth = 1 }: FieldsProps) {
  const found = objectIn(schema);
  if (!found) return <p class="muted">{typeText(schema)}</p>;
  return (
    <ul class="api-fields">
      {Object.entries(found.properties ?? {}).map(([name, field]) => (
        <FieldLine
          key={name}
          name={name}
          schema={field}
          isRequired={found.required?.includes(name) ?? false}
          depth={depth}
        />
      ))}
    </ul>
  );
}

interface FieldLineProps {
  name: string;
  schema: Schema;
  isRequired: boolean;
  description?: string | undefined;
  depth?: number;
}

export function FieldLine({ name, schema, isRequired, description, depth = MAX_DEPTH }: FieldLineProps) {
  const text = description ?? schema.description;
  const limits = limitsText(schema);
  return (
    <li>
      <code>{name}</code> <span class="muted">{typeText(schema)}</span>
      {isRequired && <span class="required"> required</span>}
      {limits && <span class="muted">, {limits}</span>}
      {text && (
        <p>
          <Described text={text} />
        </p>
      )}
      {depth < MAX_DEPTH && objectIn(schema) && <Fields schema={schema} depth={depth + 1} />}
    </li>
  );
}
