/** Puts what a running server needs into the folder; says how many bytes that is. */
export function pack(folder: string): number;
