import { describe, expect, it } from 'vitest'
import { words } from '../src/i18n'
import { blank, draftOf, fieldsOf, problemsOf, roleOf, sameDraft } from '../src/screens/draft'
import { mergeCalls } from '../src/screens/detail'
import { byGroup } from '../src/screens/history'
import { pageAt, queryOf } from '../src/screens/historydata'
import { changesOf } from '../src/screens/overview'
import { diffLines, eventOf } from '../src/screens/output'
import { parseRoute, routeHash } from '../src/state/route'
import { ago, bytes, clockTime, count, dollars, elapsed, shortTime } from '../src/ui/format'
import { toolName, toolSubject } from '../src/ui/tool'
import { stateWord, toneOf } from '../src/ui/tone'
import { columnsFor, visibleRows } from '../src/ui/window'
import { takeToken } from '../src/wire/token'
import type { ToolCall } from '../src/wire/types'
import { agent, role } from './data'

describe('times and numbers', () => {
  it.each([[0, '0:00'], [7_400, '0:07'], [754_000, '12:34'], [3_723_000, '1:02:03'], [-5, '0:00']])('%d ms on the clock is %s', (ms, text) => expect(clockTime(ms)).toBe(text))
  it.each([[800, '0.8s'], [20, '0.1s'], [1200, '1.2s'], [12_400, '12s'], [200_000, '3m 20s'], [3_900_000, '1h 5m']])('%d ms in short is %s', (ms, text) => expect(shortTime(ms)).toBe(text))
  it.each([[940, '940'], [1000, '1k'], [12_345, '12.3k'], [4_500_000, '4.5M']])('%d is %s', (n, text) => expect(count(n)).toBe(text))
  it.each([[12, '12 B'], [65_536, '64 KB'], [1_600_000, '1.5 MB']])('%d bytes are %s', (n, text) => expect(bytes(n)).toBe(text))
  it.each([[0.3127, '$0.31'], [0.0042, '$0.0042'], [12, '$12.00']])('%d is %s', (n, text) => expect(dollars(n)).toBe(text))

  it('an agent runs from its start to its end, or to now', () => {
    const now = Date.parse('2026-01-01T00:01:01Z')
    expect(elapsed({}, now)).toBeUndefined()
    expect(elapsed({ startedAt: '2026-01-01T00:00:01Z' }, now)).toBe(60_000)
    expect(elapsed({ startedAt: '2026-01-01T00:00:01.123456789Z', endedAt: '2026-01-01T00:00:02Z' }, now)).toBe(877)
    expect(elapsed({ startedAt: '2026-01-01T00:02:00Z' }, now)).toBe(0)
  })

  it('the past is said coarsely', () => {
    const now = Date.parse('2026-01-01T12:00:00Z')
    expect(ago('2026-01-01T11:59:30Z', now, words.en, 'en')).toBe('just now')
    expect(ago('2026-01-01T11:50:00Z', now, words.ja, 'ja')).toBe('10 分前')
    expect(ago('2026-01-01T09:00:00Z', now, words.en, 'en')).toBe('3 h ago')
    expect(ago('2025-12-01T09:00:00Z', now, words.ja, 'ja')).toMatch(/^2025/)
  })
})

describe('states', () => {
  it.each([
    ['running', {}, 'running', '実行中'],
    ['running', { stalled: true }, 'stalled', '応答なし'],
    ['failed', { lost: true }, 'failed', '状態不明'],
    ['resultReported', { outcome: 'failed', lost: true }, 'failed', '状態不明'],
    ['completed', {}, 'completed', '完了'],
    ['resultReported', { outcome: 'completed' }, 'reported', '報告済み'],
    ['resultReported', { outcome: 'failed' }, 'failed', '失敗'],
    ['resultReported', { outcome: 'timedOut' }, 'timedOut', 'タイムアウト'],
    ['blocked', {}, 'blocked', '依存待ち'],
    ['cancelled', {}, 'cancelled', '中止'],
  ] as const)('%s %o looks %s and is called %s', (status, more, tone, word) => {
    const a = agent('a', { status, ...more })
    expect([toneOf(a), stateWord(a, words.ja)]).toEqual([tone, word])
  })

  it('who reports a failure has failed, whatever its process says', () => {
    const a = agent('a', { status: 'resultReported', outcome: 'completed', report: { status: 'failure', summary: '', at: '', via: 'call' } })
    expect([toneOf(a), stateWord(a, words.en)]).toEqual(['failed', 'Reported failure'])
  })
})

