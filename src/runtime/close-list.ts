/** What has been opened, in order; closed from the last to the first. */
export type CloseList = (() => Promise<void> | void)[];

/** One that cannot be closed does not keep the others open. */
export async function closeAll(list: CloseList): Promise<void> {
  const errors: unknown[] = [];
  for (const close of list.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Not all was closed.');
}
