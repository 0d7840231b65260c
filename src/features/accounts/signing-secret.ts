/** Secrets of the installation with which cookies are signed: made when first needed, the same for all nodes. */
import type { Ids } from '../../lib/ids.ts';
import { isSameSecret, signature } from '../../lib/secrets.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface SigningDeps {
  metadata: Pick<MetadataStore, 'installation'>;
  ids: Ids;
}

export class SigningSecret {
  readonly #deps: SigningDeps;
  readonly #name: string;
  #known: string | null = null;

  constructor(deps: SigningDeps, name: string) {
    this.#deps = deps;
    this.#name = name;
  }

  async sign(text: string): Promise<string> {
    const { metadata, ids } = this.#deps;
    this.#known ??= await metadata.installation.getOrAdd(this.#name, ids.token(''));
    return signature(this.#known, text);
  }

  async isSignatureOf(text: string, signed: string): Promise<boolean> {
    return isSameSecret(signed, await this.sign(text));
  }
}
