// What every client that is a library is made to do with the fixture.
import assert from 'node:assert/strict';
import { callChecks } from '../checks/calls.mjs';
import { endChecks } from '../checks/end.mjs';
import { failureChecks } from '../checks/failures.mjs';
import { listChecks } from '../checks/lists.mjs';
import { promptChecks } from '../checks/prompts.mjs';
import { questionChecks } from '../checks/questions.mjs';
import { resourceChecks } from '../checks/resources.mjs';
import { waitingChecks } from '../checks/waiting.mjs';
import { within, runChecks } from '../report.mjs';

// run connects and runs every check on the one connection. connect opens one,
// with the capabilities that it is given; revision is what both sides must have
// agreed on.
export async function run(connect, { revision }) {
    const peer = await within(connect(), 'connecting');
    const checks = [
        ['connect', async () => {
            assert.equal(peer.revision, revision);
            assert.equal(peer.modern, revision >= '2026');
            const { name, version } = peer.client.getServerVersion();
            assert.deepEqual({ name, version }, { name: 'fixture', version: '1.2.3' });
            assert.equal(peer.client.getInstructions(), 'Call what the test asks for.');
            assert.deepEqual(peer.client.getServerCapabilities().tools, { listChanged: true });
        }],
        ...listChecks(peer),
        ...callChecks(peer),
        ...waitingChecks(peer),
        ...questionChecks(peer, connect),
        ...resourceChecks(peer),
        ...promptChecks(peer),
        ...failureChecks(peer),
        ...endChecks(peer)
    ];
    await runChecks(checks, () => peer.context());
}
