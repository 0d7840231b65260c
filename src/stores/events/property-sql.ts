/** What both event dialects share: bound values and reading properties. */
import { isHotProperty } from '../../core/events/hot-properties.ts';
import { PERSON_PROPERTIES } from './dialect.ts';
import type { SqlValue } from './event-store.ts';
import { type PropertyReading, propertyPlaceholder } from './property-placeholders.ts';

export abstract class PropertySql {
  readonly #values: SqlValue[] = [];
  /** For the columns of events: the alias with a dot, or empty. */
  protected readonly prefix: string;

  constructor(table: string | undefined) {
    this.prefix = table === undefined ? '' : `${table}.`;
  }

  get values(): readonly SqlValue[] {
    return this.#values;
  }

  param(value: SqlValue): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }

  property(key: string, json?: string): string {
    if (json === undefined && isHotProperty(key)) return `${this.prefix}"${key}"`;
    return this.#read('value', key, json);
  }

  text(key: string, json?: string): string {
    return this.#read('text', key, json);
  }

  hasKey(key: string, json?: string): string {
    return this.#read('key', key, json);
  }

  hasProperty(key: string): string {
    return `(${this.property(key)} is not null)`;
  }

  protected abstract readFrom(json: string, reading: PropertyReading, key: string): string;

  /** Properties that may have a promoted column are resolved when the statement runs. */
  #read(reading: PropertyReading, key: string, json: string | undefined): string {
    if (json === undefined) return propertyPlaceholder(reading, 'event', this.prefix, key);
    if (json === PERSON_PROPERTIES) return propertyPlaceholder(reading, 'person', 'p.', key);
    return this.readFrom(json, reading, key);
  }
}
