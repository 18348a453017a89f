// Scenes for the stand-in: worlds in which there is something to see.

import { World, ago } from './world.mjs'

const say = (language, ja, en) => (language === 'en' ? en : ja)

const models = {
  cursor: [
    { id: 'auto', name: 'Auto', default: true },
    { id: 'claude-4-sonnet', name: 'Claude 4 Sonnet', current: true },
    { id: 'claude-4-opus', name: 'Claude 4 Opus' },
    { id: 'gpt-5', name: 'GPT-5' },
    { id: 'gemini-3-pro', name: 'Gemini 3 Pro' },
    { id: 'grok-4', name: 'Grok 4' },
  ],
}

const passed = (id, ms) => ({ id, available: true, healthCheck: { status: 'passed', checkedAt: ago(3500), responseTime_ms: ms }, modelValidation: { status: 'valid', checkedAt: ago(3505) } })

export function roles(language) {
  const role = (id, name, model, prompt, state, more = {}) => ({ id, name, model, systemPrompt: prompt, healthCheckPrompt: 'Hello, respond with exactly: OK', tools: [], ...more, state })
  const l = (ja, en) => say(language, ja, en)
  return [
    role('impl-code', l('コード実装者', 'Implementer'), 'claude-4-sonnet', l('あなたはコード実装の専門家です。\n与えられた仕様や指示に基づき、高品質なコードを実装してください。\n実装が完了したら、必ず kuromajutsu MCP の `report_result` ツールを呼び出して結果を報告してください。\n', 'You are an expert implementer.\nWrite good code for what you are asked.\nWhen you are done, call `report_result` of kuromajutsu.\n'), passed('impl-code', 1180)),
    role('code-review', l('コードレビュワー', 'Code reviewer'), 'claude-4-opus', l('あなたはコードレビューの専門家です。\n与えられたコードを精査し、品質・可読性・セキュリティ・パフォーマンスの観点からフィードバックを提供してください。\n', 'You are an expert reviewer of code.\nLook at quality, legibility, security and speed.\n'), passed('code-review', 830), { readOnly: true }),
    role('text-review', l('文章レビュワー', 'Editor'), 'gpt-4o', l('あなたは文章レビューの専門家です。\n与えられたテキストの文法、表現、構成、一貫性を確認し、改善提案を提供してください。\n', 'You are an expert editor of prose.\n'), {
      id: 'text-review',
      available: false,
      healthCheck: { status: 'skipped', reason: 'モデル検証に失敗したためスキップ', checkedAt: ago(3500) },
      modelValidation: { status: 'invalid', message: "モデル 'gpt-4o' は利用できません", checkedAt: ago(3505), suggestion: 'gpt-5', availableModels: ['gpt-5', 'claude-4-sonnet', 'claude-4-opus', 'auto'] },
    }),
    role('impl-test', l('テスト実装者', 'Tester'), 'claude-4-sonnet', l('あなたはテスト実装の専門家です。\n与えられた仕様やコードに対して、包括的なテストを作成してください。\n', 'You are an expert writer of tests.\n'), passed('impl-test', 1420)),
    role('db-oracle', l('データベース神官', 'Database oracle'), 'gemini-3-pro', l('スキーマ設計とクエリ最適化の専門家です。\n', 'You know schemas and queries.\n'), passed('db-oracle', 2210), { isolation: 'worktree', timeout_ms: 600000 }),
  ]
}

function agent(id, groupId, role, status, began, more = {}) {
  return {
    agentId: id,
    groupId,
    role,
    executor: 'cursor',
    model: 'claude-4-sonnet',
    status,
    createdAt: ago(began + 3),
    startedAt: status === 'queued' || status === 'blocked' ? undefined : ago(began),
    workingDirectory: '/home/sora/src/shop',
    isolation: 'none',
    sessionId: '6f2d8f0e-9d3a-4b1c-8a57-1c2f8b7e4d10',
    toolCallCount: 0,
    version: 1,
    ...more,
  }
}

