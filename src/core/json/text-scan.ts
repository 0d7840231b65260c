/** The end of the JSON string that opens at `quote`: after its closing quote, or the end of the text. */
export function endOfString(text: string, quote: number): number {
  for (let i = quote + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) return i + 1;
    if (code === 92) i++;
  }
  return text.length;
}
