/** Lets the browser save a file that was made in the page. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser needs the URL until it has started saving.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
