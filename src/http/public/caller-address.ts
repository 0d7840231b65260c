/** The caller's address as the web framework finds it, for requests that do not go through it. */
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

type TrustProxy = boolean | number | string;

/** `trustProxy`: the setting. */
export function callerAddresses(trustProxy: TrustProxy): (request: IncomingMessage) => string {
  const isTrusted = trustFunction(trustProxy);
  return (request) => proxyAddr(request, isTrusted);
}

function trustFunction(trustProxy: TrustProxy): (address: string, hop: number) => boolean {
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy;
  if (typeof trustProxy === 'boolean') return () => trustProxy;
  return proxyAddr.compile(trustProxy.split(',').map((one) => one.trim()));
}
