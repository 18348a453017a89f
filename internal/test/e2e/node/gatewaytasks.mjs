// Uses the tasks of servers behind a gateway with the TypeScript SDK v1:
//
//     node gatewaytasks.mjs -- gateway -config file
//
// The file names taskserver.mjs as "ts", and server-everything as "everything".
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, CreateTaskResultSchema, ElicitRequestSchema, LoggingMessageNotificationSchema, TaskStatusNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { finish, readArguments, runChecks, within } from './report.mjs';
import { History } from './history.mjs';

const { command, args } = readArguments({});
const client = new Client({ name: 'e2e-tasks', version: '1.0.0' }, { capabilities: { elicitation: {} }, enforceStrictCapabilities: true });
const statuses = new History();
const logs = new History();
const questions = [];
client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => statuses.add(params));
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs.add(params));
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params);
    return { action: 'accept', content: { interpretation: 'technical' } };
});
const transport = new StdioClientTransport({ command, args, stderr: 'inherit' });
await client.connect(transport);

const tasks = client.experimental.tasks;

// follow collects what a call as a task goes through.
async function follow(name, args, options) {
    const seen = [];
    for await (const message of tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, options)) {
        seen.push(message);
        if (message.type === 'taskCreated') options?.created?.(message.task);
    }
    return seen;
}

const release = () => client.callTool({ name: 'ts_release', arguments: {} });
const text = result => result.content[0].text;

await runChecks([
    ['capabilities', async () => {
        const { logging, tasks } = client.getServerCapabilities();
        assert.deepEqual(tasks, { list: {}, cancel: {}, requests: { tools: { call: {} } } });
        assert.deepEqual(logging, {});
    }],
    ['listed', async () => {
        const { tools } = await client.listTools();
        const support = name => tools.find(tool => tool.name === name)?.execution?.taskSupport;
        assert.equal(support('ts_work'), 'optional');
        assert.equal(support('everything_simulate-research-query'), 'required');
        assert.ok([undefined, 'forbidden'].includes(support('ts_release')));
    }],
    ['completed', async () => {
        const progress = new History();
        const seen = await follow('ts_work', {}, { task: { ttl: 30_000 }, onprogress: p => progress.add(p), created: task => {
            assert.equal(task.ttl, 30_000);
            assert.match(task.taskId, /^gwt\./);
            void release();
        } });
        assert.equal(seen.at(-1).type, 'result', JSON.stringify(seen));
        assert.equal(text(seen.at(-1).result), 'worked');
    }],
    ['progress-and-result', async () => {
        const progress = new History();
        const created = await client.request({ method: 'tools/call', params: { name: 'ts_work', arguments: {}, task: {} } }, CreateTaskResultSchema, { onprogress: p => progress.add(p) });
        const result = tasks.getTaskResult(created.task.taskId, CallToolResultSchema);
        await client.callTool({ name: 'ts_advance', arguments: {} });
        await progress.until(p => p.message === 'nearly', 'progress after the call');
        await release();
        assert.equal(text(await within(result, 'the result')), 'worked');
        const { tasks: listed } = await tasks.listTasks();
        assert.ok(listed.some(task => task.taskId === created.task.taskId && task.status === 'completed'), JSON.stringify(listed));
    }],
    ['cancelled', async () => {
        let id;
        const seen = await follow('ts_work', {}, { task: {}, created: task => {
            id = task.taskId;
            void tasks.cancelTask(id);
        } });
        assert.equal(seen.at(-1).type, 'error', JSON.stringify(seen));
        assert.equal((await tasks.getTask(id)).status, 'cancelled');
        await assert.rejects(tasks.cancelTask(id), { code: -32602 });
        await release();
    }],
    ['plain', async () => {
        const result = client.callTool({ name: 'ts_work', arguments: {} });
        while (text(await release()) === '0') await new Promise(resolve => setTimeout(resolve, 50));
        assert.equal(text(await result), 'worked');
    }],
    ['required', async () => {
        await assert.rejects(client.request({ method: 'tools/call', params: { name: 'everything_simulate-research-query', arguments: { topic: 'x' } } }, CallToolResultSchema), { code: -32601 });
        await assert.rejects(client.request({ method: 'tools/call', params: { name: 'ts_release', arguments: {}, task: {} } }, CallToolResultSchema), { code: -32601 });
    }],
    ['question', async () => {
        const seen = await follow('everything_simulate-research-query', { topic: 'python', ambiguous: true }, { task: { ttl: 60_000 } });
        assert.equal(seen.at(-1).type, 'result', JSON.stringify(seen));
        assert.match(text(seen.at(-1).result), /Research Report: python \(technical\)/);
        assert.equal(questions.length, 1);
        const created = seen.find(message => message.type === 'taskCreated').task.taskId;
        assert.equal(questions[0]._meta['io.modelcontextprotocol/related-task'].taskId, created);
        await statuses.until(status => status.taskId === created, 'a status notification');
    }],
    ['unknown', async () => {
        await assert.rejects(tasks.getTask('gwt.nothing'), { code: -32602 });
    }],
    ['logs', async () => {
        await client.setLoggingLevel('error');
        await release();
        await logs.until(({ data }) => String(data).includes('released at error'), 'an error that is logged');
        assert.equal(logs.filter(({ level, data }) => level === 'debug' && String(data).includes('released')).length, 0);
        await client.setLoggingLevel('debug');
        await release();
        await logs.until(({ data }) => String(data).includes('released at debug'), 'a debug message');
    }],
    ['lost', async () => {
        let id;
        ({ task: { taskId: id } } = await client.request({ method: 'tools/call', params: { name: 'ts_work', arguments: {}, task: {} } }, CreateTaskResultSchema));
        await client.callTool({ name: 'ts_die', arguments: {} });
        let task;
        for (;;) {
            try {
                task = await tasks.getTask(id);
                if (task.status !== 'working') break;
            } catch (error) {
                if (error.code !== -32603) throw error; // it is being started
            }
            await new Promise(resolve => setTimeout(resolve, 100));
        }
        assert.equal(task.status, 'failed');
        assert.match(task.statusMessage, /was restarted while the task was at work/);
        await assert.rejects(tasks.getTaskResult(id, CallToolResultSchema), /its work may be done or not/);
    }]
]);
await client.close();
finish();
