/** Errors of a whole V1 request. */
type V1ErrorTag =
  | 'missing_required_headers'
  | 'invalid_header_value'
  | 'request_parsing_error'
  | 'empty_body'
  | 'empty_batch'
  | 'invalid_batch'
  | 'missing_authorization'
  | 'invalid_api_token'
  | 'payload_too_large'
  | 'unsupported_content_type'
  | 'unsupported_encoding'
  | 'service_unavailable';

const STATUS: Record<V1ErrorTag, number> = {
  missing_required_headers: 400,
  invalid_header_value: 400,
  request_parsing_error: 400,
  empty_body: 400,
  empty_batch: 400,
  invalid_batch: 400,
  missing_authorization: 401,
  invalid_api_token: 401,
  payload_too_large: 413,
  unsupported_content_type: 415,
  unsupported_encoding: 415,
  service_unavailable: 503,
};

/** V1 has its own error body; a `Failure` would lose the tag. */
export class V1Error extends Error {
  readonly tag: V1ErrorTag;
  readonly status: number;
  readonly body: { error: V1ErrorTag; error_description: string; error_uri: string | null };

  constructor(tag: V1ErrorTag, description: string, options?: ErrorOptions) {
    super(description, options);
    this.name = 'V1Error';
    this.tag = tag;
    this.status = STATUS[tag];
    this.body = { error: tag, error_description: description, error_uri: null };
  }
}
