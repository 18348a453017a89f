// What is listed, and that a client learns of changes.
import assert from 'node:assert/strict';
import { text } from './result.mjs';

export function listChecks(peer) {
    return [
        ['list', async () => {
            const tools = await peer.tools();
            const names = tools.map(tool => tool.name);
            assert.deepEqual(names.slice(0, 3), ['echo', 'add', 'stock']);
            assert.equal(new Set(names).size, names.length, 'names are unique');
            for (const tool of tools) {
                assert.ok(tool.description, `${tool.name} has no description`);
                assert.equal(tool.inputSchema.type, 'object', `input schema of ${tool.name}`);
            }
            assert.deepEqual(tools[0].inputSchema.required, ['text']);
            assert.deepEqual(await peer.tools(), tools, 'a second list is the same');
        }],
        ['list-as-of-revision', async () => {
            const tools = new Map((await peer.tools()).map(tool => [tool.name, tool]));
            const since = (revision, value) => (peer.revision >= revision ? value : undefined);
            assert.equal(tools.get('echo').title, since('2025-06-18', 'Echo'));
            assert.deepEqual(tools.get('echo').annotations, since('2025-03-26', { readOnlyHint: true, openWorldHint: false }));
            assert.equal(tools.get('add').outputSchema?.type, since('2025-06-18', 'object'));
            assert.equal(tools.get('words').outputSchema?.type, since('2026-07-28', 'array'));
        }],
        ['list-changed', async () => {
            const start = peer.changes.length;
            const stop = await peer.watch({ toolsListChanged: true });
            const name = 'sprout';
            const change = (tool, args) => {
                const before = peer.changes.length;
                return Promise.all([peer.call(tool, args), peer.changed('tools', before)]);
            };
            await change('grow', { name });
            assert.ok((await peer.tools()).some(tool => tool.name === name));
            assert.equal(text(await peer.call(name)), 'I am sprout');

            await change('shrink', { name });
            assert.ok(!(await peer.tools()).some(tool => tool.name === name));
            await assert.rejects(peer.call(name), { code: -32602 });
            assert.equal(peer.changes.length - start, 2, 'one notification a change');
            await stop();
        }]
    ];
}
