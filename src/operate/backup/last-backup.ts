/** The key in the installation store for the time of the last verified backup. */
export const LAST_BACKUP = 'last_backup_at';
