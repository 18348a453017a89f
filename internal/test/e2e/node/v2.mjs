// Drives a server with the TypeScript SDK v2:
//
//     node v2.mjs --suite=session|survey|files|chunks|editor|kuromajutsu --mode=legacy|auto|2026-07-28 [--transport=stdio|http|sse] [--cwd=directory] -- command [argument…]
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { experimental, Peer } from './peer.mjs';
import { finish, readArguments } from './report.mjs';
import { reach } from './server.mjs';

const options = readArguments({
    suite: { type: 'string' },
    mode: { type: 'string' },
    transport: { type: 'string', default: 'stdio' },
    cwd: { type: 'string' }
});
const named = options.mode === 'legacy' || options.mode === 'auto';

const transports = {
    http: server => new StreamableHTTPClientTransport(server.url('/mcp')),
    sse: server => new SSEClientTransport(server.url('/sse'))
};

const changes = ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed', 'resources/updated'];

class V2 extends Peer {
    #level;

    constructor(capabilities, transport, server) {
        const client = new Client(
            { name: 'e2e-v2', version: '1.0.0' },
            { capabilities: { ...capabilities, experimental }, versionNegotiation: { mode: named ? options.mode : { pin: options.mode } } }
        );
        super(client, transport, server);
        if (capabilities.elicitation) {
            client.setRequestHandler('elicitation/create', ({ params }, context) => this.answer(params, context.mcpReq?.signal));
        }
        client.setNotificationHandler('notifications/message', ({ params }) => this.logs.add(params));
        for (const name of changes) client.setNotificationHandler(`notifications/${name}`, notification => this.changes.add(notification));
    }

    get modern() {
        return this.client.getProtocolEra() === 'modern';
    }

    get revision() {
        return this.client.getNegotiatedProtocolVersion();
    }

    call(name, args = {}, options = {}) {
        const params = { name, arguments: args };
        if (this.#level) params._meta = { 'io.modelcontextprotocol/logLevel': this.#level };
        return this.client.callTool(params, options);
    }

    // logLevel is asked for once in a session; otherwise every request says it.
    async logLevel(level) {
        if (this.modern) this.#level = level;
        else await this.client.setLoggingLevel(level);
    }

    // watch returns what ends the watch.
    async watch(filter) {
        if (this.modern) {
            const subscription = await this.client.listen(filter);
            return () => subscription.close();
        }
        const { resourceSubscriptions = [] } = filter;
        for (const uri of resourceSubscriptions) await this.client.subscribeResource({ uri });
        return async () => {
            for (const uri of resourceSubscriptions) await this.client.unsubscribeResource({ uri });
        };
    }
}

async function connect(capabilities = { elicitation: { form: {} } }, { args = [], cwd } = {}) {
    const program = { command: options.command, args: [...options.args, ...args], cwd };
    const server = options.transport === 'stdio' ? undefined : await reach(program);
    const transport = server ? transports[options.transport](server) : new StdioClientTransport({ ...program, stderr: 'pipe' });
    const peer = new V2(capabilities, transport, server);
    await peer.connect();
    return peer;
}

const { run } = await import(`./suites/${options.suite}.mjs`);
await run(connect, { ...options, revision: options.mode === 'legacy' ? '2025-11-25' : '2026-07-28' });
finish();
