// Drives a server with the command line of the MCP Inspector:
//
//     node inspector.mjs --suite=session|survey [--only=check,…] --era=legacy|auto|modern [--transport=stdio|http|sse] --cwd=directory -- command [argument…]
//
// The suites mean what they mean for the libraries. Each check starts the
// Inspector anew, which starts a server on standard input and output anew.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from './checks/result.mjs';
import { deadline, finish, readArguments, runChecks } from './report.mjs';
import { reach } from './server.mjs';

const { suite, only, era, transport, cwd, command, args } = readArguments({
    suite: { type: 'string' },
    only: { type: 'string' },
    era: { type: 'string' },
    transport: { type: 'string', default: 'stdio' },
    cwd: { type: 'string' }
});
const modern = era !== 'legacy';
const server = transport === 'stdio' ? undefined : await reach({ command, args, cwd });
const paths = { http: '/mcp', sse: '/sse' };
// target says which server; a command must come first.
const target = server ? ['--transport', transport, '--server-url', String(server.url(paths[transport]))] : [command, ...args];
const launcher = join(
    dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
    'clients/launcher/build/index.js'
);
// The Inspector keeps files of its own; they belong to the working directory.
// Servers do not take the home directory as their project.
const home = cwd + '-home'; // beside the project: a directory above the home is no project, either
mkdirSync(home, { recursive: true });
const env = { ...process.env, HOME: home, USERPROFILE: home, MCP_CATALOG_PATH: join(cwd, 'catalog.json') };
const exit = { ok: 0, failed: 1, toolError: 5 };
let last = '';

// inspect runs one method and returns {code, result, error}: the exit code, and
// what was printed.
function inspect(method, ...options) {
    const patience = ['--connect-timeout', String(deadline)];
    const argv = [launcher, '--cli', ...target, ...patience, '--protocol-era', era, '--format', 'json', '--method', method, ...options];
    return new Promise((resolve, reject) => {
        const limits = { env, cwd, timeout: deadline - 5_000, killSignal: 'SIGKILL', maxBuffer: 64 << 20 };
        execFile(process.execPath, argv, limits, (failure, stdout, stderr) => {
            last = `${method} ${options.join(' ').slice(0, 200)}: ${failure ?? 'exit 0'}\n${stdout.slice(0, 2000)}\n${stderr.slice(-2000)}`;
            const code = failure ? failure.code : 0;
            if (typeof code !== 'number') return reject(failure);
            const envelope = stderr.split('\n').find(line => line.startsWith('{"error":'));
            try {
                resolve({
                    code,
                    result: stdout.trim() === '' ? undefined : JSON.parse(stdout).result,
                    error: envelope && JSON.parse(envelope).error,
                    stderr
                });
            } catch (broken) {
                reject(broken);
            }
        });
    });
}

