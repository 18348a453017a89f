// A server of the TypeScript SDK v1, on standard input and output, whose tool "work"
// can be called as a task: it takes until the tool "release" is called.
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer(
    { name: 'taskserver', version: '1.0.0' },
    {
        capabilities: { logging: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        taskStore: new InMemoryTaskStore(),
        taskMessageQueue: new InMemoryTaskMessageQueue()
    }
);

const waiting = [];

server.experimental.tasks.registerToolTask('work', { description: 'works until it is released', execution: { taskSupport: 'optional' } }, {
    async createTask(extra) {
        const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl ?? 60_000, pollInterval: 100 });
        const progressToken = extra._meta?.progressToken;
        waiting.push({
            async advance() {
                if (progressToken === undefined) return;
                await server.server.notification(
                    { method: 'notifications/progress', params: { progressToken, progress: 1, total: 2, message: 'nearly' } },
                    { relatedTask: { taskId: task.taskId } }
                );
            },
            async done(word) {
                try {
                    await extra.taskStore.storeTaskResult(task.taskId, 'completed', { content: [{ type: 'text', text: word }] });
                } catch {
                    // it was cancelled
                }
            }
        });
        return { task };
    },
    getTask: extra => extra.taskStore.getTask(extra.taskId),
    getTaskResult: extra => extra.taskStore.getTaskResult(extra.taskId)
});

server.registerTool('release', { description: 'releases all work' }, async extra => {
    for (const level of ['debug', 'error']) {
        await server.server.sendLoggingMessage({ level, logger: 'work', data: `released at ${level}` }, extra.sessionId);
    }
    const all = waiting.splice(0);
    for (const work of all) await work.done('worked');
    return { content: [{ type: 'text', text: String(all.length) }] };
});

server.registerTool('advance', { description: 'has all work tell its progress' }, async () => {
    for (const work of waiting) await work.advance();
    return { content: [{ type: 'text', text: String(waiting.length) }] };
});

server.registerTool('die', { description: 'ends the server' }, async () => process.exit(3));

await server.connect(new StdioServerTransport());
