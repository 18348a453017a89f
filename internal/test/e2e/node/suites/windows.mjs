// Checks of a Windows program that serves the files of a project, here in the
// working directory of the server. The program runs under Wine, where the drive
// Z: is the root of the file system.
import assert from 'node:assert/strict';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endChecks } from '../checks/end.mjs';
import { text } from '../checks/result.mjs';
import { runChecks, within } from '../report.mjs';

const needed = ['read_file', 'write_file', 'edit_file', 'list_directory', 'search_content', 'search_files', 'move_file', 'delete_file'];

export async function run(connect, { cwd }) {
    const project = join(cwd, 'project');
    await mkdir(project);
    await writeFile(join(cwd, 'secret.txt'), 'outside of the project');
    const disk = name => join(project, name);
    const windows = path => 'Z:' + path.replaceAll('/', '\\');

    const peer = await within(connect({}, { cwd: project }), 'connecting');
    const call = async (name, args, from = peer) => {
        const result = await from.call(name, args);
        assert.ok(!result.isError, JSON.stringify(result));
        return result;
    };
    const refused = async (name, args, word) => {
        const result = await peer.call(name, args);
        assert.equal(result.isError, true, JSON.stringify(result));
        assert.ok(text(result).includes(word), text(result));
    };
    const checks = [
        ['offered', async () => {
            const names = (await peer.tools()).map(tool => tool.name);
            for (const name of needed) assert.ok(names.includes(name), `${name} is not among ${names}`);
        }],
        ['write', async () => {
            await call('write_file', { path: 'notes.txt', content: 'one\ntwo 道具\n' });
            assert.equal(await readFile(disk('notes.txt'), 'utf8'), 'one\ntwo 道具\n');
        }],
        ['read', async () => {
            const { structuredContent } = await call('read_file', { path: 'notes.txt' });
            assert.equal(structuredContent.content, 'one\ntwo 道具\n');
        }],
        ['absolute-path', async () => {
            const { structuredContent } = await call('read_file', { path: windows(disk('notes.txt')) });
            assert.equal(structuredContent.content, 'one\ntwo 道具\n');
        }],
        ['outside', async () => {
            await refused('read_file', { path: '../secret.txt' }, 'PERMISSION_DENIED');
            await refused('read_file', { path: windows(join(cwd, 'secret.txt')) }, 'PERMISSION_DENIED');
            await refused('write_file', { path: '../secret.txt', content: '' }, 'PERMISSION_DENIED');
            assert.equal(await readFile(join(cwd, 'secret.txt'), 'utf8'), 'outside of the project');
        }],
        ['device', () => refused('write_file', { path: 'NUL', content: 'x' }, 'INVALID')],
        ['list', async () => assert.match(text(await call('list_directory', { path: '.' })), /notes\.txt/)],
        ['edit', async () => {
            await writeFile(disk('menu.txt'), 'tea\r\ncoffee\r\n');
            await call('edit_file', { path: 'menu.txt', edits: [{ oldText: 'coffee', newText: 'cocoa' }] });
            assert.equal(await readFile(disk('menu.txt'), 'utf8'), 'tea\r\ncocoa\r\n');
        }],
        ['search', async () => {
            await mkdir(disk('sub'));
            await writeFile(disk('sub/more.txt'), 'hot cocoa\n');
            const found = text(await call('search_content', { pattern: 'co+coa' }));
            assert.match(found, /menu\.txt/);
            assert.match(found, /sub\/more\.txt/);
            const { files } = (await call('search_files', { pattern: '*.txt' })).structuredContent;
            assert.deepEqual(files.map(({ path }) => path).sort(), ['menu.txt', 'notes.txt', 'sub/more.txt']);
        }],
        ['project', async () => {
            const { name, rootPath } = (await call('get_project_info', {})).structuredContent;
            assert.deepEqual([name, rootPath], ['project', 'Z:' + project]);
        }],
        ['delete-and-restore', async () => {
            const deleted = await call('delete_file', { path: 'menu.txt' });
            await assert.rejects(access(disk('menu.txt')));
            await call('move_file', { source: deleted.structuredContent.trashPath, destination: 'menu.txt' });
            assert.equal(await readFile(disk('menu.txt'), 'utf8'), 'tea\r\ncocoa\r\n');
        }],
        ...endChecks(peer)
    ];
    await runChecks(checks, () => peer.context());
}
