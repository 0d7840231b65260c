/** A file of the ingest log that is not what was written. */
export class DamagedLog extends Error {
  readonly code = 'LOG_DAMAGED';

  constructor(path: string, what: string) {
    super(
      `The ingest log ${path} is damaged (${what}). Restore a backup (cairn restore FILE --replace), or move it aside: ` +
        'its events that were not processed yet are then lost.',
    );
    this.name = 'DamagedLog';
  }
}
