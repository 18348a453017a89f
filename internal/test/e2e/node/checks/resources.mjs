// Resources, templates of them, and news of their changes.
import assert from 'node:assert/strict';

export function resourceChecks(peer) {
    const { client } = peer;
    const read = async uri => {
        const { contents } = await client.readResource({ uri });
        assert.equal(contents.length, 1);
        return contents[0];
    };
    // missing looks at the wire: some clients give the older code the newer name.
    const missing = async uri => {
        const { wire } = await peer.recorded(() => assert.rejects(client.readResource({ uri })));
        const { code, data } = wire.at(-1).message.error;
        assert.deepEqual({ code, uri: data?.uri }, { code: peer.modern ? -32602 : -32002, uri });
    };
    const checks = [
        ['resources', async () => {
            const { resources } = await client.listResources();
            assert.deepEqual(resources.map(({ uri, name }) => `${name} ${uri}`).slice(0, 2), ['greeting test://greeting', 'bytes test://bytes']);
            assert.equal(resources[0].title, peer.revision >= '2025-06-18' ? 'Greeting' : undefined);
            assert.equal(resources[0].mimeType, 'text/plain');
        }],
        ['resource-templates', async () => {
            const { resourceTemplates } = await client.listResourceTemplates();
            assert.deepEqual(resourceTemplates.map(({ name, uriTemplate }) => `${name} ${uriTemplate}`), ['notes test://shelves/{shelf}/{name}']);
        }],
        ['resource-text', async () => {
            assert.deepEqual(await read('test://greeting'), { uri: 'test://greeting', mimeType: 'text/plain', text: '道具 "\n' });
        }],
        ['resource-bytes', async () => {
            const { blob } = await read('test://bytes');
            assert.deepEqual([...Buffer.from(blob, 'base64')], [0, 1, 0xfe, 0xff]);
        }],
        ['resource-of-template', async () => {
            const { uri, text } = await read('test://shelves/upper/a%20b%2Fc');
            assert.deepEqual({ uri, text }, { uri: 'test://shelves/upper/a%20b%2Fc', text: 'a b/c on upper' });
        }],
        ['resource-missing', async () => {
            await missing('test://no/such');
            await missing('test://lost');
            await missing('test://shelves/upper/a/b');
        }],
        ['resources-changed', async () => {
            const start = peer.changes.length;
            const stop = await peer.watch({ resourcesListChanged: true });
            await Promise.all([peer.call('grow', { name: 'moss', kind: 'resource' }), peer.changed('resources', start)]);
            assert.equal((await read('test://grown/moss')).text, 'I am moss');
            const between = peer.changes.length;
            await Promise.all([peer.call('shrink', { name: 'moss' }), peer.changed('resources', between)]);
            await missing('test://grown/moss');
            await stop();
        }],
        ['resource-updated', async () => {
            const uri = 'test://greeting';
            const stop = await peer.watch({ resourceSubscriptions: [uri, 'test://shelves/upper'] });
            for (const changed of [uri, 'test://shelves/upper/a']) {
                const start = peer.changes.length;
                await Promise.all([peer.call('touch', { uri: changed }), peer.changed(changed, start)]);
            }
            // What follows shows that the first did not come.
            const start = peer.changes.length;
            await peer.call('touch', { uri: 'test://shelves/uppermost' });
            await Promise.all([peer.call('touch', { uri }), peer.changed(uri, start)]);
            assert.deepEqual(peer.changes.slice(start).map(({ params }) => params.uri), [uri]);
            await stop();
        }],
        ['no-update-after-the-end', async () => {
            const uri = 'test://greeting';
            const stop = await peer.watch({ resourceSubscriptions: [uri, 'test://bytes'] });
            await stop();
            const again = await peer.watch({ resourceSubscriptions: ['test://bytes'] });
            const start = peer.changes.length;
            await peer.call('touch', { uri });
            await Promise.all([peer.call('touch', { uri: 'test://bytes' }), peer.changed('test://bytes', start)]);
            assert.deepEqual(peer.changes.slice(start).map(({ params }) => params.uri), ['test://bytes']);
            await again();
        }]
    ];
    if (peer.revision >= '2025-06-18') {
        checks.push(['resource-that-asks', async () => {
            peer.answer = () => ({ action: 'accept', content: { title: 'Kagerō' } });
            assert.equal((await read('test://diary')).text, 'the diary Kagerō');
        }]);
    }
    return checks;
}
