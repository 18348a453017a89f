// Calls that are answered at once.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { text } from './result.mjs';

export function callChecks(peer) {
    const hasStructure = peer.revision >= '2025-06-18';
    const checks = [
        ['call-text', async () => {
            const result = await peer.call('echo', { text: 'hello' });
            assert.equal(text(result), 'hello');
            assert.ok(!result.isError);
            assert.equal(result.structuredContent, undefined);
        }],
        ['call-any-text', async () => {
            const odd = 'quote " backslash \\ newline \n tab \t nul \u0000 separators \u2028\u2029 道具 😀 </script>';
            assert.equal(text(await peer.call('echo', { text: odd })), odd);
            assert.equal(text(await peer.call('echo', { text: '' })), '');
        }],
        ['call-without-result', async () => {
            const result = await peer.call('nothing');
            assert.ok(!result.isError);
            assert.ok(Array.isArray(result.content));
        }],
        ['call-content-kinds', async () => {
            const { content } = await peer.call('picture');
            assert.deepEqual(content.map(block => block.type), ['text', 'image', 'resource']);
            assert.equal(Buffer.from(content[1].data, 'base64').toString('latin1'), '\x89PNG\r\n\x1a\n');
            assert.equal(content[1].mimeType, 'image/png');
            assert.deepEqual(content[2].resource, { uri: 'test://dot', mimeType: 'text/plain', text: '.' });
        }],
        ['large-argument', async () => {
            const large = '0123456789abcde\n"道具'.repeat(1 << 16); // over 1 MiB on the wire
            const result = await peer.call('digest', { text: large });
            const expected = { bytes: Buffer.byteLength(large), sha256: createHash('sha256').update(large).digest('hex') };
            assert.deepEqual(JSON.parse(text(result)), expected);
        }],
        ['large-result', async () => {
            const result = await peer.call('repeat', { text: 'é"\n', times: 400_000 });
            assert.equal(text(result), 'é"\n'.repeat(400_000));
        }]
    ];
    if (hasStructure) checks.push(...structureChecks(peer));
    return checks;
}

function structureChecks(peer) {
    return [
        ['call-structured', async () => {
            const result = await peer.call('add', { left: 2, right: 3 });
            assert.deepEqual(result.structuredContent, { sum: 5 });
            assert.deepEqual(JSON.parse(text(result)), { sum: 5 });
        }],
        ['output-schema', async () => {
            await peer.tools(); // the client compiles the schemas of a list
            const { structuredContent } = await peer.call('stock');
            assert.deepEqual(structuredContent, {
                owner: { name: 'Ōe 大江' },
                items: [{ id: 1, tags: ['a', 'b'] }, { id: 2 }],
                counts: { apples: 3, '': 0 },
                state: 'open',
                ratio: 0.25,
                largest: Number.MAX_SAFE_INTEGER,
                nothing: []
            });
        }],
        // The control of the check before: the client does look.
        ['output-schema-is-checked', async () => {
            await peer.tools();
            peer.alter = message => {
                if (message.result?.structuredContent) message.result.structuredContent.state = 'ajar';
                return message;
            };
            try {
                await assert.rejects(peer.call('stock'), /schema/i);
            } finally {
                peer.alter = message => message;
            }
        }],
        ['call-array', async () => {
            const result = await peer.call('words', { text: 'one two' });
            assert.deepEqual(JSON.parse(text(result)), ['one', 'two']);
            assert.deepEqual(result.structuredContent, peer.modern ? ['one', 'two'] : undefined);
        }]
    ];
}
