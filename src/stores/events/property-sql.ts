/** What the dialects of both engines of events have in common: bound values, and where a property is read from. */
import { isHotProperty } from '../../core/events/hot-properties.ts';
import { PERSON_PROPERTIES } from './dialect.ts';
import type { SqlValue } from './event-store.ts';
import { type PropertyReading, propertyPlaceholder } from './property-placeholders.ts';

export abstract class PropertySql {
  readonly #values: SqlValue[] = [];
  /** Of the columns of events. */
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

  /** Reads a key of any JSON. */
  protected abstract readFrom(json: string, reading: PropertyReading, key: string): string;

  /** What may lie in a column of its own is left open until the statement runs. */
  #read(reading: PropertyReading, key: string, json: string | undefined): string {
    if (json === undefined) return propertyPlaceholder(reading, 'event', this.prefix, key);
    if (json === PERSON_PROPERTIES) return propertyPlaceholder(reading, 'person', 'p.', key);
    return this.readFrom(json, reading, key);
  }
}
