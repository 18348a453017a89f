// What is left to see when everything else is done.
import assert from 'node:assert/strict';
import { once } from 'node:events';

export function endChecks(peer) {
    return [
        ['only-messages-on-stdout', async () => assert.deepEqual(peer.errors.slice(), [])],
        ['ends-with-its-input', async () => {
            // What the client's close() does first, without the signals that
            // it sends to a server that is late.
            const server = peer.transport._process;
            const ended = once(server, 'exit');
            server.stdin.end();
            assert.deepEqual(await ended, [0, null], 'exit code and signal');
        }]
    ];
}
