import { createInterface } from 'node:readline';
import { History } from './history.mjs';

// experimental has the capability by which the clients ask for structured content.
export const experimental = { 'io.github.dougu-go/structuredContent': {} };

// Peer is a client with its server, seen from both sides: what the client
// returns, what goes over the wire, and what the server writes to standard
// error. A subclass says what its client does in its own way.
export class Peer {
    // wire has every message, {from: 'client' | 'server', message}.
    wire = new History();
    // stderr has the lines of the server's standard error.
    stderr = new History();
    // logs has the params of the log messages that reached the client's handler.
    logs = new History();
    // changes has the notifications of changed lists and resources that did.
    changes = new History();
    // errors has what the transport complained about, such as a line on
    // standard output that is no message.
    errors = new History();

    // answer is given the params of every question that the server asks.
    answer = () => {
        throw new Error('an unexpected question');
    };

    // alter may change a message of the server before the client sees it.
    alter = message => message;

    // outgoing may change a message of the client before the server sees it.
    outgoing(message) {
        return message;
    }

    // A transport with a process of its own has no server beside it.
    constructor(client, transport, server) {
        this.client = client;
        this.transport = transport;
        this.server = server;
        if (server) this.stderr = server.stderr;
        else createInterface({ input: transport.stderr }).on('line', line => this.stderr.add(line));
    }

    // process is that of the server.
    get process() {
        return this.server?.process ?? this.transport._process;
    }

    // connect opens the connection and listens in on it.
    async connect() {
        const { client, transport } = this;
        const send = transport.send.bind(transport);
        transport.send = (message, ...rest) => {
            const sent = this.outgoing(message);
            this.wire.add({ from: 'client', message: structuredClone(sent) });
            return send(sent, ...rest);
        };
        transport.onerror = error => this.errors.add([error, error?.cause].filter(Boolean).map(String).join(', for ')); // the client adds its own to it
        await client.connect(transport);
        const receive = transport.onmessage;
        transport.onmessage = (message, ...rest) => {
            this.wire.add({ from: 'server', message: structuredClone(message) });
            receive(this.alter(message), ...rest);
        };
    }

    // call calls a tool; options are the client's own: signal, onprogress.
    call(name, args = {}, options = {}) {
        return this.client.callTool({ name, arguments: args }, options);
    }

    async tools() {
        return (await this.client.listTools()).tools;
    }

    // changed waits for the news that a list, or a resource by its URI, has
    // changed since position start.
    changed(what, start) {
        const fits = ({ method, params }) => method === `notifications/${what}/list_changed` || (method === 'notifications/resources/updated' && params.uri === what);
        return this.changes.until(fits, `the news that ${what} has changed`, start);
    }

    // recorded returns what went over the wire while f ran, and f's result.
    async recorded(f) {
        const start = this.wire.length;
        const result = await f();
        return { result, wire: this.wire.slice(start) };
    }

    // said waits until the server's standard error has a line with the text.
    said(words) {
        return this.stderr.until(line => line.includes(words), `${JSON.stringify(words)} on standard error`);
    }

    // context is what helps to understand a failure.
    context() {
        const messages = this.wire.slice(-6).map(({ from, message }) => `${from}: ${JSON.stringify(message).slice(0, 600)}`);
        return ['last messages:', ...messages, 'standard error:', ...this.stderr.slice(-20)].join('\n');
    }

    close() {
        return this.client.close();
    }
}
