/** An S3-compatible store. Larger files go up in pieces, of which one is in memory; the file is there with the last. */
import { open } from 'node:fs/promises';
import { ExportFailure, type ExportTarget } from './export-target.ts';
import { requestS3, type S3Deps } from './s3-request.ts';

/** Amazon wants at least 5 MB, and at most 10,000 pieces: enough for the largest file there is. */
const PIECE_BYTES = 8 * 1024 * 1024;

export function s3Target(deps: S3Deps): ExportTarget {
  return {
    async put(name, { path, bytes }, onUpload) {
      if (bytes <= PIECE_BYTES) {
        await requestS3(deps, { method: 'PUT', key: name, body: await readPiece(path, 0, bytes) });
        return;
      }
      const uploadId = await beginUpload(deps, name);
      await onUpload({ name, uploadId });
      const tags: string[] = [];
      for (let at = 0; at < bytes; at += PIECE_BYTES) {
        const body = await readPiece(path, at, Math.min(PIECE_BYTES, bytes - at));
        const query = { partNumber: String(tags.length + 1), uploadId };
        tags.push((await requestS3(deps, { method: 'PUT', key: name, query, body })).etag);
      }
      await completeUpload(deps, name, uploadId, tags);
      await onUpload(null);
    },
    async delete(name) {
      await requestS3(deps, { method: 'DELETE', key: name }).catch(ignoreMissing);
    },
    async abort({ name, uploadId }) {
      await requestS3(deps, { method: 'DELETE', key: name, query: { uploadId } }).catch(ignoreMissing);
    },
  };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ExportFailure) || !/ 404\b/.test(error.message)) throw error;
}

async function readPiece(path: string, at: number, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const piece = Buffer.alloc(bytes);
    let read = 0;
    while (read < bytes) {
      const { bytesRead } = await file.read(piece, read, bytes - read, at + read);
      if (bytesRead === 0) throw new Error('The file has become shorter.');
      read += bytesRead;
    }
    return piece;
  } finally {
    await file.close();
  }
}

async function beginUpload(deps: S3Deps, name: string): Promise<string> {
  const { text } = await requestS3(deps, { method: 'POST', key: name, query: { uploads: '' } });
  const uploadId = /<UploadId>([^<]{1,2000})<\/UploadId>/.exec(text)?.[1];
  if (uploadId === undefined) throw new ExportFailure('the store began no upload');
  return decodeXml(uploadId);
}

async function completeUpload(deps: S3Deps, name: string, uploadId: string, tags: readonly string[]): Promise<void> {
  const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${encodeXml(tag)}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const { text } = await requestS3(deps, { method: 'POST', key: name, query: { uploadId }, body });
  // Amazon may answer 200 first and fail afterwards.
  if (text.includes('<Error>')) throw new ExportFailure('the store could not put the pieces of a file together');
}

const encodeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const decodeXml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
