// Drives a server with the TypeScript SDK v1:
//
//     node v1.mjs --suite=session|survey|files|chunks|editor|kuromajutsu [--transport=stdio|http|sse|ws] [--revision=2025-03-26] [--cwd=directory] -- command [argument…]
//
// The SDK always proposes its latest revision; another one is put in its place
// on the way, and the SDK takes the server's answer to that.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import {
    CallToolResultSchema,
    ElicitRequestSchema,
    LoggingMessageNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceListChangedNotificationSchema,
    ResourceUpdatedNotificationSchema,
    ToolListChangedNotificationSchema
} from '@modelcontextprotocol/sdk/types.js';
import { experimental, Peer } from './peer.mjs';
import { finish, readArguments } from './report.mjs';
import { reach } from './server.mjs';

const options = readArguments({
    suite: { type: 'string' },
    transport: { type: 'string', default: 'stdio' },
    revision: { type: 'string', default: '2025-11-25' },
    cwd: { type: 'string' }
});

const transports = {
    http: server => new StreamableHTTPClientTransport(server.url('/mcp')),
    sse: server => new SSEClientTransport(server.url('/sse')),
    ws: server => new WebSocketClientTransport(server.url('/ws'))
};

const changes = [ToolListChangedNotificationSchema, PromptListChangedNotificationSchema, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema];

class V1 extends Peer {
    modern = false;
    revision = '';

    constructor(capabilities, transport, server) {
        const client = new Client({ name: 'e2e-v1', version: '1.0.0' }, { capabilities: { ...capabilities, experimental } });
        super(client, transport, server);
        const agree = transport.setProtocolVersion?.bind(transport);
        transport.setProtocolVersion = agreed => {
            this.revision = agreed;
            agree?.(agreed);
        };
        if (capabilities.elicitation) {
            client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => this.answer(params, signal));
        }
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => this.logs.add(params));
        for (const schema of changes) client.setNotificationHandler(schema, notification => this.changes.add(notification));
    }

    outgoing(message) {
        if (message.method === 'initialize') message.params.protocolVersion = options.revision;
        return message;
    }

    call(name, args = {}, options = {}) {
        return this.client.callTool({ name, arguments: args }, CallToolResultSchema, options);
    }

    async logLevel(level) {
        await this.client.setLoggingLevel(level);
    }

    // watch returns what ends the watch. Of lists a session is told unasked.
    async watch({ resourceSubscriptions = [] }) {
        for (const uri of resourceSubscriptions) await this.client.subscribeResource({ uri });
        return async () => {
            for (const uri of resourceSubscriptions) await this.client.unsubscribeResource({ uri });
        };
    }
}

async function connect(capabilities = { elicitation: {} }, { args = [], cwd } = {}) {
    const program = { command: options.command, args: [...options.args, ...args], cwd };
    const server = options.transport === 'stdio' ? undefined : await reach(program);
    const transport = server ? transports[options.transport](server) : new StdioClientTransport({ ...program, stderr: 'pipe' });
    const peer = new V1(capabilities, transport, server);
    await peer.connect();
    return peer;
}

const { run } = await import(`./suites/${options.suite}.mjs`);
await run(connect, options);
finish();
