// Uses a server that wants access tokens with the TypeScript SDK, v1 or v2, as a user does who agrees to everything:
//
//     node authorization.mjs --sdk=v1|v2 --mode=legacy|auto|2026-07-28 [--user=NAME] [--tokens=N] URL TOOL[={ARGUMENTS}]…
//
// It prints one JSON object: the tools that are listed, what each call answered, the scopes that were asked for, and the
// client that was registered. With --tokens it goes on to call the first tool until N access tokens were received.
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { finish, within } from './report.mjs';

const { values: options, positionals: [url, ...tools] } = parseArgs({
    options: { sdk: { type: 'string' }, mode: { type: 'string' }, user: { type: 'string', default: 'alice' }, tokens: { type: 'string', default: '0' } },
    allowPositionals: true
});
const callback = 'http://localhost:9/callback'; // nobody listens there: the answer is read off the redirection

// User is what an SDK asks of the program that uses it.
class User {
    asked = [];
    received = 0; // access tokens
    #kept = {};
    #cookies = new Map();
    #answer;

    redirectUrl = callback;
    clientMetadata = {
        client_name: 'e2e', redirect_uris: [callback], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
        token_endpoint_auth_method: 'none'
    };
    clientInformation() { return this.#kept.client; }
    saveClientInformation(client) { this.#kept.client = client; }
    tokens() { return this.#kept.tokens; }
    saveTokens(tokens) {
        this.received++;
        this.#kept.tokens = tokens;
    }
    codeVerifier() { return this.#kept.verifier; }
    saveCodeVerifier(verifier) { this.#kept.verifier = verifier; }
    discoveryState() { return this.#kept.discovery; }
    saveDiscoveryState(state) { this.#kept.discovery = state; }

    async redirectToAuthorization(page) {
        this.asked.push(page.searchParams.get('scope'));
        assert.equal(page.searchParams.get('resource'), url);
        page.searchParams.set('login_hint', options.user);
        for (let hops = 0; !page.href.startsWith(callback); hops++) {
            assert.ok(hops < 10, 'too many redirections');
            page = await this.#visit(page);
        }
        this.#answer = page.searchParams;
    }

    // visit returns the URL that a page redirects to. Cookies are kept by name, as there is one authorization server.
    async #visit(page) {
        const cookie = [...this.#cookies].map(pair => pair.join('=')).join('; ');
        const answer = await fetch(page, { redirect: 'manual', headers: { cookie } });
        for (const line of answer.headers.getSetCookie()) {
            const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
            this.#cookies.set(name, value);
        }
        assert.ok(answer.headers.has('location'), `${answer.status} ${await answer.text()}`);
        return new URL(answer.headers.get('location'), page);
    }

    // answered is what the authorization server has answered since the last time.
    answered() {
        const answer = this.#answer;
        this.#answer = undefined;
        return options.sdk === 'v1' ? answer?.get('code') : answer;
    }
}

const user = new User();
let transport;

// authorized tries again after the user has agreed.
async function authorized(action) {
    for (;;) {
        try {
            return await action();
        } catch (error) {
            const answer = user.answered();
            if (!answer) throw error;
            await transport.finishAuth(answer);
        }
    }
}

async function connect() {
    const [Client, Transport] = options.sdk === 'v1' ? [ClientV1, TransportV1] : [v2.Client, v2.StreamableHTTPClientTransport];
    const named = options.mode === 'legacy' || options.mode === 'auto';
    const client = new Client(
        { name: 'e2e', version: '1.0.0' },
        options.sdk === 'v1' ? {} : { versionNegotiation: { mode: named ? options.mode : { pin: options.mode } } }
    );
    transport = new Transport(new URL(url), { authProvider: user });
    await client.connect(transport);
    return client;
}

const client = await within(authorized(connect), 'the connection');
const listed = (await client.listTools()).tools.map(tool => tool.name).sort();
const answers = [];
async function call(tool) {
    const [, name, text] = tool.match(/^([^=]+)=?(.*)$/);
    const result = await within(authorized(() => client.callTool({ name, arguments: JSON.parse(text || '{}') })), name);
    return result.content[0].text;
}
for (const tool of tools) answers.push(await call(tool));
const deadline = Date.now() + 60_000;
while (user.received < Number(options.tokens)) {
    assert.ok(Date.now() < deadline, 'the access token never expired');
    await new Promise(resolve => setTimeout(resolve, 50));
    answers[0] = await call(tools[0]);
}
process.stdout.write(JSON.stringify({ listed, answers, asked: user.asked, client: user.clientInformation()?.client_id }) + '\n');
finish();
