/** Evaluates flags of other products with their own SDKs, in the process of the command line: a server does not load them. */
import { invalid } from '../core/errors.ts';
import { isJsonObject } from '../core/json/json.ts';
import type { ComparedUser } from '../features/promotion/rules/import/compare-users.ts';
import type { ImportSource } from '../features/promotion/rules/import/import-source.ts';
import { type ImportProof, verifyImport } from '../features/promotion/verify/verify-import.ts';
import { parseJsonFile } from './parse-json-file.ts';

interface TextsToVerify {
  source: ImportSource;
  text: string;
  environment: string;
  /** JSON of `[{distinct_id, properties}]`; null: users are made. */
  contexts: string | null;
  now: number;
}

export async function verifyVendorFlags({ text, contexts, ...asked }: TextsToVerify): Promise<ImportProof> {
  const data = parseJsonFile('file', text);
  if (!isJsonObject(data)) throw invalid('data', 'The file is no JSON object.');
  return verifyImport({ ...asked, data, users: contexts === null ? null : readUsers(contexts) });
}

function readUsers(text: string): ComparedUser[] {
  const list = parseJsonFile('contexts', text);
  if (!Array.isArray(list) || list.length === 0)
    throw invalid('contexts', 'Contexts are a list with at least one user.');
  return list.map((one, at) => {
    const { distinct_id: distinctId = null, properties = {} } = isJsonObject(one) ? one : {};
    if (typeof distinctId !== 'string' || !isJsonObject(properties))
      throw invalid('contexts', `Context ${at + 1} is not {"distinct_id": "…", "properties": {…}}.`);
    return { distinctId, properties };
  });
}
