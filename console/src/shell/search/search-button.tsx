import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { toastError } from '../../components/toast.tsx';

type SearchDialog = ComponentType<{ onClose(): void }>;

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Ctrl+K opens the search from anywhere; its code is loaded the first time. */
export function SearchButton() {
  const [Dialog, setDialog] = useState<SearchDialog | null>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(isMac ? event.metaKey : event.ctrlKey) || event.shiftKey) return;
      event.preventDefault();
      // Not over another dialog, which it would replace without asking.
      if (document.querySelector('dialog[open]') === null) setOpen(true);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  useEffect(() => {
    if (!isOpen || Dialog) return;
    import('./search-dialog.tsx').then(({ SearchDialog }) => setDialog(() => SearchDialog), toastError);
  }, [isOpen, Dialog]);
  return (
    <>
      <button type="button" class="nav-item search-button" title="Search" onClick={() => setOpen(true)}>
        <Icon name="search" />
        <span class="nav-label">Search</span>
        <kbd class="nav-label">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && Dialog && <Dialog onClose={() => setOpen(false)} />}
    </>
  );
}