function done(id, groupId, role, began, took, summary, files, more = {}) {
  const outcome = more.outcome ?? 'completed'
  const verdict = { completed: 'success', failed: 'failure', timedOut: 'timeout', cancelled: 'cancelled' }[outcome]
  const changes = files.map((f) => ({ path: f.slice(1), kind: f[0] === '+' ? 'created' : f[0] === '-' ? 'deleted' : 'edited', sources: ['stream', 'git'] }))
  const paths = (kind) => changes.filter((c) => c.kind === kind).map((c) => c.path)
  const status = more.status ?? 'resultReported'
  return agent(id, groupId, role, status, began, {
    outcome,
    endedAt: ago(began - took),
    lastAssistantMessage: summary,
    usage: { inputTokens: 48210, outputTokens: 6120, cacheReadTokens: 310400, cacheWriteTokens: 12800, costUSD: 0.3127, estimated: true },
    report: status === 'resultReported' ? { status: verdict, summary, at: ago(began - took), via: 'call' } : undefined,
    result: { status: verdict, statusSource: 'report', summary, summarySource: 'report', editedFiles: paths('edited'), createdFiles: paths('created'), deletedFiles: paths('deleted'), changes, duration_ms: took * 1000, toolCallCount: 18, timestamp: ago(began - took) },
    toolCallCount: 18,
    version: 9,
    ...more,
  })
}

const group = (id, description, seconds, status = 'active') => ({ id, description, status, createdAt: ago(seconds), agentIds: [], ...(status === 'deleted' ? { deletedAt: ago(seconds - 60) } : {}) })

const calls = (n) => {
  const kinds = [
    ['readToolCall', { path: 'internal/auth/session.go' }],
    ['grepToolCall', { pattern: 'func \\(s \\*Session\\)', path: 'internal/' }],
    ['editToolCall', { path: 'internal/auth/token.go' }],
    ['shellToolCall', { command: 'go test ./internal/auth/ -run TestToken -count=1' }],
    ['mcpToolCall', { providerIdentifier: 'kuromajutsu', toolName: 'report_result', args: { summary: '…' } }],
    ['writeToolCall', { path: 'internal/auth/token_test.go' }],
  ]
  return Array.from({ length: n }, (_, i) => {
    const [type, args] = kinds[i % kinds.length]
    return { seq: i + 1, callId: `c${i + 1}`, type, subtype: i === n - 1 ? 'started' : 'completed', failed: i === 3, args, startedAt: ago((n - i) * 4), endedAt: ago((n - i) * 4 - 2) }
  })
}

