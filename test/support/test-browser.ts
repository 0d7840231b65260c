/** Follows redirects and keeps cookies by origin and path, as far as tests of signing in need it. */
interface Cookie {
  name: string;
  value: string;
  path: string;
  attributes: string;
}

export interface Visit {
  status: number;
  /** Where the last redirect led. */
  url: URL;
  /** All that were asked for, with the last. */
  urls: string[];
  headers: Headers;
  text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, and assert what they find
type FreelyReadResponse = Omit<Response, 'json'> & { json(): Promise<any> };

export class TestBrowser {
  readonly #cookies = new Map<string, Cookie>();

  /** Those of one origin, by name. */
  cookie(origin: string, name: string): Cookie | undefined {
    return [...this.#cookies].find(([key, one]) => key.startsWith(`${origin} `) && one.name === name)?.[1];
  }

  setCookie(origin: string, name: string, value: string, path = '/'): void {
    this.#cookies.set(`${origin} ${name} ${path}`, { name, value, path, attributes: '' });
  }

  clear(origin: string): void {
    for (const key of this.#cookies.keys()) if (key.startsWith(`${origin} `)) this.#cookies.delete(key);
  }

  /** The header that a request for this address has. */
  cookiesFor(url: URL): string {
    const isBelow = ({ path }: Cookie) => url.pathname.startsWith(path) || `${url.pathname}/` === path;
    return [...this.#cookies]
      .filter(([key, one]) => key.startsWith(`${url.origin} `) && isBelow(one))
      .map(([, { name, value }]) => `${name}=${value}`)
      .join('; ');
  }

  /** `until`: stops before it asks for such an address. */
  async visit(address: string | URL, until: (url: URL) => boolean = () => false): Promise<Visit> {
    let url = new URL(address);
    const urls: string[] = [];
    for (let i = 0; i < 20; i++) {
      urls.push(url.href);
      const response = await this.fetch(url);
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null) return { status: response.status, url, urls, headers: response.headers, text };
      url = new URL(location, url);
      if (until(url)) return { status: response.status, url, urls, headers: response.headers, text };
    }
    throw new Error(`Too many redirects: ${urls.join(' ')}`);
  }

  async fetch(url: URL, init: RequestInit = {}): Promise<FreelyReadResponse> {
    const headers = { cookie: this.cookiesFor(url), ...(init.headers as Record<string, string>) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(url.origin, line);
    return response;
  }

  #keep(origin: string, line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const at = pair.indexOf('=');
    const cookie = { name: pair.slice(0, at), value: pair.slice(at + 1), path: '/', attributes: attributes.join('; ') };
    for (const one of attributes) if (/^path=/i.test(one)) cookie.path = one.slice(5);
    const key = `${origin} ${cookie.name} ${cookie.path}`;
    const isGone = /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie.attributes);
    if (isGone) this.#cookies.delete(key);
    else this.#cookies.set(key, cookie);
  }
}
