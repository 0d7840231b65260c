/** Importing flags of other products. */
import type { Static } from '@sinclair/typebox';
import type {
  FlagImportRequestSchema,
  FlagImportSchema,
} from '../../../src/features/promotion/api/flag-import-schemas.ts';
import { projectPath, request } from './request.ts';

export type FlagImport = Static<typeof FlagImportSchema>;
type FlagImportRequest = Static<typeof FlagImportRequestSchema>;
export type ImportSource = FlagImportRequest['source'];
/** Without `confirm`, it is only planned. */
export type ImportOptions = Pick<FlagImportRequest, 'source' | 'environment' | 'keep_people' | 'accept' | 'confirm'>;

/** `data` is the JSON of the export. It is sent as it is, so that long numbers keep their digits. */
export const importFlags = (
  projectId: number,
  options: ImportOptions,
  data: string,
  signal?: AbortSignal,
): Promise<FlagImport> => {
  const json = `${JSON.stringify(options).slice(0, -1)},"data":${data}}`;
  return request<FlagImport>('POST', projectPath(projectId, 'flags_import'), { json, signal });
};
