import type { Words } from '../i18n'
import { ended } from '../wire/types'
import type { Agent } from '../wire/types'

/** How a state looks: one colour and one motion each. */
export type Tone = 'queued' | 'blocked' | 'running' | 'stalled' | 'completed' | 'reported' | 'failed' | 'timedOut' | 'cancelled'

type Shown = Pick<Agent, 'status' | 'outcome' | 'stalled' | 'lost' | 'result' | 'report'>

export function toneOf(a: Shown): Tone {
  if (a.status === 'running') return a.stalled ? 'stalled' : 'running'
  if (a.status === 'resultReported') {
    const end = a.outcome ?? 'completed'
    if (end !== 'completed') return end as Tone
    return failure(a) ? 'failed' : 'reported'
  }
  if (a.status === 'completed' && failure(a)) return 'failed'
  return a.status
}

/** The word for a state. A report does not hide how an agent has ended. */
export function stateWord(a: Shown, w: Words): string {
  if (a.status === 'running' && a.stalled) return w.status.stalled
  if (a.lost && (a.outcome ?? a.status) === 'failed') return w.status.lost
  if (a.status === 'resultReported' && a.outcome && a.outcome !== 'completed') return w.status[a.outcome]
  if (ended(a.status) && failure(a) && (a.status === 'completed' || a.status === 'resultReported')) return w.status.reportedFailure
  return w.status[a.status] ?? a.status
}

const failure = (a: Shown) => (a.result?.status ?? a.report?.status) === 'failure'
