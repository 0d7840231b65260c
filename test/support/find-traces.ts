/** Searches a data folder for what must not be kept, in every form in which it could be. */
import { scanFiles } from '../../src/lib/scan-files.ts';

/** As text, in hexadecimal, and in base64 wherever it may begin in a longer text. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // Its first and last characters depend on what is around it.
    const own = encoded.slice(before === 0 ? 0 : before + 1, -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [text, hex, hex.toUpperCase(), ...base64];
}

/**
 * `text: file, …` for each text that is there in some form. Throws where `kept`, which must be there, is not found either:
 * then the search would prove nothing.
 */
export async function findTraces(folder: string, texts: readonly string[], kept: string): Promise<string[]> {
  const forms = texts.flatMap((text) => formsOf(text).map((form) => ({ text, form })));
  const { found } = await scanFiles(folder, [kept, ...forms.map(({ form }) => form)]);
  if (!found.has(kept)) throw new Error(`"${kept}" is not in ${folder}: the search finds nothing at all.`);
  return forms.flatMap(({ text, form }) => {
    const files = found.get(form);
    return files === undefined ? [] : [`${text}: ${files.join(', ')}`];
  });
}
