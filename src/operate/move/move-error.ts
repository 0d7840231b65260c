/** Something that the operator has to fix; shown without a stack. */
export class MoveError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MoverError';
  }
}