/** Several groups with agents in every state there is. */
export function rich(language = 'ja') {
  const l = (ja, en) => say(language, ja, en)
  const groups = [
    group('grp-1763791200-b4e1', l('認証機能の実装・テスト・レビュー', 'Sign-in: implementation, tests, review'), 420),
    group('grp-1763791020-77c0', l('決済 API の冪等化とリトライ設計の見直し', 'Payments: idempotency and retries'), 900),
    group('grp-1763790011-0a9d', l('README と API ドキュメントの校正', 'README and API documents'), 2400),
    group('grp-1763704800-c3f5', l('検索インデックスの高速化', 'A faster search index'), 86400, 'deleted'),
  ]
  const [auth, pay, docs, search] = groups.map((g) => g.id)
  const agents = [
    agent('impl-code-1763791210-a3f2', auth, 'impl-code', 'running', 74, { modelName: 'Claude 4 Sonnet', toolCallCount: 12, recentToolCalls: calls(12), prompt: l('リフレッシュトークンのローテーションを実装してください。既存のセッション層はそのまま使い、失効したトークンの再利用を検知したらその系列をすべて無効にすること。', 'Implement rotation of refresh tokens on top of the session layer.'), lastAssistantMessage: l('セッション層を読み終えました。リフレッシュトークンの系列をテーブルで持ち、再利用を検知したら系列ごと失効させる方針で実装を進めます。', 'I have read the session layer. I keep families of refresh tokens in a table and revoke a whole family when one of its tokens is used twice.') }),
    agent('impl-test-1763791214-91bd', auth, 'impl-test', 'running', 58, { toolCallCount: 7, recentToolCalls: calls(7), lastAssistantMessage: l('境界値のテストを追加しています：有効期限ちょうど、1 ミリ秒前、1 ミリ秒後。', 'Adding the tests of the edges: exactly at the end of validity, one millisecond before, one after.') }),
    agent('code-review-1763791220-5e07', auth, 'code-review', 'blocked', 50, { model: 'claude-4-opus', modelName: 'Claude 4 Opus', dependsOn: ['impl-code-1763791210-a3f2', 'impl-test-1763791214-91bd'] }),
    agent('db-oracle-1763791225-d01c', auth, 'db-oracle', 'running', 190, { model: 'gemini-3-pro', stalled: true, toolCallCount: 3, isolation: 'worktree', lastAssistantMessage: l('マイグレーションの影響範囲を調べています。', 'Looking at what the migration touches.') }),
    agent('impl-code-1763791230-44aa', auth, 'impl-code', 'queued', 5),
    done('impl-code-1763791100-0b6e', auth, 'impl-code', 380, 96, l('パスワードハッシュを Argon2id に移行し、旧形式は次回ログイン時に自動で更新するようにしました。', 'Moved password hashes to Argon2id; old ones are renewed at the next login.'), ['~internal/auth/password.go', '+internal/auth/argon2.go', '+internal/auth/argon2_test.go']),
    done('impl-code-1763791030-1f33', pay, 'impl-code', 840, 210, l('Idempotency-Key を受け取り、24 時間のあいだ同じ応答を返すようにしました。', 'Answers are kept for 24 hours under their Idempotency-Key.'), ['~api/payments.go', '~api/middleware.go', '+internal/idempotency/store.go', '+internal/idempotency/store_test.go']),
    done('impl-test-1763791032-7d20', pay, 'impl-test', 830, 44, '', [], { outcome: 'failed', status: 'failed', error: l('プロセスが終了コード 1 で終わりました: ネットワークに接続できません (ENOTFOUND api2.cursor.sh)', 'The process ended with exit code 1: getaddrinfo ENOTFOUND api2.cursor.sh'), lastAssistantMessage: '' }),
    done('code-review-1763791040-e8c1', pay, 'code-review', 620, 300, l('時間切れまでに 14 ファイルを確認しました。', 'Looked at 14 files before the time was up.'), [], { outcome: 'timedOut', status: 'timedOut', error: l('制限時間 5 分を超えたため終了しました', 'It ran for longer than 5 minutes and was ended') }),
    done('impl-code-1763791050-2b9f', pay, 'impl-code', 560, 20, l('ユーザーが中止しました: 方針変更のため', 'Cancelled: the plan has changed'), [], { outcome: 'cancelled', status: 'cancelled' }),
    done('text-review-1763790020-3c11', docs, 'text-review', 2300, 65, l('README の用語を統一し、手順を 9 から 5 に減らしました。', 'Made the terms of the README consistent and cut its steps from nine to five.'), ['~README.md', '~docs/api.md']),
    done('text-review-1763790024-b7a8', docs, 'text-review', 2290, 130, l('API ドキュメントの例をすべて実行し、3 箇所の誤りを直しました。', 'Ran every example of the API documents and corrected three.'), ['~docs/api.md', '~docs/errors.md', '-docs/old.md'], { status: 'completed' }),
    done('impl-code-1763704810-9e9e', search, 'impl-code', 86300, 280, l('転置インデックスを差分符号化し、メモリを 41 % 減らしました。', 'Delta-coded the postings: 41 % less memory.'), ['~search/index.go', '~search/postings.go']),
    done('impl-test-1763704815-20dd', search, 'impl-test', 86200, 150, l('プロパティテストを 12 本追加しました。', 'Added twelve property tests.'), ['+search/index_prop_test.go']),
  ]
  for (const a of agents) groups.find((g) => g.id === a.groupId)?.agentIds.push(a.agentId)
  return new World({ groups, agents, roles: roles(language), models, health: { phase: 'done', startedAt: ago(3510), finishedAt: ago(3490), total: 5, available: 4 }, texts: texts(language) })
}

