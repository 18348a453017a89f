// Questions to the user. Up to 2025-11-25 the server sends a request of its own;
// since 2026-07-28 the call ends as input_required and is made again.
import assert from 'node:assert/strict';
import { text } from './result.mjs';

const accept = content => ({ action: 'accept', content });

export function questionChecks(peer, connect) {
    if (peer.revision < '2025-06-18') return [];
    const asking = async (answer, name, args) => {
        const asked = [];
        peer.answer = params => {
            asked.push(params);
            return typeof answer === 'function' ? answer(params) : answer;
        };
        const { result, wire } = await peer.recorded(() => peer.call(name, args));
        (peer.modern ? checkRounds : checkRequests)(wire, asked.length);
        return { result, asked };
    };
    const checks = [
        ['elicit-accept', async () => {
            const content = { name: '道具', nights: 2, sea: true, board: 'half' };
            const { result, asked } = await asking(accept(content), 'book');
            assert.equal(text(result), 'booked for 道具, 2 nights, sea true, board half');
            assert.equal(asked.length, 1);
            assert.equal(asked[0].message, 'Who is coming?');
            assert.equal(asked[0].mode ?? 'form', 'form');
            const { properties, required } = asked[0].requestedSchema;
            const types = Object.entries(properties).map(([key, { type }]) => `${key} ${type}`);
            assert.deepEqual(types, ['name string', 'nights integer', 'sea boolean', 'board string']);
            assert.deepEqual(required, ['name', 'nights', 'sea', 'board']);
            assert.deepEqual(properties.board.enum, ['none', 'half', 'full']);
        }],
        ['elicit-decline', async () => assert.equal(text((await asking({ action: 'decline' }, 'book')).result), 'no booking: decline')],
        ['elicit-cancel', async () => assert.equal(text((await asking({ action: 'cancel' }, 'book')).result), 'no booking: cancel')],
        ['elicit-twice', async () => {
            const titles = { 'The first title?': 'Kokoro', 'And after Kokoro?': 'Botchan' };
            const drawn = () => peer.stderr.filter(line => line === 'fixture: ticket drawn').length;
            const before = drawn();
            const { result, asked } = await asking(({ message }) => accept({ title: titles[message] }), 'wizard');
            assert.equal(text(result), 'T1: Kokoro, Botchan');
            assert.deepEqual(asked.map(({ message }) => message), Object.keys(titles));
            await peer.said('fixture: ticket drawn');
            assert.equal(drawn() - before, 1, 'a recorded step runs once');
        }],
        ['confirm', async () => {
            const { result, asked } = await asking(accept({}), 'delete', { path: 'a.txt' });
            assert.equal(text(result), 'deleted a.txt');
            assert.equal(asked[0].message, 'Delete a.txt?');
        }],
        ['confirm-decline', async () => {
            const { result } = await asking({ action: 'decline' }, 'delete', { path: 'a.txt' });
            assert.equal(result.isError, true);
            assert.match(text(result), /DECLINED/);
        }],
        ['elicit-concurrently', async () => {
            peer.answer = ({ message }) => (message === 'Delete two?' ? { action: 'decline' } : accept({}));
            const paths = ['one', 'two', 'three', 'four'];
            const results = await Promise.all(paths.map(path => peer.call('delete', { path })));
            assert.deepEqual(results.map(result => Boolean(result.isError)), paths.map(path => path === 'two'), 'each has the answer to its own question');
        }],
        ['elicit-without-capability', async () => {
            const plain = await connect({});
            try {
                if (peer.modern) {
                    await assert.rejects(plain.call('book'), error => {
                        assert.equal(error.code, -32021);
                        assert.deepEqual(error.data?.requiredCapabilities, { elicitation: { form: {} } });
                        return true;
                    });
                } else {
                    // Older revisions have no such error: the model is told.
                    const refused = await plain.call('book');
                    assert.equal(refused.isError, true);
                    assert.match(text(refused), /MISSING_CAPABILITY.*elicitation/);
                }
                assert.equal(text(await plain.call('echo', { text: 'still there' })), 'still there');
            } finally {
                await plain.close();
            }
        }]
    ];
    if (!peer.modern) {
        checks.push(['cancel-while-asking', async () => {
            const abort = new AbortController();
            const start = peer.wire.length;
            let signal;
            peer.answer = (_, given) => {
                signal = given;
                abort.abort('enough');
                return new Promise(resolve => given.addEventListener('abort', () => resolve({ action: 'cancel' })));
            };
            await assert.rejects(peer.call('book', {}, { signal: abort.signal }));
            const fromServer = method => peer.wire.until(e => e.from === 'server' && e.message.method === method, `${method} of the server`, start);
            const question = await fromServer('elicitation/create');
            const cancelled = await fromServer('notifications/cancelled');
            assert.equal(cancelled.message.params.requestId, question.message.id);
            assert.ok(signal.aborted, 'the user is not asked any more');
        }]);
    }
    return checks;
}

// checkRequests: the call's own request, questions as requests of the server,
// each answered, then the result.
function checkRequests(wire, questions) {
    const round = ['server elicitation/create', 'client answer'];
    const expected = ['client tools/call', ...Array(questions).fill(round).flat(), 'server answer'];
    assert.deepEqual(wire.map(({ from, message }) => `${from} ${message.method ?? 'answer'}`), expected);
}

// checkRounds: the server sends no request; each round is a new request with the
// state of the round before, byte by byte, and with answers under its keys.
function checkRounds(wire, questions) {
    const expected = Array(questions + 1).fill(['client tools/call', 'server answer']).flat();
    assert.deepEqual(wire.map(({ from, message }) => `${from} ${message.method ?? 'answer'}`), expected);
    const requests = wire.filter(({ from }) => from === 'client').map(({ message }) => message);
    const results = wire.filter(({ from }) => from === 'server').map(({ message }) => message.result);
    assert.equal(new Set(requests.map(({ id }) => id)).size, requests.length, 'each round has an id of its own');
    assert.equal(requests[0].params.requestState, undefined);
    results.slice(0, -1).forEach((result, i) => {
        assert.equal(result.resultType, 'input_required');
        assert.ok(result.requestState, 'a round has a state');
        const retry = requests[i + 1].params;
        assert.equal(retry.requestState, result.requestState);
        assert.deepEqual(Object.keys(retry.inputResponses), Object.keys(result.inputRequests));
    });
    assert.equal(results.at(-1).resultType, 'complete');
}
