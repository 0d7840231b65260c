import { eventLabel, propertyLabel } from '../lib/friendly-names.ts';

interface NameProps {
  /** The raw name. */
  name: string;
  /** Also shows the raw name beside the label; otherwise only its tooltip has it. */
  hasRaw?: boolean;
}

const Name = ({ name, label, hasRaw = false }: NameProps & { label: string }) => (
  <span class="name-label" title={name}>
    {label}
    {hasRaw && label !== name && [' ', <code class="raw-name">{name}</code>]}
  </span>
);

export const EventName = (props: NameProps) => <Name {...props} label={eventLabel(props.name)} />;
export const PropertyName = (props: NameProps) => <Name {...props} label={propertyLabel(props.name)} />;
