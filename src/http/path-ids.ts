import { notFound } from '../core/errors.ts';
import { parseId } from '../core/parse-id.ts';

/** The id in a path; nothing is found under what is no id. */
export function idFromPath(params: Readonly<Record<string, string>>): number {
  const id = parseId(params['id']);
  if (id === null) throw notFound();
  return id;
}
