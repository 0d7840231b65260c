import { notFound } from '../core/errors.ts';

/** The number of a thing in a path; a text that is none names nothing. */
export function idFromPath(params: Readonly<Record<string, string>>): number {
  const id = params['id'] ?? '';
  if (!/^\d{1,15}$/.test(id)) throw notFound();
  return Number(id);
}