describe('tool calls', () => {
  it.each([
    [{ type: 'readToolCall', args: { path: 'a/b.go' } }, 'read', 'a/b.go'],
    [{ type: 'shellToolCall', args: { command: 'go  test\n./...', timeout: 3 } }, 'shell', 'go test ./...'],
    [{ type: 'mcpToolCall', args: { toolName: 'report_result', args: { status: 'success', summary: 'done' } } }, 'report_result', 'done'],
    [{ type: 'Bash', args: { command: 'ls' } }, 'Bash', 'ls'],
    [{ type: 'fooToolCall', args: { x: 1, y: 'why' } }, 'foo', 'why'],
    [{ type: 'ToolCall' }, 'ToolCall', ''],
    [{ type: 'x', args: [1, 2] }, 'x', ''],
  ] as unknown as [ToolCall, string, string][])('%o', (call, name, subject) => {
    expect([toolName(call), toolSubject(call)]).toEqual([name, subject])
  })

  it('name paths as seen from the directory of the agent', () => {
    expect(toolSubject({ args: { path: '/home/a/src/x.go' } }, '/home/a')).toBe('src/x.go')
    expect(toolSubject({ args: { path: '/home/ab/x.go' } }, '/home/a')).toBe('/home/ab/x.go')
  })

  it('kept and heard are each there once, ended ones as such', () => {
    const c = (seq: number, subtype: string) => ({ seq, callId: `${seq}`, type: 't', subtype })
    expect(mergeCalls([c(1, 'completed'), c(2, 'started')], [c(1, 'started'), c(2, 'completed'), c(3, 'started')])).toEqual([
      { ...c(1, 'completed') },
      { ...c(2, 'completed'), args: undefined },
      { ...c(3, 'started'), args: undefined },
    ])
  })
})

it('lines of a diff are told apart, also those that look like heads of files', () => {
  expect(diffLines('--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- gone\n+++ come\n same\n').map((l) => l.kind)).toEqual(['file', 'file', 'place', 'removed', 'added', 'same'])
})

it.each([
  ['{"type":"tool_call","subtype":"started"}', 'tool_call', 'started'],
  ['{"message":{"type":"x"},"type":"assistant"}', 'assistant', ''],
  ['{"type":3}', '', ''],
  ['{"type":"tool', '', ''],
  ['plain words', '', ''],
])('a line of a log, %s, is %s %s', (line, type, subtype) => {
  expect(eventOf(line)).toEqual({ type, subtype })
})

it('changes come from the result, or what the agent said', () => {
  const r = { status: 'success' as const, statusSource: 'stream', summary: '', summarySource: 'stream', duration_ms: 1, toolCallCount: 0, timestamp: '' }
  expect(changesOf(agent('a'))).toEqual([])
  expect(changesOf(agent('a', { result: { ...r, createdFiles: ['n'], editedFiles: null, deletedFiles: ['d'] } })).map((c) => `${c.kind} ${c.path}`)).toEqual(['created n', 'deleted d'])
  expect(changesOf(agent('a', { report: { status: 'success', summary: '', at: '', via: 'call', editedFiles: ['e'] } })).map((c) => c.path)).toEqual(['e'])
})

describe('a role being edited', () => {
  it('goes there and back without a change', () => {
    for (const r of [role('a'), role('b', { readOnly: true, executor: 'claude', isolation: 'worktree', timeout_ms: 1500, tools: ['Shell(git)', 'Read'] })]) {
      expect(roleOf(draftOf(r), r)).toEqual(fieldsOf(r))
    }
  })

  it('is the same only if every field is', () => {
    const d = draftOf(role('a'))
    expect(sameDraft(d, { ...d })).toBe(true)
    expect(sameDraft(d, { ...d, readOnly: true })).toBe(false)
  })

  it.each([
    ['', 'required'],
    ['Impl', 'badID'],
    ['a b', 'badID'],
    ['impl-code', 'takenID'],
    ['db_oracle-2', undefined],
  ])('the ID %j is %s', (id, problem) => {
    expect(problemsOf({ ...blank, id }, ['impl-code']).id).toBe(problem)
  })
})

