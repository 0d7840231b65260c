export function imagesIn(text: string): { image: string; digest: string | null }[];
export function withDigests(text: string, digests: ReadonlyMap<string, string>): string;
export function findDigest(image: string, registry?: string): Promise<string>;
