// Calls that are wrong or go wrong, and servers that print.
import assert from 'node:assert/strict';
import { text } from './result.mjs';

export function failureChecks(peer) {
    // refused is the text of an error that the model reads.
    const refused = async (name, args, ...words) => {
        const result = await peer.call(name, args);
        assert.equal(result.isError, true, JSON.stringify(result));
        for (const word of words) {
            assert.ok(text(result).includes(word), `${JSON.stringify(word)} is missing in ${JSON.stringify(text(result))}`);
        }
    };
    return [
        ['unknown-tool', async () => {
            await assert.rejects(peer.call('ecko', { text: 'x' }), error => {
                assert.equal(error.code, -32602);
                assert.match(error.message, /"ecko".*"echo"/);
                return true;
            });
        }],
        ['unknown-argument', () => refused('echo', { text: 'x', txet: 'y' }, 'INVALID_PARAMS', '"txet"', '"text"')],
        ['misspelt-argument', () => refused('delete', { pth: 'x' }, 'INVALID_PARAMS', '"pth"', '"path"')],
        ['wrong-type', () => refused('add', { left: '1', right: 2 }, 'INVALID_PARAMS', 'left', 'integer')],
        ['missing-argument', () => refused('add', { left: 1 }, 'INVALID_PARAMS', 'right')],
        ['out-of-range', () => refused('count', { steps: 0 }, 'INVALID_PARAMS', 'steps', '1')],
        ['all-mistakes-at-once', () => refused('log', { level: 'loud', massage: 'x' }, 'level', '"error"', 'massage', 'message')],
        ['tool-error', async () => {
            await refused('fail', {}, 'NO_LUCK', 'it was not meant to be', 'try tomorrow');
        }],
        ['protocol-error', async () => {
            await assert.rejects(peer.call('fail', { protocol: true }), error => error.code === -31999 && /no such luck/.test(error.message));
        }],
        ['panic', async () => {
            await refused('crash', {}, 'INTERNAL_ERROR', 'crash');
            await peer.said("the fixture's own panic");
            assert.equal(text(await peer.call('echo', { text: 'alive' })), 'alive');
        }],
        ['print', async () => {
            assert.equal(text(await peer.call('print', { text: 'printed by a handler' })), 'printed');
            await peer.said('printed by a handler');
        }],
        ['print-json', async () => {
            const fake = '{"jsonrpc":"2.0","id":0,"result":{}}';
            assert.equal(text(await peer.call('print', { text: fake })), 'printed');
            await peer.said(fake);
        }],
        ['child-prints', async () => {
            assert.equal(text(await peer.call('spawn', { text: 'printed by a child' })), 'spawned');
            await peer.said('printed by a child');
        }]
    ];
}
