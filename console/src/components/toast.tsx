import './toast.css';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { Button } from './button.tsx';

interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad';
}

const SHOWN_MS = 6000;
let shown: readonly Toast[] = [];
let lastId = 0;
let render: (toasts: readonly Toast[]) => void = () => undefined;

function change(toasts: readonly Toast[]): void {
  shown = toasts;
  render(shown);
}

const dismiss = (id: number): void => change(shown.filter((one) => one.id !== id));

/** Errors stay until they are dismissed. */
export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = ++lastId;
  change([...shown.slice(-3), { id, text, tone }]);
  if (tone === 'good') setTimeout(() => dismiss(id), SHOWN_MS);
}

export const toastError = (error: unknown): void => toast(messageOf(error), 'bad');

export function Toasts() {
  const [toasts, setToasts] = useState(shown);
  useEffect(() => {
    render = setToasts;
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, tone }) => (
        <div key={id} class={`toast tone-${tone}`}>
          <span>{text}</span>
          <Button kind="quiet" small onClick={() => dismiss(id)}>
            Close
          </Button>
        </div>
      ))}
    </div>
  );
}
