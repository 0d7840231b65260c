import { parseMultipart, parseUrlEncoded } from '../../admission/forms.ts';
import { malformed } from './decode-failures.ts';
import { unwrapBase64 } from './unwrap-base64.ts';

interface Form {
  /** The payload, still encoded; undefined where there is no such field. */
  data: Buffer | undefined;
  /** The other fields: `api_key`, `token`, `project_id`, `sent_at`, `compression`, … */
  fields: ReadonlyMap<string, string>;
}

type FormType = 'urlencoded' | 'multipart';

export function formTypeOf(contentType: string): FormType | undefined {
  const name = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (name === 'application/x-www-form-urlencoded') return 'urlencoded';
  return name === 'multipart/form-data' ? 'multipart' : undefined;
}

export async function readForm(type: FormType, contentType: string, body: Buffer): Promise<Form> {
  return type === 'urlencoded' ? readUrlEncoded(body) : await readMultipart(contentType, body);
}

function readUrlEncoded(body: Buffer): Form {
  const fields = new Map(parseUrlEncoded(body));
  const data = fields.get('data');
  fields.delete('data');
  if (data !== undefined) return { data: Buffer.from(data, 'utf8'), fields };
  // Some clients send the value without the field's name.
  return unwrapBase64(body) === undefined ? { data, fields } : { data: body, fields: new Map() };
}

/** Sent by browsers and Python's `requests`. */
async function readMultipart(contentType: string, body: Buffer): Promise<Form> {
  const fields = new Map<string, string>();
  let data: Buffer | undefined;
  for (const [name, value] of await fieldsOf(contentType, body)) {
    const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(await value.arrayBuffer());
    if (name === 'data') data = bytes;
    else fields.set(name, bytes.toString('utf8'));
  }
  return { data, fields };
}

async function fieldsOf(contentType: string, body: Buffer): Promise<FormData> {
  try {
    return await parseMultipart(body, contentType);
  } catch (error) {
    throw malformed('the multipart form cannot be read', error);
  }
}