function texts(language) {
  const l = (ja, en) => say(language, ja, en)
  return {
    text: () => l('まず既存のセッション層を読みます。\n\n`internal/auth/session.go` では Cookie とサーバー側の記録が 1 対 1 で結び付いています。ここにトークンの系列（family）を加えます。\n\n1. 系列のテーブルを作る\n2. 更新のたびに新しいトークンを発行し、古いものを「使用済み」にする\n3. 使用済みトークンが再び使われたら、系列ごと失効させる\n\nテストから書き始めます。\n', 'First I read the session layer.\n\nA cookie and a record of the server belong together. I add families of tokens to that.\n'),
    diff: () => 'diff --git a/internal/auth/token.go b/internal/auth/token.go\n--- a/internal/auth/token.go\n+++ b/internal/auth/token.go\n@@ -18,9 +18,21 @@ type Token struct {\n \tID     string\n \tUserID string\n-\tUsed   bool\n+\tFamily string\n+\tUsedAt time.Time\n }\n \n+// Rotate answers the token that follows t, and revokes the family if t was used before.\n+func (s *Store) Rotate(ctx context.Context, t Token) (Token, error) {\n+\tif !t.UsedAt.IsZero() {\n+\t\treturn Token{}, s.revoke(ctx, t.Family)\n+\t}\n+\treturn s.next(ctx, t)\n+}\n+\n func (s *Store) Close() error {\n',
    log: () =>
      [
        '{"type":"system","subtype":"init","apiKeySource":"env","cwd":"/home/sora/src/shop","session_id":"6f2d8f0e","model":"Claude 4 Sonnet","permissionMode":"default"}',
        '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"…"}]},"session_id":"6f2d8f0e"}',
        '{"type":"tool_call","subtype":"started","call_id":"c1","tool_call":{"readToolCall":{"args":{"path":"internal/auth/session.go"}}}}',
        '{"type":"tool_call","subtype":"completed","call_id":"c1","tool_call":{"readToolCall":{"args":{"path":"internal/auth/session.go"},"result":{"success":{"totalLines":214}}}}}',
        '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"まず既存のセッション層を読みます。"}]},"session_id":"6f2d8f0e"}',
        '',
      ].join('\n'),
    stderr: () => '',
  }
}

/** Nothing has been asked for yet. */
export function empty(language = 'ja') {
  return new World({ groups: [], agents: [], roles: roles(language), models, health: { phase: 'done', total: 5, available: 4 } })
}

/** The checks of the start, under way. */
export function checking(language = 'ja') {
  const all = roles(language)
  const [code, review, , test, db] = all
  code.state = { ...code.state, available: false, healthCheck: { status: 'running' } }
  test.state = { ...test.state, available: false, healthCheck: { status: 'pending' } }
  db.state = { ...db.state, available: false, healthCheck: { status: 'pending' } }
  review.state.healthCheck.responseTime_ms = 800
  const world = new World({ groups: [], agents: [], roles: all, models, health: { phase: 'roles', startedAt: ago(4), total: 5, available: 1 } })
  return world
}

/** As many agents as asked for, all at work. */
export function crowd(language = 'ja', n = 200) {
  const groups = Array.from({ length: 8 }, (_, i) => group(`grp-17637912${i}0-00${i}0`, say(language, `大規模な移行 その ${i + 1}`, `The great migration, part ${i + 1}`), 600 + i))
  const kinds = ['impl-code', 'code-review', 'impl-test', 'text-review', 'db-oracle']
  const agents = Array.from({ length: n }, (_, i) => {
    const g = groups[i % groups.length]
    const a = agent(`${kinds[i % 5]}-17637920${String(i).padStart(3, '0')}-${(i * 7919).toString(16).padStart(4, '0').slice(-4)}`, g.id, kinds[i % 5], 'running', 30 + i, { toolCallCount: i % 17, lastAssistantMessage: say(language, `モジュール ${i} を移行しています。`, `Moving module ${i}.`) })
    g.agentIds.push(a.agentId)
    return a
  })
  return new World({ server: { maxConcurrent: 200 }, groups, agents, roles: roles(language), models, health: { phase: 'done', total: 5, available: 4 } })
}

/** Lets the agents of a world work, but for one: rate updates a second. */
export function enliven(world, rate = 4, except = '') {
  const thoughts = ['テストを実行しています…', '差分を確認しました。次のファイルへ進みます。', 'エラーの原因はタイムゾーンの扱いでした。', 'ドキュメントも合わせて更新します。', 'Reading the callers before I change the signature.', 'All tests pass; looking for what is left.']
  let i = 0
  world.every(1000 / rate, () => {
    const running = [...world.agents.values()].filter((a) => a.status === 'running' && !a.stalled && a.agentId !== except)
    const a = running[i++ % Math.max(1, running.length)]
    if (!a) return
    if (i % 3 === 0) world.update(a.agentId, { lastAssistantMessage: thoughts[i % thoughts.length] })
    else if (i % 3 === 1) world.call(a.agentId, ['readToolCall', 'editToolCall', 'shellToolCall'][i % 3], { path: `src/module_${i % 40}.ts` })
    else world.call(a.agentId, '', {}, 'completed')
  })
}
