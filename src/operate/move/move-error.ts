/** Something that whoever moves has to see to; it is shown without a stack. */
export class MoverError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MoverError';
  }
}
