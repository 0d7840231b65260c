/** Copies what a running server needs into the folder; returns its size in bytes. */
export function pack(folder: string): number;
