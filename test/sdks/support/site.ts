/** Somebody else's web site, on another origin than the server, with an SDK in its pages. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Site {
  /** By the name `localhost`, so that it is another site for browsers than the server at 127.0.0.1. */
  url: string;
  /** Shows a page, and says where. */
  show(html: string): string;
  /** Serves a script, and says where. */
  serve(file: string): string;
  close(): Promise<void>;
}

export async function openSite(): Promise<Site> {
  const pages = new Map<string, string>();
  const scripts = new Map<string, string>();
  const server = createServer(({ url = '' }, response) => {
    const html = pages.get(url);
    const script = scripts.get(url);
    if (html !== undefined) response.setHeader('content-type', 'text/html').end(html);
    else if (script !== undefined) response.setHeader('content-type', 'text/javascript').end(readFileSync(script));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const put = (things: Map<string, string>, name: string, thing: string): string => {
    things.set(`/${name}`, thing);
    return `${origin}/${name}`;
  };
  return {
    url: origin,
    show: (html) => put(pages, `page-${pages.size}`, html),
    serve: (file) => put(scripts, `script-${scripts.size}.js`, file),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** As the snippet of the installation guide does it: what the page asks before the SDK is there waits in a list. */
export const pageWithSnippet = (script: string, key: string, config: object): string => `<!doctype html>
  <html><head><title>Shop</title><link rel="icon" href="data:,"></head>
  <body><h1>Shop</h1><button id="buy" class="large button">Buy</button>
  <script>
    window.posthog = [];
    posthog._i = [[${JSON.stringify(key)}, Object.assign(${JSON.stringify(config)}, {
      loaded: (sdk) => {
        window.firstId = sdk.get_distinct_id();
        if ((sdk.config.bootstrap || {}).featureFlags) window.firstFlag = sdk.getFeatureFlag('on', { send_event: false });
        sdk.onFeatureFlags(() => { window.hasFlags = true; });
      },
    }), 'posthog']];
    posthog.__SV = 1;
    posthog.push(['capture', 'said early', { n: 0 }]);
  </script>
  <script src="${script}" crossorigin></script></body></html>`;
