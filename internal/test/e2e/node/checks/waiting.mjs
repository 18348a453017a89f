// Calls that take their time, and many at once.
import assert from 'node:assert/strict';
import { text } from './result.mjs';

export function waitingChecks(peer) {
    const checks = [
        ['progress', async () => {
            const seen = [];
            let last;
            const reported = new Promise(resolve => (last = resolve));
            const onprogress = progress => {
                seen.push(progress);
                if (progress.progress === 5) last();
            };
            const { result, wire } = await peer.recorded(async () => {
                const counted = peer.call('count', { steps: 5, meet: 'counted' }, { onprogress });
                await reported;
                await peer.call('meet', { group: 'counted', guests: 2 });
                return counted;
            });
            assert.equal(text(result), 'counted to 5');
            const sent = wire.filter(({ message }) => message.method === 'notifications/progress').map(({ message }) => message.params);
            assert.deepEqual(seen.map(p => p.progress), sent.map(p => p.progress), 'the client was told what was sent');
            assert.ok(sent.every((p, i) => i === 0 || p.progress > sent[i - 1].progress), `progress must rise: ${JSON.stringify(sent)}`);
            assert.ok(sent.every(p => p.total === 5));
            assert.equal(seen.at(-1).message, peer.revision >= '2025-03-26' ? 'step 5' : undefined);
        }],
        // The result follows at once: whatever is sent of the steps comes before.
        ['progress-before-result', async () => {
            const { wire } = await peer.recorded(() => peer.call('count', { steps: 100 }, { onprogress: () => {} }));
            const steps = wire.filter(({ message }) => message.method === 'notifications/progress');
            assert.equal(steps.at(-1).message.params.progress, 100, 'the last step is sent');
            assert.deepEqual(wire.map(({ message }) => message.method ?? 'result'), ['tools/call', ...steps.map(() => 'notifications/progress'), 'result']);
        }],
        ['no-progress-unasked', async () => {
            const { wire } = await peer.recorded(() => peer.call('count', { steps: 5 }));
            assert.deepEqual(wire.map(({ message }) => message.method ?? 'result'), ['tools/call', 'result']);
        }],
        ['cancel', async () => {
            const abort = new AbortController();
            const start = peer.wire.length;
            const held = peer.call('hold', { key: 'cancel' }, { signal: abort.signal, onprogress: () => abort.abort('enough') });
            await assert.rejects(held);
            await peer.said('fixture: cancelled cancel');

            // A later call is answered, so the cancelled one would have been.
            assert.equal(text(await peer.call('echo', { text: 'next' })), 'next');
            const wire = peer.wire.slice(start);
            const { id } = wire.find(({ message }) => message.method === 'tools/call').message;
            const answer = wire.find(({ from, message }) => from === 'server' && message.id === id);
            assert.equal(answer, undefined, 'a cancelled call is not answered');
        }],
        ['others-run-while-one-holds', async () => {
            const abort = new AbortController();
            let holding;
            const started = new Promise(resolve => (holding = resolve));
            const held = peer.call('hold', { key: 'beside' }, { signal: abort.signal, onprogress: () => holding() });
            await started;
            assert.equal(text(await peer.call('echo', { text: 'beside' })), 'beside');
            abort.abort();
            await assert.rejects(held);
            await peer.said('fixture: cancelled beside');
        }],
        ['concurrent', async () => {
            const guests = Array.from({ length: 16 }, () => peer.call('meet', { group: 'sixteen', guests: 16 }));
            assert.deepEqual(new Set((await Promise.all(guests)).map(text)), new Set(['met']));
        }],
        ['many', async () => {
            // Over HTTP each call has a connection, and fetch gives up on those
            // that a busy machine does not open in time.
            const atOnce = peer.server ? 100 : 500;
            for (let first = 0; first < 500; first += atOnce) {
                const texts = Array.from({ length: atOnce }, (_, i) => `number ${first + i}`);
                const results = await Promise.all(texts.map(each => peer.call('echo', { text: each })));
                assert.deepEqual(results.map(text), texts);
            }
        }],
        ['log', async () => {
            await peer.logLevel('warning');
            const say = (level, message) => peer.recorded(() => peer.call('log', { level, message }));
            const low = await say('info', 'below the level');
            const high = await say('error', 'above the level');
            assert.equal(text(low.result), 'logged');
            assert.ok(!low.wire.some(({ message }) => message.method === 'notifications/message'), 'below the level nothing is sent');
            assert.deepEqual(high.wire.map(({ message }) => message.method ?? 'result'), ['tools/call', 'notifications/message', 'result']);
            const [{ level, logger, data }] = peer.logs.slice(-1);
            assert.deepEqual({ level, logger, data }, { level: 'error', logger: 'fixture', data: { message: 'above the level' } });
            assert.equal(peer.logs.length, 1);
        }]
    ];
    if (peer.modern) {
        checks.unshift(['unasked-log', async () => {
            const { wire } = await peer.recorded(() => peer.call('log', { level: 'error', message: 'nobody asked' }));
            assert.deepEqual(wire.map(({ message }) => message.method ?? 'result'), ['tools/call', 'result']);
        }]);
    } else {
        checks.push(['ping', async () => assert.ok(await peer.client.ping())]);
    }
    return checks;
}
