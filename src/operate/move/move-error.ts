/** Something that whoever moves has to see to; it is shown without a stack. */
export class MoveError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MoverError';
  }
}
