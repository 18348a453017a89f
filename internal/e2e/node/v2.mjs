// Drives a server with the TypeScript SDK v2:
//
//     node v2.mjs --suite=session|survey|files --mode=legacy|auto|2026-07-28 [--cwd=directory] -- command [argument…]
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Peer } from './peer.mjs';
import { finish, readArguments } from './report.mjs';

const options = readArguments({
    suite: { type: 'string' },
    mode: { type: 'string' },
    cwd: { type: 'string' }
});
const named = options.mode === 'legacy' || options.mode === 'auto';

class V2 extends Peer {
    #level;

    constructor(capabilities, server) {
        const client = new Client(
            { name: 'e2e-v2', version: '1.0.0' },
            { capabilities, versionNegotiation: { mode: named ? options.mode : { pin: options.mode } } }
        );
        super(client, new StdioClientTransport({ ...server, stderr: 'pipe' }));
        if (capabilities.elicitation) {
            client.setRequestHandler('elicitation/create', ({ params }, context) => this.answer(params, context.mcpReq?.signal));
        }
        client.setNotificationHandler('notifications/message', ({ params }) => this.logs.add(params));
        client.setNotificationHandler('notifications/tools/list_changed', notification => this.changes.add(notification));
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

    // watchTools returns what ends the watch.
    async watchTools() {
        if (!this.modern) return async () => {};
        const subscription = await this.client.listen({ toolsListChanged: true });
        return () => subscription.close();
    }
}

async function connect(capabilities = { elicitation: { form: {} } }, { args = [], cwd } = {}) {
    const peer = new V2(capabilities, { command: options.command, args: [...options.args, ...args], cwd });
    await peer.connect();
    return peer;
}

const { run } = await import(`./suites/${options.suite}.mjs`);
await run(connect, { ...options, revision: options.mode === 'legacy' ? '2025-11-25' : '2026-07-28' });
finish();
