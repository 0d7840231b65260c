/** Where the installation keeps the time of the last backup that was written and read back. */
export const LAST_BACKUP = 'last_backup_at';
