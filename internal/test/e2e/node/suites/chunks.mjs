// What every client that is a library is made to do with a server of a
// project's functions, here in the working directory of the server.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { endChecks } from '../checks/end.mjs';
import { text } from '../checks/result.mjs';
import { runChecks, within } from '../report.mjs';

const strict = ['find_file', 'find_function', 'list_functions_in_file', 'get_function_chunk', 'get_chunk', 'analyze_project'];
const offered = [
    'find_file', 'find_function', 'list_functions_in_file', 'get_function_chunk', 'get_chunk', 'get_chunks',
    'search_symbols', 'find_text', 'find_code', 'get_repo_map', 'replace_function_chunk', 'edit_chunk', 'insert_chunk', 'delete_chunk', 'move_chunk', 'rename_chunk', 'rewrite_code',
    'analyze_project'
];

// The bodies have what JSON, HTML and a careless copy would change.
const push = '/// 積む: puts "x" on top & <returns> nothing.\n    @discardableResult\n    func push<T>(_ x: T, at index: Int = 0) -> Bool {\n        print("\\(x)\\t}")   \n        return true\n    }';
const stack = `import Foundation\n\nclass Stack {\n    ${push}\n\n    func pop() -> Int { 0 }\n}\n`;
const kotlin = 'class Queue {\r\n    /** Adds. */\r\n    fun push(x: Int) {\r\n        println("x")\r\n    }\r\n}\r\n';

