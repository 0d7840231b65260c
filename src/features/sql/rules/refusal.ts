/** Why a statement is not run. Messages are Cairn's own: those of the engine may hold paths, names and values. */
export type RefusalCode =
  | 'syntax'
  | 'not_a_select'
  | 'many_statements'
  | 'table_not_allowed'
  | 'function_not_allowed'
  | 'column_unknown'
  | 'bad_parameter'
  | 'too_long'
  | 'too_deep'
  | 'too_large'
  | 'too_slow';

export class SqlRefusal extends Error {
  readonly code: RefusalCode;
  /** In characters of the statement as it came in; undefined if unknown. */
  readonly position: number | undefined;

  constructor(code: RefusalCode, message: string, position?: number) {
    super(message);
    this.name = 'SqlRefusal';
    this.code = code;
    this.position = position;
  }
}
