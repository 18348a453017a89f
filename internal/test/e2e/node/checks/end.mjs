// What is left to see when everything else is done.
import assert from 'node:assert/strict';
import { once } from 'node:events';

export function endChecks(peer) {
    return [
        ['only-messages-on-stdout', async () => {
            assert.deepEqual(peer.errors.slice(), []);
            // Who speaks over the network has nothing to say there.
            assert.deepEqual(peer.server?.stdout.slice() ?? [], []);
        }],
        ['ends-with-its-input', async () => {
            // What the client's close() does first, without the signals that
            // it sends to a server that is late.
            const ended = once(peer.process, 'exit');
            peer.process.stdin.end();
            assert.deepEqual(await ended, [0, null], 'exit code and signal');
        }]
    ];
}
