// Uses all features of server-everything, or of a server like it, with the TypeScript SDK v1:
//
//     node everything.mjs -- command [argument…]
//
// The answer of the server is the detail of each check, as JSON. A refusal is {"refused": true}, whatever its words.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
    CallToolResultSchema, CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema
} from '@modelcontextprotocol/sdk/types.js';
import { gunzipSync } from 'node:zlib';
import { History } from './history.mjs';
import { finish, readArguments, within } from './report.mjs';

const { command, args } = readArguments({});
const updates = new History();
const logs = new History();
let questions = [];
let action = 'accept';

function newClient(capabilities) {
    const client = new Client({ name: 'e2e-everything', version: '1.0.0' }, { capabilities });
    if (!capabilities.roots) return client;
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updates.add(params.uri));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs.add(params));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///project', name: 'project' }, { uri: 'file:///other' }] }));
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
        questions.push(params);
        return { model: 'stand-in', role: 'assistant', content: { type: 'text', text: 'the words of the model' } };
    });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        questions.push(params);
        if (action !== 'accept') return { action };
        if (params.mode === 'url') return { action };
        const { interpretation } = params.requestedSchema.properties;
        return { action, content: interpretation ? { interpretation: 'technical' } : { name: 'Ada', check: true, email: 'ada@example.com', integer: 7, number: 2.5 } };
    });
    return client;
}

const connect = async client => {
    await client.connect(new StdioClientTransport({ command, args, env: { ...process.env, EVERYTHING_TEST: 'yes' } }));
    return client;
};

const client = await connect(newClient({ roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} }, tasks: { list: {}, cancel: {} } }));

// outcome is the answer to a request, with the questions that were asked meanwhile.
async function outcome(request) {
    questions = [];
    try {
        const result = await request();
        return result?.isError ? { refused: true } : { result, questions };
    } catch (error) {
        if (error?.code === undefined) throw error;
        return error.code === -32042 ? { code: error.code, data: error.data } : { refused: true };
    }
}

const call = (name, args = {}, options) => client.callTool({ name, arguments: args }, CallToolResultSchema, options);
const texts = result => result.content.map(block => block.text);
const all = async list => (await list()).tools.map(tool => tool.name).sort();

