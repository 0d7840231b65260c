export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A whole number that a double would round is a bigint, see `parseExact`. */
export const isJsonNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
