import './property-list.css';
import { PropertyName } from './names.tsx';
import { ValueText } from './value-text.tsx';

/** Custom properties first, then those that SDKs set, which begin with a $. */
export function sortProperties(properties: Readonly<Record<string, unknown>>): [string, unknown][] {
  const rank = (key: string): number => (key.startsWith('$') ? 1 : 0);
  return Object.entries(properties).sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
}

/** Properties by name and value, with the raw names. */
export function PropertyList({ properties, label }: { properties: Readonly<Record<string, unknown>>; label: string }) {
  return (
    <section aria-label={label}>
      <dl class="property-list">
        {sortProperties(properties).map(([key, value]) => (
          <div key={key}>
            <dt>
              <PropertyName name={key} hasRaw />
            </dt>
            <dd>
              <ValueText value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
