import type { ToolCall } from '../wire/types'

/** The kind of tool without what all of them share: "readToolCall" is "read". */
export function toolName(call: Pick<ToolCall, 'type' | 'args' | 'name'>): string {
  if (call.name) return call.name
  const name = call.type.replace(/ToolCall$/, '')
  const args = object(call.args)
  if (/^mcp$/i.test(name)) {
    const tool = text(args?.toolName) ?? text(args?.name)
    if (tool) return tool
  }
  return name || call.type
}

const telling = ['pattern', 'filePath', 'file', 'path', 'command', 'query', 'globPattern', 'glob', 'url', 'targetDirectory', 'description', 'summary', 'name']

/** What a call is about, in one line: a path, in the directory of the agent relative to it, a command, a pattern. */
export function toolSubject(call: Pick<ToolCall, 'args'>, dir = ''): string {
  const subject = subjectOf(call)
  return dir && subject.startsWith(`${dir}/`) ? subject.slice(dir.length + 1) : subject
}

function subjectOf(call: Pick<ToolCall, 'args'>): string {
  const args = object(call.args)
  if (!args) return typeof call.args === 'string' ? line(call.args) : ''
  for (const key of telling) {
    const value = text(args[key])
    if (value) return line(value)
  }
  const inner = object(args.args) ?? object(args.arguments)
  if (inner) return subjectOf({ args: inner })
  for (const value of Object.values(args)) if (typeof value === 'string' && value) return line(value)
  return ''
}

function object(v: unknown): Record<string, unknown> | undefined {
  return v !== null && typeof v === 'object' && !Array.isArray(v) ? (v as Record<string, unknown>) : undefined
}

const text = (v: unknown) => (typeof v === 'string' && v !== '' ? v : undefined)
const line = (s: string) => s.replace(/\s+/g, ' ').trim().slice(0, 200)