const checks = {
    'server': async () => ({ info: client.getServerVersion(), capabilities: client.getServerCapabilities(), instructions: client.getInstructions() !== '' }),
    'tools': () => client.listTools(),
    'resources': () => client.listResources(),
    'templates': () => client.listResourceTemplates(),
    'prompts': () => client.listPrompts(),
    'tools of a client that cannot answer': async () => {
        const other = await connect(newClient({}));
        try {
            return await all(() => other.listTools());
        } finally {
            await other.close();
        }
    },
    'echo': () => outcome(() => call('echo', { message: '道具' })),
    'echo without its argument': () => outcome(() => call('echo')),
    'echo of a number': () => outcome(() => call('echo', { message: 1 })),
    'unknown tool': () => outcome(() => call('no-such-tool')),
    'sum': () => outcome(() => call('get-sum', { a: 0.1, b: 0.2 })),
    'sum of integers': () => outcome(() => call('get-sum', { a: 2, b: -3 })),
    'sum of a text': () => outcome(() => call('get-sum', { a: '2', b: 3 })),
    'environment': async () => JSON.parse(texts(await call('get-env'))[0]).EVERYTHING_TEST,
    'image': () => outcome(() => call('get-tiny-image')),
    'annotated error': () => outcome(() => call('get-annotated-message', { messageType: 'error', includeImage: true })),
    'annotated success': () => outcome(() => call('get-annotated-message', { messageType: 'success' })),
    'annotated debug': () => outcome(() => call('get-annotated-message', { messageType: 'debug', includeImage: false })),
    'annotated unknown': () => outcome(() => call('get-annotated-message', { messageType: 'fatal' })),
    'links': () => outcome(() => call('get-resource-links')),
    'one link': () => outcome(() => call('get-resource-links', { count: 1 })),
    'too many links': () => outcome(() => call('get-resource-links', { count: 11 })),
    'reference': () => outcome(() => call('get-resource-reference')),
    'blob reference': () => outcome(() => call('get-resource-reference', { resourceType: 'Blob', resourceId: 7 })),
    'reference zero': () => outcome(() => call('get-resource-reference', { resourceId: 0 })),
    'weather in New York': () => outcome(() => call('get-structured-content', { location: 'New York' })),
    'weather in Chicago': () => outcome(() => call('get-structured-content', { location: 'Chicago' })),
    'weather in Los Angeles': () => outcome(() => call('get-structured-content', { location: 'Los Angeles' })),
    'weather elsewhere': () => outcome(() => call('get-structured-content', { location: 'Kyoto' })),
    'progress': async () => {
        const seen = [];
        const result = await call('trigger-long-running-operation', { duration: 0.1, steps: 4 }, { onprogress: progress => seen.push(progress) });
        // The client drops a notification that arrives together with the result, as the last one may.
        return { seen: seen.filter(({ progress, total }) => progress < total), result };
    },
    'compressed link': async () => {
        const { content: [link] } = await call('gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain;base64,SGVsbG8=' });
        const { contents: [file] } = await client.readResource({ uri: link.uri });
        const listed = (await client.listResources()).resources.filter(({ uri }) => uri === link.uri);
        return { link, type: file.mimeType, text: gunzipSync(Buffer.from(file.blob, 'base64')).toString(), listed };
    },
    'compressed contents': async () => {
        const { content: [{ resource, type }] } = await call('gzip-file-as-resource', { name: 'b.gz', data: 'data:,Hello%20there', outputType: 'resource' });
        return { type, uri: resource.uri, mimeType: resource.mimeType, text: gunzipSync(Buffer.from(resource.blob, 'base64')).toString() };
    },
    'compressed scheme': () => outcome(() => call('gzip-file-as-resource', { data: 'file:///etc/passwd' })),
    'roots': async () => texts(await call('get-roots-list'))[0].split('\n\nNote')[0],
    'form accepted': () => outcome(() => call('trigger-elicitation-request')),
    'form declined': () => {
        action = 'decline';
        return outcome(() => call('trigger-elicitation-request'));
    },
    'form cancelled': () => {
        action = 'cancel';
        return outcome(() => call('trigger-elicitation-request'));
    },
    'page declined': () => {
        action = 'decline';
        return outcome(() => call('trigger-url-elicitation', { url: 'https://example.com/', elicitationId: 'my-page' }));
    },
    'page accepted': () => {
        action = 'accept';
        return outcome(() => call('trigger-url-elicitation', { url: 'https://example.com/', message: 'Open it.', elicitationId: 'my-page' }));
    },
    'page of no URL': () => outcome(() => call('trigger-url-elicitation', { url: 'no URL' })),
    'page needed before': () => outcome(() => call('trigger-url-elicitation', { url: 'https://example.com/', errorPath: true })),
    'page after it': () => outcome(() => call('trigger-url-elicitation', { url: 'https://example.com/', errorPath: true, elicitationId: '' })),
    'sampling': () => outcome(() => call('trigger-sampling-request', { prompt: 'hello' })),
    'sampling with tokens': () => outcome(() => call('trigger-sampling-request', { prompt: 'hello', maxTokens: 7 })),
    'research': async () => {
        questions = [];
        const statuses = [];
        let text = '';
        const request = { name: 'simulate-research-query', arguments: { topic: 'go', ambiguous: true } };
        for await (const message of client.experimental.tasks.callToolStream(request, CallToolResultSchema, { task: { ttl: 60_000 } })) {
            if (message.type === 'taskStatus') statuses.push(message.task.status);
            if (message.type === 'result') text = message.result.content[0].text.split('\n')[0];
            if (message.type === 'error') throw message.error;
        }
        return { text, asked: questions.length, ended: statuses.at(-1) };
    },
    'research without a task': () => outcome(() => client.request({ method: 'tools/call', params: { name: 'simulate-research-query', arguments: { topic: 'go' } } }, CallToolResultSchema)),
    'simple prompt': () => outcome(() => client.getPrompt({ name: 'simple-prompt' })),
    'prompt with arguments': () => outcome(() => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Kyoto', state: 'Japan' } })),
    'prompt with one argument': () => outcome(() => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Kyoto' } })),
    'prompt without its argument': () => outcome(() => client.getPrompt({ name: 'args-prompt', arguments: {} })),
    'prompt of a team': () => outcome(() => client.getPrompt({ name: 'completable-prompt', arguments: { department: 'Sales', name: 'Eve' } })),
    'prompt with a resource': () => outcome(() => client.getPrompt({ name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '3' } })),
    'prompt with a blob': () => outcome(() => client.getPrompt({ name: 'resource-prompt', arguments: { resourceType: 'Blob', resourceId: '4' } })),
    'prompt with a wrong resource': () => outcome(() => client.getPrompt({ name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: 'x' } })),
    'unknown prompt': () => outcome(() => client.getPrompt({ name: 'no-such-prompt' })),
    'completion of a department': () => complete('completable-prompt', 'department', 'S'),
    'completion of a name': () => complete('completable-prompt', 'name', '', { department: 'Sales' }),
    'completion of a name without a department': () => complete('completable-prompt', 'name', ''),
    'completion of a type': () => complete('resource-prompt', 'resourceType', 'B'),
    'completion of a number': () => complete('resource-prompt', 'resourceId', '12'),
    'completion of no number': () => complete('resource-prompt', 'resourceId', 'x'),
    'completion of a variable': () => client.complete({
        ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' }, argument: { name: 'resourceId', value: '7' }
    }),
    'text resource': () => outcome(() => client.readResource({ uri: 'demo://resource/dynamic/text/5' })),
    'blob resource': () => outcome(() => client.readResource({ uri: 'demo://resource/dynamic/blob/6' })),
    'resource of no number': () => outcome(() => client.readResource({ uri: 'demo://resource/dynamic/text/none' })),
    'unknown resource': () => outcome(() => client.readResource({ uri: 'demo://nothing' })),
    'document': async () => {
        const { contents: [file] } = await client.readResource({ uri: 'demo://resource/static/document/features.md' });
        return { uri: file.uri, mimeType: file.mimeType, text: file.text !== '' };
    },
    'subscription': async () => {
        await client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' });
        const started = texts(await call('toggle-subscriber-updates'))[0];
        const uri = await updates.until(() => true, 'an update');
        const stopped = texts(await call('toggle-subscriber-updates'))[0];
        await client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' });
        return { uri, started: started.split(' ')[0], stopped: stopped.split(' ')[0] };
    },
    'log messages': async () => {
        await client.setLoggingLevel('debug');
        const started = texts(await call('toggle-simulated-logging'))[0];
        const { level, data } = await logs.until(({ data }) => /level.message/.test(data), 'a log message');
        const stopped = texts(await call('toggle-simulated-logging'))[0];
        return { known: typeof level === 'string' && typeof data === 'string', started: started.split(' ')[0], stopped: stopped.split(' ')[0] };
    }
};

const complete = (name, argument, value, others) => client.complete({
    ref: { type: 'ref/prompt', name }, argument: { name: argument, value }, ...others && { context: { arguments: others } }
});

for (const [check, run] of Object.entries(checks)) {
    let ok = true;
    let detail;
    try {
        detail = JSON.stringify(await within(run(), check)) ?? 'null';
    } catch (error) {
        ok = false;
        detail = `${error?.stack ?? error}`;
    }
    process.stdout.write(JSON.stringify({ check, ok, detail }) + '\n');
}
await client.close();
finish();