export async function run(connect, { cwd }) {
    const project = join(cwd, 'project');
    await mkdir(join(project, 'Sources'), { recursive: true });
    const disk = name => join(project, name);
    const file = disk('Sources/Stack.swift');
    await writeFile(file, stack);
    await writeFile(disk('Queue.kt'), kotlin);
    await writeFile(disk('notes.txt'), 'nothing\n');

    const peer = await within(connect({}, { cwd: project }), 'connecting');
    const succeeds = async (name, args, options) => {
        const result = await peer.call(name, args, options);
        assert.ok(!result.isError, JSON.stringify(result));
        return result;
    };
    const refused = async (name, args, ...words) => {
        const result = await peer.call(name, args);
        assert.equal(result.isError, true, JSON.stringify(result));
        for (const word of words) assert.ok(text(result).includes(word), `${JSON.stringify(word)} is missing in ${text(result)}`);
    };
    const checks = [
        ['offered', async () => assert.deepEqual((await peer.tools()).map(tool => tool.name), offered)],
        ['list-functions', async () => {
            const result = await succeeds('list_functions_in_file', { filePath: file });
            assert.equal(text(result), [
                '[lines, signature; ids: Sources/Stack.swift#name, indented …#heading.name]',
                'Stack:',
                ' 4-9 func push<T>(_ x: T, at index: Int = 0) -> Bool',
                ' 11 func pop() -> Int'
            ].join('\n'));
            if (result.structuredContent) {
                assert.deepEqual(
                    result.structuredContent.functions.map(({ id, signature }) => ({ id, signature })),
                    [
                        { id: 'Sources/Stack.swift#Stack.push(_:at:)', signature: 'func push<T>(_ x: T, at index: Int = 0) -> Bool' },
                        { id: 'Sources/Stack.swift#Stack.pop()', signature: 'func pop() -> Int' }
                    ]
                );
            }
            await refused('list_functions_in_file', { filePath: disk('notes.txt') }, 'NOT_SOURCE', 'swift');
            await refused('list_functions_in_file', { filePath: disk('none.swift') }, 'FILE_NOT_FOUND');
        }],
        ['find-function', async () => {
            const found = text(await succeeds('find_function', { filePath: file, functionQuery: 'pus' }));
            assert.match(found, /^\[.* Sources\/Stack\.swift#name\]\n4-9 Stack\.push\(_:at:\) /);
            assert.equal(text(await succeeds('find_function', { filePath: file, functionQuery: 'nothing like it' })), '[no functions]');
        }],
        ['get-function', async () => {
            for (const functionSignature of ['func push<T>(_ x: T, at index: Int = 0) -> Bool', 'Stack.push', 'push(_:at:)']) {
                assert.equal(text(await succeeds('get_function_chunk', { filePath: file, functionSignature, language: 'swift' })), push);
            }
            await refused('get_function_chunk', { filePath: file, functionSignature: 'func psh()' }, 'CHUNK_NOT_FOUND', 'list_functions_in_file');
        }],
        ['get-chunk', async () => {
            assert.equal(text(await succeeds('get_chunk', { chunkId: 'Sources/Stack.swift#Stack.push(_:at:)' })), push);
            // Line ends stay as they are in the file.
            assert.equal(text(await succeeds('get_chunk', { chunkId: 'Queue.kt#Queue.push(Int)' })), kotlin.slice(kotlin.indexOf('/**'), kotlin.lastIndexOf('}\r\n}') + 1));
            await refused('get_chunk', { chunkId: 'Queue.kt#Queue.pull' }, 'CHUNK_NOT_FOUND');
        }],
        ['find-file', async () => {
            const files = JSON.parse(text(await succeeds('find_file', { pattern: '*.swift' })));
            assert.deepEqual(files.map(name => isAbsolute(name) && name.endsWith('Stack.swift')), [true]);
            assert.equal(await readFile(files[0], 'utf8'), stack);
            assert.deepEqual(JSON.parse(text(await succeeds('find_file', { pattern: '*.none' }))), []);
        }],
        ['before-analysis', async () => {
            await refused('get_chunk', { chunkId: 'func pop() -> Int' }, 'NOT_ANALYZED', 'analyze_project');
            await refused('get_repo_map', {}, 'NOT_ANALYZED');
        }],
        ['analyze', async () => {
            // The client asks for progress; its handler may be late for a call as short.
            const { result, wire } = await peer.recorded(() => succeeds('analyze_project', { projectPath: project }, { onprogress: () => {} }));
            assert.match(text(result), /^success: 3 functions among \d+ chunks in 2 files/);
            if (peer.revision >= '2025-06-18') assert.deepEqual([result.structuredContent.status, result.structuredContent.files], ['success', 2]);
            const told = wire.filter(({ message }) => message.method === 'notifications/progress').map(({ message }) => message.params.message);
            assert.ok(told.length > 0 && told.every(message => message.includes('source files')), JSON.stringify(told));
            assert.match(await readFile(disk('data/chunks/.gitignore'), 'utf8'), /\*/);
            assert.match(text(await succeeds('analyze_project', { projectPath: project })), /2 unchanged/);
        }],
        // A signature is an id too, as long as it means one function.
        ['get-chunk-by-signature', async () => {
            const { content } = await succeeds('get_chunk', { chunkId: 'func pop() -> Int' });
            assert.deepEqual(content.map(block => block.text), ['func pop() -> Int { 0 }', '[pop, Sources/Stack.swift:11]']);
        }],
        ['search', async () => {
            const found = text(await succeeds('search_symbols', { query: 'push' }));
            assert.match(found, /^\[2 found\]\n/);
            assert.match(found, /^Queue\.kt\n Queue\.push 2-5 fun push\(x: Int\)$/m);
            assert.match(text(await succeeds('get_repo_map', { budgetTokens: 100 })), /class Stack/);
        }],
        ['replace', async () => {
            const newCode = 'func pop() -> Int {\n    return 1\n}';
            const result = await succeeds('replace_function_chunk', { chunkId: 'Sources/Stack.swift#Stack.pop()', newCode });
            assert.match(text(result), /^\[replaced, now lines 11-13\]/);
            assert.equal(await readFile(file, 'utf8'), stack.replace('func pop() -> Int { 0 }', 'func pop() -> Int {\n        return 1\n    }'));
            const before = await readFile(file, 'utf8');
            await refused('replace_function_chunk', { chunkId: 'Sources/Stack.swift#Stack.pop()', newCode: 'func pop() -> Int { {' }, 'DOES_NOT_PARSE');
            await refused('replace_function_chunk', { chunkId: 'Sources/Stack.swift#Stack.pop()', newCode, expectedSha256: '0'.repeat(64) }, 'STALE_CHUNK');
            assert.equal(await readFile(file, 'utf8'), before);
        }],
        // What moves is found again, and the text is that of the file now.
        ['moved', async () => {
            await writeFile(file, '// one line more\n' + (await readFile(file, 'utf8')));
            const { content } = await succeeds('get_chunk', { chunkId: 'Sources/Stack.swift#Stack.push(_:at:)' });
            assert.equal(content[0].text, push);
        }],
        ['outside', async () => {
            await writeFile(join(cwd, 'secret.swift'), 'func secret() {}\n');
            await refused('list_functions_in_file', { filePath: join(cwd, 'secret.swift') }, 'PERMISSION_DENIED');
            await refused('get_chunk', { chunkId: '../secret.swift#secret()' }, 'PERMISSION_DENIED');
            await refused('analyze_project', { projectPath: cwd }, 'PERMISSION_DENIED');
        }],
        ['other-spelling', async () => assert.equal(text(await succeeds('getChunk', { chunkId: 'Sources/Stack.swift#push' })), push)],
        ['strict', async () => {
            const reader = await connect({}, { cwd: project, args: ['--profile', 'chunks-strict', '--read-only'] });
            try {
                assert.deepEqual((await reader.tools()).map(tool => tool.name), strict);
                assert.equal(text(await reader.call('get_chunk', { chunkId: 'Sources/Stack.swift#push' })), push);
            } finally {
                await reader.close();
            }
        }],
        ...endChecks(peer)
    ];
    await runChecks(checks, () => peer.context());
}
