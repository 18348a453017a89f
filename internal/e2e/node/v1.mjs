// Drives a server with the TypeScript SDK v1:
//
//     node v1.mjs --suite=session|survey|files [--revision=2025-03-26] [--cwd=directory] -- command [argument…]
//
// The SDK always proposes its latest revision; another one is put in its place
// on the way, and the SDK takes the server's answer to that.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
    CallToolResultSchema,
    ElicitRequestSchema,
    LoggingMessageNotificationSchema,
    ToolListChangedNotificationSchema
} from '@modelcontextprotocol/sdk/types.js';
import { Peer } from './peer.mjs';
import { finish, readArguments } from './report.mjs';

const options = readArguments({
    suite: { type: 'string' },
    revision: { type: 'string', default: '2025-11-25' },
    cwd: { type: 'string' }
});

class V1 extends Peer {
    modern = false;
    revision = '';

    constructor(capabilities, server) {
        const client = new Client({ name: 'e2e-v1', version: '1.0.0' }, { capabilities });
        const transport = new StdioClientTransport({ ...server, stderr: 'pipe' });
        super(client, transport);
        transport.setProtocolVersion = agreed => (this.revision = agreed);
        if (capabilities.elicitation) {
            client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => this.answer(params, signal));
        }
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => this.logs.add(params));
        client.setNotificationHandler(ToolListChangedNotificationSchema, notification => this.changes.add(notification));
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

    // watchTools has nothing to do: a session is told of changes unasked.
    async watchTools() {
        return async () => {};
    }
}

async function connect(capabilities = { elicitation: {} }, { args = [], cwd } = {}) {
    const peer = new V1(capabilities, { command: options.command, args: [...options.args, ...args], cwd });
    await peer.connect();
    return peer;
}

const { run } = await import(`./suites/${options.suite}.mjs`);
await run(connect, options);
finish();
