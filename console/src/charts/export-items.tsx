import { toast, toastError } from '../components/toast.tsx';
import { writeClipboard } from '../lib/clipboard.ts';
import { saveFile } from '../lib/save-file.ts';

interface ExportItemsProps {
  /** Of the files. */
  name: string;
  /** Where the server gives the same numbers as CSV. */
  csv: string;
  /** The address of this chart. */
  link: string;
  /** What the picture shows. */
  picture(): HTMLElement | null;
}

/** Items of a menu: every chart has them. */
export function ExportItems({ name, csv, link, picture }: ExportItemsProps) {
  const savePicture = async (): Promise<void> => {
    const element = picture();
    if (element === null) return;
    const { paintPng } = await import('./paint-png.ts');
    saveFile(await paintPng(element), `${name}.png`);
  };
  const copy = async (): Promise<void> => {
    await writeClipboard(new URL(link, location.href).href);
    toast('Link copied.');
  };
  return (
    <>
      <a href={csv} download={`${name}.csv`}>
        Export CSV
      </a>
      <button type="button" onClick={() => void savePicture().catch(toastError)}>
        Save as PNG
      </button>
      <button
        type="button"
        onClick={() => void copy().catch(() => toastError(new Error('The browser blocked copying the link.')))}
      >
        Copy link
      </button>
    </>
  );
}
