// Calls a tool of a server in a trace, with the TypeScript SDK v2, and prints its answer:
//
//     node traced.mjs URL legacy|auto TRACEPARENT TOOL NAME
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, mode, traceparent, tool, name] = process.argv.slice(2);
const client = new Client({ name: 'e2e-traced', version: '1.0.0' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const result = await client.callTool({ name: tool, arguments: { name }, _meta: { traceparent } });
console.log(result.content[0].text);
await client.close();