const call = (name, values = {}) => inspect('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(values));

const session = [
    ['initialize', async () => {
        const { code, result } = await inspect('initialize');
        assert.equal(code, exit.ok);
        assert.equal(result.protocolVersion, modern ? '2026-07-28' : '2025-11-25');
        assert.equal(result.serverInfo.name, 'fixture');
        assert.equal(result.instructions, 'Call what the test asks for.');
        assert.ok(result.capabilities.tools.listChanged);
    }],
    ['list', async () => {
        const { code, result } = await inspect('tools/list');
        assert.equal(code, exit.ok);
        assert.deepEqual(result.tools.slice(0, 3).map(tool => tool.name), ['echo', 'add', 'stock']);
    }],
    ['list-strict', async () => assert.equal((await inspect('tools/list', '--strict')).code, exit.ok)],
    ['call-text', async () => {
        const { code, result } = await call('echo', { text: '道具 "\n' });
        assert.equal(code, exit.ok);
        assert.equal(text(result), '道具 "\n');
    }],
    ['call-structured', async () => {
        const { code, result } = await inspect('tools/call', '--tool-name', 'add', '--tool-arg', 'left=2', '--tool-arg', 'right=3');
        assert.equal(code, exit.ok);
        assert.deepEqual(result.structuredContent, { sum: 5 });
    }],
    ['output-schema', async () => {
        const { code, result } = await call('stock');
        assert.equal(code, exit.ok);
        assert.equal(result.structuredContent.owner.name, 'Ōe 大江');
    }],
    ['call-array', async () => {
        const { result } = await call('words', { text: 'one two' });
        assert.deepEqual(result.structuredContent, modern ? ['one', 'two'] : undefined);
        assert.deepEqual(JSON.parse(text(result)), ['one', 'two']);
    }],
    ['call-content-kinds', async () => {
        const { result } = await call('picture');
        assert.deepEqual(result.content.map(block => block.type), ['text', 'image', 'resource']);
    }],
    ['large-result', async () => {
        const { result } = await call('repeat', { text: 'x', times: 1 << 20 });
        assert.equal(text(result).length, 1 << 20);
    }],
    // A longer argument does not fit on a command line.
    ['large-argument', async () => {
        const { result } = await call('digest', { text: 'x'.repeat(100_000) });
        assert.equal(result.structuredContent.bytes, 100_000);
    }],
    ['unknown-tool', async () => {
        const { code, error } = await call('ecko');
        assert.equal(code, exit.toolError);
        assert.equal(error.code, 'tool_not_found');
    }],
    ['unknown-argument', async () => {
        const { code, result } = await call('delete', { pth: 'x' });
        assert.equal(code, exit.toolError);
        assert.equal(result.isError, true);
        assert.match(text(result), /INVALID_PARAMS.*"pth".*"path"/s);
    }],
    ['tool-error', async () => {
        const { code, result } = await call('fail');
        assert.equal(code, exit.toolError);
        assert.match(text(result), /NO_LUCK.*try tomorrow/s);
    }],
    ['protocol-error', async () => {
        const { code, error } = await call('fail', { protocol: true });
        assert.equal(code, exit.failed);
        assert.match(error.message, /no such luck/);
    }],
    // The command line cannot ask anybody, and says so.
    ['elicit-without-capability', async () => {
        const { code, error, result } = await call('book');
        if (modern) {
            assert.equal(code, exit.failed);
            assert.match(error.message, /elicitation/);
        } else {
            assert.equal(result.isError, true);
            assert.match(text(result), /elicitation/);
        }
    }],
    ['child-prints', async () => {
        const { result, stderr } = await call('spawn', { text: 'printed by a child' });
        assert.equal(text(result), 'spawned');
        assert.match(stderr, /printed by a child/);
    }],
    ['resources', async () => {
        const { result: list } = await inspect('resources/list');
        assert.equal(list.resources[0].uri, 'test://greeting');
        const { result } = await inspect('resources/read', '--uri', 'test://greeting');
        assert.equal(result.contents[0].text, '道具 "\n');
        const { result: templates } = await inspect('resources/templates/list');
        assert.equal(templates.resourceTemplates[0].uriTemplate, 'test://shelves/{shelf}/{name}');
    }],
    ['prompts', async () => {
        const { result: list } = await inspect('prompts/list');
        assert.equal(list.prompts[0].name, 'letter');
        const { result } = await inspect('prompts/get', '--prompt-name', 'letter', '--prompt-args', 'to=Ōe', 'tone=warm');
        assert.equal(result.messages[0].content.text, 'A letter to Ōe, tone "warm", city ""');
    }],
    ['load', async () => {
        const options = ['--tool-name', 'echo', '--tool-arg', 'text=x', '--load', '--load-requests', '200', '--load-concurrency', '10'];
        const { code, result } = await inspect('tools/call', ...options);
        assert.equal(code, exit.ok);
        assert.deepEqual({ ok: result.ok, errors: result.errors, toolErrors: result.toolErrors }, { ok: 200, errors: 0, toolErrors: 0 });
    }]
];
if (!modern) {
    session.push(['log-level', async () => assert.equal((await inspect('logging/setLevel', '--log-level', 'debug')).code, exit.ok)]);
}

const survey = [
    ['initialize', async () => {
        const { code, result } = await inspect('initialize');
        assert.equal(code, exit.ok);
        assert.ok(result.serverInfo.name);
    }],
    ['list-strict', async () => {
        const { code, result } = await inspect('tools/list', '--strict');
        assert.equal(code, exit.ok);
        assert.ok(result.tools.length > 0);
    }],
    ['unknown-argument', async () => {
        const { result: list } = await inspect('tools/list');
        const { code, result } = await call(list.tools[0].name, { noSuchArgument: 1 });
        assert.equal(code, exit.toolError);
        assert.ok(text(result).includes('noSuchArgument'));
    }]
];

const chosen = { session, survey }[suite].filter(([name]) => !only || only.split(',').includes(name));
await runChecks(chosen, () => last);
finish();