describe('pages of the history', () => {
  it.each([
    [0, undefined, false, { offset: 0, limit: 50 }],
    [50, 120, false, { offset: 50, limit: 50 }],
    [120, 120, false, undefined],
    [0, 120, true, { offset: 70, limit: 50 }],
    [50, 120, true, { offset: 20, limit: 50 }],
    [100, 120, true, { offset: 0, limit: 20 }],
    [0, 0, true, undefined],
  ])('%d of %s shown, oldest first %s: %o', (loaded, total, oldest, page) => {
    expect(pageAt(loaded, total, oldest)).toEqual(page)
  })

  it('asks for whole days of the reader', () => {
    const q = queryOf({ group: '', status: '', role: '', text: '', since: '2026-02-28', until: '2026-02-28', oldest: false })
    expect(Date.parse(q.until!) - Date.parse(q.since!)).toBe(86_400_000)
    expect(queryOf({ group: '', status: '', role: '', text: '', since: 'x', until: '', oldest: false })).toMatchObject({ since: '', until: '' })
  })

  it('keeps groups together in the order of their first run', () => {
    const list = [agent('a', { groupId: 'g2' }), agent('b'), agent('c', { groupId: 'g2' })]
    expect(byGroup(list).map(([g, l]) => [g, l.map((a) => a.agentId)])).toEqual([
      ['g2', ['a', 'c']],
      ['g1', ['b']],
    ])
  })
})

describe('what is drawn of a long list', () => {
  it.each([
    ['at the top', 0, { start: 0, end: 7 }],
    ['in the middle', -10_000, { start: 97, end: 107 }],
    ['below the page', 5_000, { start: 0, end: 0 }],
    ['far above', -1_000_000, { start: 1000, end: 1000 }],
  ])('%s', (_, top, span) => {
    expect(visibleRows(top, 400, 1000, 100)).toEqual(span)
  })

  it('as many columns as fit', () => {
    expect([200, 620, 1208, 0].map((w) => columnsFor(w, 304, 12))).toEqual([1, 2, 3, 1])
  })
})

describe('the address', () => {
  it.each([
    ['', 'dashboard', ''],
    ['#/', 'dashboard', ''],
    ['#/history?group=g1&role=x', 'history', 'group=g1&role=x'],
    ['#/nowhere', 'dashboard', ''],
    ['#/?agent=a', 'dashboard', 'agent=a'],
  ])('%s', (hash, screen, params) => {
    const r = parseRoute(hash)
    expect([r.screen, r.params.toString()]).toEqual([screen, params])
  })

  it('is made of a screen and what is chosen', () => {
    expect(routeHash('dashboard', { agent: 'a&b' })).toBe('#/?agent=a%26b')
    expect(routeHash('roles')).toBe('#/roles')
  })

  it.each([
    ['#token=abc', 'abc', '#/'],
    ['#token=a%2Fb', 'a/b', '#/'],
    ['#/history?group=g&token=abc', 'abc', '#/history?group=g'],
    ['#/roles', 'kept', undefined],
    ['#token=%E0%A4', '%E0%A4', '#/'],
  ])('%s gives the token %s and leaves %s', (hash, token, left) => {
    sessionStorage.clear()
    sessionStorage.setItem('kuromajutsu.token', 'kept')
    const replaced: string[] = []
    const history = { replaceState: (_: unknown, __: string, url: string) => replaced.push(url) } as unknown as History
    expect(takeToken({ hash, pathname: '/', search: '' } as Location, history, sessionStorage)).toBe(token)
    expect(replaced).toEqual(left === undefined ? [] : [`/${left}`])
    expect(sessionStorage.getItem('kuromajutsu.token')).toBe(token)
  })
})
