// What every client that is a library is made to do with any server. No tool
// runs: nothing is known about what they do.
import assert from 'node:assert/strict';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { text } from '../checks/result.mjs';
import { endChecks } from '../checks/end.mjs';
import { within, runChecks } from '../report.mjs';

const strange = 'noSuchArgument';

export async function run(connect, { cwd }) {
    const peer = await within(connect({}, { cwd }), 'connecting');
    // refuses says that a tool's arguments are refused as the model's mistake.
    const refuses = async (name, args, word) => {
        const result = await peer.call(name, args);
        assert.equal(result.isError, true, `${name} takes ${JSON.stringify(args)}`);
        assert.ok(text(result).includes(word), `${name} does not say ${word}: ${text(result)}`);
    };
    const checks = [
        ['connect', async () => {
            const { name, version } = peer.client.getServerVersion();
            assert.ok(name && version);
        }],
        ['list', async () => {
            const tools = await peer.tools();
            assert.ok(tools.length > 0);
            assert.equal(new Set(tools.map(tool => tool.name)).size, tools.length, 'names are unique');
            for (const { name, description } of tools) {
                assert.match(name, /^[A-Za-z0-9_.-]{1,128}$/);
                assert.ok(description, `${name} has no description`);
            }
            assert.deepEqual(await peer.tools(), tools, 'a second list is the same');
        }],
        ['schemas', async () => {
            const validator = new AjvJsonSchemaValidator();
            for (const { name, inputSchema, outputSchema } of await peer.tools()) {
                assert.equal(inputSchema.type, 'object', name);
                assert.equal(typeof validator.getValidator(inputSchema), 'function');
                if (outputSchema) assert.equal(typeof validator.getValidator(outputSchema), 'function');
            }
        }],
        ['unknown-tool', () => assert.rejects(peer.call('no_such_tool'), { code: -32602 })],
        ['unknown-argument', async () => {
            for (const { name } of await peer.tools()) await refuses(name, { [strange]: 1 }, strange);
        }],
        ['missing-argument', async () => {
            for (const { name, inputSchema } of await peer.tools()) {
                for (const required of inputSchema.required ?? []) await refuses(name, {}, required);
            }
        }],
        ...endChecks(peer)
    ];
    await runChecks(checks, () => peer.context());
}
