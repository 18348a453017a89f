// What every client that is a library is made to do with a server of a
// project's files, here in the working directory of the server.
import assert from 'node:assert/strict';
import { access, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endChecks } from '../checks/end.mjs';
import { text } from '../checks/result.mjs';
import { runChecks, within } from '../report.mjs';

const offered = [
    'read_file', 'write_file', 'edit_file', 'list_directory', 'search_content', 'search_files', 'get_workspace_structure', 'get_project_info',
    'create_directory', 'move_file', 'delete_file', 'get_file_info',
    'track_token_usage', 'get_model_statistics', 'get_server_stats'
];

export async function run(connect, { cwd }) {
    await mkdir(join(cwd, 'outside'));
    const project = join(cwd, 'project');
    await mkdir(project);
    const disk = name => join(project, name);
    await writeFile(join(cwd, 'outside', 'secret.txt'), 'nobody may read this');
    await symlink(join(cwd, 'outside'), disk('way-out'), 'junction');

    const peer = await within(connect({}, { cwd: project }), 'connecting');
    await peer.tools(); // the client compiles the output schemas
    const refused = async (name, args, ...words) => {
        const result = await peer.call(name, args);
        assert.equal(result.isError, true, JSON.stringify(result));
        assert.ok(!text(result).includes('nobody may read this'));
        for (const word of words) assert.ok(text(result).includes(word), `${JSON.stringify(word)} is missing in ${text(result)}`);
    };
    const read = async args => {
        const result = await peer.call('read_file', args);
        assert.ok(!result.isError, JSON.stringify(result));
        return result.structuredContent;
    };
    const checks = [
        ['offered', async () => {
            const names = (await peer.tools()).map(tool => tool.name);
            assert.deepEqual(names, offered);
        }],
        ['write', async () => {
            const result = await peer.call('write_file', { path: 'notes.txt', content: 'one\ntwo 道具\n' });
            assert.ok(!result.isError, JSON.stringify(result));
            assert.equal(await readFile(disk('notes.txt'), 'utf8'), 'one\ntwo 道具\n');
        }],
        ['read', async () => {
            const { content, encoding, truncated } = await read({ path: 'notes.txt' });
            assert.deepEqual({ content, encoding, truncated }, { content: 'one\ntwo 道具\n', encoding: 'utf-8', truncated: false });
        }],
        ['read-lines', async () => assert.equal((await read({ path: 'notes.txt', startLine: 2, endLine: 2 })).content.trimEnd(), 'two 道具')],
        ['read-legacy-encoding', async () => {
            await writeFile(disk('sjis.txt'), Buffer.from([0x93, 0xb9, 0x8b, 0xef])); // 道具
            assert.equal((await read({ path: 'sjis.txt', encoding: 'shift-jis' })).content, '道具');
        }],
        ['read-in-parts', async () => {
            const whole = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}\n`).join('');
            await writeFile(disk('long.txt'), whole);
            let content = '';
            for (let startLine = 1; startLine; ) {
                const part = await read({ path: 'long.txt', startLine });
                content += part.content.endsWith('\n') || !part.nextLine ? part.content : part.content + '\n';
                startLine = part.nextLine;
            }
            assert.equal(content, whole);
        }],
        ['list', async () => {
            const result = await peer.call('list_directory', { path: '.' });
            assert.ok(!result.isError, JSON.stringify(result));
            for (const name of ['notes.txt', 'long.txt']) assert.ok(text(result).includes(name));
        }],
        ['missing-file', () => refused('read_file', { path: 'note.txt' }, 'FILE_NOT_FOUND', 'notes.txt')],
        ['outside', async () => {
            await refused('read_file', { path: '../outside/secret.txt' }, 'PERMISSION_DENIED');
            await refused('read_file', { path: join(cwd, 'outside', 'secret.txt') }, 'PERMISSION_DENIED');
            await refused('read_file', { path: 'way-out/secret.txt' }, 'PERMISSION_DENIED');
            await refused('write_file', { path: '../outside/secret.txt', content: '' }, 'PERMISSION_DENIED');
            assert.equal(await readFile(join(cwd, 'outside', 'secret.txt'), 'utf8'), 'nobody may read this');
        }],
        ['stale-write', async () => {
            const { sha256 } = await read({ path: 'notes.txt' });
            await writeFile(disk('notes.txt'), 'changed by another\n');
            await refused('write_file', { path: 'notes.txt', content: 'mine\n', expectedSha256: sha256 }, 'STALE_FILE');
            assert.equal(await readFile(disk('notes.txt'), 'utf8'), 'changed by another\n');
        }],
        ['edit', async () => {
            await writeFile(disk('menu.txt'), 'tea\r\n\tcoffee \r\nmilk\r\n');
            const edits = [{ oldText: 'tea\n\tcoffee\nmilk', newText: 'tea\n\tcocoa\nmilk' }];
            const result = await peer.call('edit_file', { path: 'menu.txt', edits });
            assert.ok(!result.isError, JSON.stringify(result));
            assert.match(text(result), /ignoring trailing white space/);
            assert.match(await readFile(disk('menu.txt'), 'utf8'), /^tea\r\n\tcocoa ?\r\nmilk\r\n$/);
            await refused('edit_file', { path: 'menu.txt', edits: [{ oldText: 'mlik', newText: 'water' }] }, 'EDIT_NO_MATCH');
        }],
        ['search', async () => {
            await writeFile(disk('.gitignore'), 'build/\n');
            await mkdir(disk('build'));
            await writeFile(disk('build/copy.txt'), 'cocoa\n');
            const found = await peer.call('search_content', { pattern: 'co+coa' });
            assert.match(text(found), /menu\.txt/);
            assert.doesNotMatch(text(found), /copy\.txt/);
            const { files, totalCount, truncated } = (await peer.call('search_files', { pattern: '*.txt' })).structuredContent;
            assert.ok(files.some(({ path }) => path === 'menu.txt') && !files.some(({ path }) => path.startsWith('build')));
            assert.deepEqual([totalCount, truncated], [files.length, false]);
        }],
        ['project', async () => {
            const { root, totalFiles } = (await peer.call('get_workspace_structure')).structuredContent;
            assert.equal(root.type, 'directory');
            assert.ok(totalFiles >= 3);
            const { name, rootPath } = (await peer.call('get_project_info')).structuredContent;
            assert.deepEqual([name, rootPath], ['project', project]);
        }],
        ['delete-and-restore', async () => {
            await writeFile(disk('old.txt'), 'precious\n');
            await refused('delete_file', { path: 'old.txt', permanent: true }, 'DESTRUCTIVE_NOT_ALLOWED', 'allowDestructiveOperations');
            const deleted = await peer.call('delete_file', { path: 'old.txt' });
            assert.ok(!deleted.isError, JSON.stringify(deleted));
            await assert.rejects(access(disk('old.txt')));
            const restored = await peer.call('move_file', { source: deleted.structuredContent.trashPath, destination: 'old.txt' });
            assert.ok(!restored.isError, JSON.stringify(restored));
            assert.equal(await readFile(disk('old.txt'), 'utf8'), 'precious\n');
            const person = await connect({ elicitation: { form: {} } }, { cwd: project });
            try {
                person.answer = () => ({ action: 'accept', content: {} });
                const removed = await person.call('delete_file', { path: 'old.txt', permanent: true });
                assert.ok(!removed.isError, JSON.stringify(removed));
                await assert.rejects(access(disk('old.txt')));
            } finally {
                await person.close();
            }
        }],
        ['other-spelling', async () => {
            const result = await peer.call('getFileInfo', { path: 'menu.txt' });
            assert.equal(result.structuredContent.size, (await readFile(disk('menu.txt'))).length);
        }],
        ['statistics', async () => {
            const { requests } = (await peer.call('get_server_stats')).structuredContent;
            assert.ok(requests.byTool.read_file.count > 5 && requests.byTool.read_file.errorsByCode.FILE_NOT_FOUND === 1, JSON.stringify(requests));
        }],
        ['settings-change', async () => {
            const file = disk('.cursorcli-mcp/config.json');
            const settings = JSON.parse(await readFile(file, 'utf8'));
            const stop = await peer.watch({ toolsListChanged: true });
            const start = peer.changes.length;
            settings.tools.allowedTools = ['read_*'];
            await writeFile(file, JSON.stringify(settings));
            await peer.changed('tools', start);
            assert.deepEqual((await peer.tools()).map(tool => tool.name), ['read_file']);
            await refused('write_file', { path: '.cursorcli-mcp/config.json', content: '{}' }).catch(error => assert.equal(error.code, -32602));
            const again = peer.changes.length;
            settings.tools.allowedTools = ['*'];
            await writeFile(file, JSON.stringify(settings));
            await peer.changed('tools', again);
            assert.deepEqual((await peer.tools()).map(tool => tool.name), offered);
            await refused('write_file', { path: '.cursorcli-mcp/config.json', content: '{}' }, 'PERMISSION_DENIED');
            await stop();
        }],
        ['read-only', async () => {
            const reader = await connect({}, { cwd: project, args: ['--read-only'] });
            try {
                const names = (await reader.tools()).map(tool => tool.name);
                assert.deepEqual(names, offered.filter(name => !/^(write|edit|delete|move|create|track)_/.test(name)));
                await assert.rejects(reader.call('write_file', { path: 'notes.txt', content: '' }), { code: -32602 });
            } finally {
                await reader.close();
            }
        }],
        ...endChecks(peer)
    ];
    await runChecks(checks, () => peer.context());
}
