// Prompts, and what completes their arguments and those of templates.
import assert from 'node:assert/strict';

export function promptChecks(peer) {
    const { client } = peer;
    const get = (name, args) => client.getPrompt({ name, arguments: args });
    const complete = async (ref, name, value, others) => {
        const params = { ref, argument: { name, value } };
        if (others) params.context = { arguments: others };
        return (await client.complete(params)).completion.values;
    };
    const letter = { type: 'ref/prompt', name: 'letter' };
    const notes = { type: 'ref/resource', uri: 'test://shelves/{shelf}/{name}' };
    const checks = [
        ['prompts', async () => {
            const { prompts } = await client.listPrompts();
            assert.deepEqual(prompts.map(({ name }) => name).slice(0, 3), ['letter', 'look', 'story']);
            assert.equal(prompts[0].title, peer.revision >= '2025-06-18' ? 'Letter' : undefined);
            assert.deepEqual(prompts[0].arguments.map(({ name, required }) => `${name} ${Boolean(required)}`), ['to true', 'tone false', 'city false']);
        }],
        ['prompt', async () => {
            const { description, messages } = await get('letter', { to: '大江', tone: 'warm' });
            assert.equal(description, 'A letter');
            assert.deepEqual(messages, [
                { role: 'user', content: { type: 'text', text: 'A letter to 大江, tone "warm", city ""' } },
                { role: 'assistant', content: { type: 'text', text: 'Dear 大江,' } }
            ]);
        }],
        ['prompt-content-kinds', async () => {
            const { messages } = await get('look');
            assert.deepEqual(messages.map(({ content }) => content.type), ['image', 'resource']);
        }],
        ['prompt-refused', async () => {
            await assert.rejects(get('letter', { tone: 'warm' }), error => error.code === -32602 && /to/.test(error.message));
            await assert.rejects(get('letter', { to: 'x', tone: 'loud' }), error => error.code === -32602 && /tone/.test(error.message));
            await assert.rejects(get('lettre', { to: 'x' }), error => error.code === -32602 && /lettre/.test(error.message));
        }],
        ['prompts-changed', async () => {
            const start = peer.changes.length;
            const stop = await peer.watch({ promptsListChanged: true });
            await Promise.all([peer.call('grow', { name: 'ivy', kind: 'prompt' }), peer.changed('prompts', start)]);
            assert.equal((await get('ivy')).messages[0].content.text, 'I am ivy');
            const between = peer.changes.length;
            await Promise.all([peer.call('shrink', { name: 'ivy' }), peer.changed('prompts', between)]);
            await assert.rejects(get('ivy'), { code: -32602 });
            await stop();
        }],
        ['complete', async () => {
            assert.deepEqual(await complete(letter, 'city', 'To'), ['Tokyo', 'Toyama']);
            assert.deepEqual(await complete(letter, 'tone', 'f'), ['formal', 'furious']);
            assert.deepEqual(await complete(notes, 'shelf', 'low'), ['lower', 'lowest']);
            await assert.rejects(complete({ type: 'ref/prompt', name: 'lettre' }, 'city', ''), { code: -32602 });
            await assert.rejects(complete(letter, 'sity', ''), { code: -32602 });
        }]
    ];
    if (peer.revision >= '2025-06-18') {
        checks.push(
            ['complete-with-others', async () => {
                assert.deepEqual(await complete(notes, 'name', 'top', { shelf: 'upper' }), ['top of the upper shelf']);
                assert.deepEqual(await complete(notes, 'name', 'top'), []);
            }],
            ['prompt-that-asks', async () => {
                peer.answer = () => ({ action: 'accept', content: { title: 'Kokoro' } });
                assert.equal((await get('story')).messages[0].content.text, 'Tell Kokoro');
            }]
        );
    }
    return checks;
}
