// What every client that is a library is made to do with a server of a
// project's files, here in the working directory of the server.
import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endChecks } from '../checks/end.mjs';
import { text } from '../checks/result.mjs';
import { runChecks, within } from '../report.mjs';

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
            assert.deepEqual(names.sort(), ['list_directory', 'read_file', 'write_file']);
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
        ['read-only', async () => {
            const reader = await connect({}, { cwd: project, args: ['--read-only'] });
            try {
                const names = (await reader.tools()).map(tool => tool.name);
                assert.deepEqual(names.sort(), ['list_directory', 'read_file']);
                await assert.rejects(reader.call('write_file', { path: 'notes.txt', content: '' }), { code: -32602 });
            } finally {
                await reader.close();
            }
        }],
        ...endChecks(peer)
    ];
    await runChecks(checks, () => peer.context());
}
