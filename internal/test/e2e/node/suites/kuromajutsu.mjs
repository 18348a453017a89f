// What every client that is a library is made to do with a server that runs other
// agents, which are recordings here.
import assert from 'node:assert/strict';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endChecks } from '../checks/end.mjs';
import { text } from '../checks/result.mjs';
import { runChecks, within } from '../report.mjs';

const tools = [
    'create_group', 'delete_group', 'run_agent', 'list_agents', 'get_agent_status', 'wait_agent', 'report_result', 'list_roles',
    'cancel_agent', 'send_followup', 'get_agent_output'
];

export async function run(connect, { cwd }) {
    const project = join(cwd, 'project');
    await mkdir(project, { recursive: true });
    const args = ['-root', project, '-port', '0', '-agent-stagger_ms', '0'];
    const peer = await within(connect({}, { cwd: project, args }), 'connecting');
    const succeeds = async (name, args, options) => {
        const result = await peer.call(name, args, options);
        assert.ok(!result.isError, JSON.stringify(result));
        // Revisions without structured content have all that a model needs in the text.
        return peer.revision >= '2025-06-18' ? result.structuredContent : text(result);
    };
    const refused = async (name, args, ...words) => {
        const result = await peer.call(name, args);
        assert.equal(result.isError, true, JSON.stringify(result));
        for (const word of words) assert.ok(text(result).includes(word), `${JSON.stringify(word)} is missing in ${text(result)}`);
    };
    const order = async (recording, more = {}) => {
        const { agentId, status } = await succeeds('run_agent', { groupId, role: 'impl-code', prompt: `Play. [fake:${recording}]`, ...more });
        assert.match(agentId, /^[\w-]+-\d+-[0-9a-f]{8}$/);
        return { agentId, status };
    };
    const wait = async (...agentIds) => {
        const { completed, pending, timedOut } = await succeeds('wait_agent', { agentIds, mode: 'all' });
        assert.deepEqual({ pending, timedOut }, { pending: [], timedOut: false });
        return completed;
    };
    let groupId, first, second;
    const checks = [
        ['offered', async () => {
            assert.deepEqual((await peer.tools()).map(tool => tool.name).sort(), tools.toSorted());
        }],
        ['roles', async () => {
            const { roles } = await succeeds('list_roles', {});
            assert.deepEqual(roles.map(({ id }) => id), ['impl-code', 'code-review', 'text-review', 'impl-test']);
            assert.equal(roles[0].name, 'コード実装者');
        }],
        ['group', async () => {
            const group = await succeeds('create_group', { description: '認証機能の実装・テスト・レビュー' });
            assert.match(group.groupId, /^grp-\d+-[0-9a-f]{8}$/);
            assert.deepEqual([group.status, group.description], ['active', '認証機能の実装・テスト・レビュー']);
            ({ groupId } = group);
        }],
        ['run', async () => {
            first = await order('edits');
            second = await order('nested', { role: 'impl-test' });
            assert.equal(first.status, 'queued');
        }],
        ['wait', async () => {
            const ended = await wait(first.agentId, second.agentId);
            assert.deepEqual(ended.map(({ agentId, status }) => [agentId, status]), [[first.agentId, 'completed'], [second.agentId, 'completed']]);
        }],
        ['status', async () => {
            const { status, toolCallCount, result } = await succeeds('get_agent_status', { agentId: first.agentId });
            assert.deepEqual([status, toolCallCount, result.status, result.createdFiles], ['completed', 5, 'success', ['src/greet.go']]);
            await access(join(project, 'src', 'greet.go'));
        }],
        ['nested-report', async () => {
            const { status, result } = await succeeds('get_agent_status', { agentId: second.agentId });
            assert.deepEqual([status, result.statusSource, result.summary], ['resultReported', 'report', 'One file was written.']);
        }],
        ['review', async () => {
            const { agentId } = await order('normal', { role: 'code-review', dependsOn: [first.agentId] });
            await wait(agentId);
            const { text } = await succeeds('get_agent_output', { agentId });
            assert.match(text, /README/);
        }],
        ['progress', async () => {
            const { agentId } = await order('stalled file=go');
            let heard;
            const progress = new Promise(resolve => {
                heard = resolve;
            });
            const waiting = peer.call('wait_agent', { agentIds: [agentId] }, { onprogress: heard });
            assert.match((await within(progress, 'progress')).message, new RegExp(agentId));
            await writeFile(join(project, 'go'), '');
            assert.match(text(await waiting), /completed/);
        }],
        ['cancel', async () => {
            const { agentId } = await order('silent');
            assert.deepEqual((await succeeds('cancel_agent', { agentId, reason: 'enough' })).cancelled, [agentId]);
            assert.equal((await succeeds('get_agent_status', { agentId })).status, 'cancelled');
        }],
        ['timeout', async () => {
            const { agentId } = await order('silent', { timeout_ms: 300 });
            assert.equal((await wait(agentId))[0].status, 'timedOut');
        }],
        ['refused', async () => {
            await refused('run_agent', { groupId, role: 'nobody', prompt: 'x' }, 'UNKNOWN_ROLE', 'list_roles');
            await refused('wait_agent', { agentIds: ['nobody'] }, 'UNKNOWN_AGENT');
        }],
        ['list', async () => {
            const { agents, total } = await succeeds('list_agents', { groupId });
            assert.deepEqual([agents.length, total], [6, 6]);
        }],
        ['delete', async () => {
            const { agentId } = await order('silent');
            await refused('delete_group', { groupId }, 'GROUP_BUSY', agentId);
            assert.equal((await succeeds('delete_group', { groupId, force: true })).deleted, true);
            await refused('run_agent', { groupId, role: 'impl-code', prompt: 'x' }, 'UNKNOWN_GROUP');
        }],
        ...endChecks(peer)
    ];
    await runChecks(checks, () => peer.context());
}
