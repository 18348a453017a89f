// A client made with the TypeScript SDK: connects to the address that it is
// given, lets itself be asked, works, listens, and writes what it got as JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [address, token, modules] = process.argv.slice(2);
const require = createRequire(pathToFileURL(modules + '/'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { ElicitRequestSchema, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } = require('@modelcontextprotocol/sdk/types.js');

const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Node' } }));
const told = what => new Promise(resolve => client.setNotificationHandler(what, ({ params }) => resolve(params?.uri ?? 'list')));
const changed = told(ResourceListChangedNotificationSchema);
const updated = told(ResourceUpdatedNotificationSchema);
const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
await client.connect(transport);

const text = async (name, args = {}, options = {}) => (await client.callTool({ name, arguments: args }, undefined, options)).content[0].text;
const got = { who: [], signed: [], progress: 0 };
for (let i = 0; i < 6; i++) got.who.push(await text('who'));
for (let i = 0; i < 4; i++) got.signed.push(await text('sign'));
got.worked = await text('work', { job: 'sdk', seconds: 0.5 }, { onprogress: () => got.progress++ });
await text('write', { name: 'sdk', text: 'new' });
got.changed = await changed;
await client.subscribeResource({ uri: 'note://sdk' });
await text('write', { name: 'sdk', text: 'newer' });
got.updated = await updated;
got.read = (await client.readResource({ uri: 'note://sdk' })).contents[0].text;
await transport.terminateSession();
await client.close();
console.log(JSON.stringify(got));
