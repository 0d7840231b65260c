/** A DNS server on this machine that knows TXT records. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface DnsServer {
  /** Address and port. */
  address: string;
  /** Name → values. */
  records: Map<string, string[]>;
  close(): Promise<void>;
}

const NAME_ERROR = 3;

export async function startDnsServer(): Promise<DnsServer> {
  const records = new Map<string, string[]>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => socket.send(answer(query, records), from.port, from.address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** RFC 1035: the header, the question as it was asked, and an answer for each value. */
function answer(query: Buffer, records: ReadonlyMap<string, string[]>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('ascii'));
    at += length + 1;
  }
  const question = query.subarray(12, at + 5);
  const values = records.get(labels.join('.').toLowerCase()) ?? [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (values.length === 0 ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(values.length, 6);
  return Buffer.concat([header, question, ...values.map(txtRecord)]);
}

function txtRecord(value: string): Buffer {
  const text = Buffer.from(value);
  const fixed = Buffer.from([0xc0, 0x0c, 0, 16, 0, 1, 0, 0, 0, 1]);
  const length = Buffer.alloc(3);
  length.writeUInt16BE(text.length + 1, 0);
  length.writeUInt8(text.length, 2);
  return Buffer.concat([fixed, length, text]);
}
