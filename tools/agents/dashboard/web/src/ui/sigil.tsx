import { memo } from 'react'
import { Icon } from './icons'
import type { IconName } from './icons'
import type { Tone } from './tone'

const round = (n: number) => Math.round(n * 100) / 100

const known: Record<string, IconName> = {
  'impl-code': 'wand',
  'code-review': 'eye',
  'text-review': 'quill',
  'impl-test': 'flask',
}

/** The sign of a role in its magic circle: drawn for the roles that everybody has, made of the name for others. */
export const Sigil = memo(function Sigil({ role, tone, size = 46 }: { role: string; tone?: Tone; size?: number }) {
  const icon = known[role]
  return (
    <span className={`sigil ${tone ? `tone-${tone}` : ''}`} style={{ width: size, height: size }} aria-hidden>
      <span className="sigil-ring">
        <svg viewBox="0 0 48 48" width={size} height={size} fill="none" stroke="currentColor">
          <circle cx="24" cy="24" r="22.5" strokeWidth="1.2" strokeOpacity=".55" />
          <circle cx="24" cy="24" r="19" strokeWidth="1.6" strokeDasharray={dashes(role)} strokeOpacity=".8" />
          <path d={ticks} strokeWidth="1.2" strokeOpacity=".55" />
        </svg>
      </span>
      <span className="sigil-sign">
        {icon ? <Icon name={icon} size={Math.round(size * 0.46)} /> : <Star seed={role} size={Math.round(size * 0.56)} />}
      </span>
    </span>
  )
})

const ticks = [0, 60, 120, 180, 240, 300]
  .map((deg) => {
    const [a, b] = [polar(20.5, deg), polar(22.5, deg)]
    return `M${a}L${b}`
  })
  .join('')

function polar(r: number, deg: number): string {
  const rad = ((deg - 90) * Math.PI) / 180
  return `${round(24 + r * Math.cos(rad))} ${round(24 + r * Math.sin(rad))}`
}

function hash(s: string): number {
  let h = 2166136261
  for (const c of s) h = Math.imul(h ^ (c.codePointAt(0) ?? 0), 16777619) >>> 0
  return h
}

const rhythms = ['7 3 2 3', '12 4', '3 3', '9 2 1 2', '1 3 6 3', '16 3 3 3']

function dashes(role: string): string {
  return rhythms[hash(role) % rhythms.length] ?? '7 3'
}

/** A star with as many points as the name says, {5/2} to {9/4}. */
function Star({ seed, size }: { seed: string; size: number }) {
  const h = hash(seed)
  const points = 5 + (h % 5)
  const step = points === 6 ? 2 : 2 + ((h >>> 8) % (Math.ceil(points / 2) - 2))
  const at = (i: number) => polar(17, (360 / points) * i)
  const lines: string[] = []
  for (let i = 0; i < points; i++) lines.push(`M${at(i)}L${at((i + step) % points)}`)
  return (
    <svg viewBox="0 0 48 48" width={size} height={size} fill="none" stroke="currentColor" strokeWidth="2.2" strokeLinejoin="round" strokeLinecap="round">
      <path d={lines.join('')} />
      <circle cx="24" cy="24" r={2.2 + (h % 3)} strokeWidth="1.6" />
    </svg>
  )
}

/** The great circle behind everything, and in the places where nothing is yet. */
export const GreatCircle = memo(function GreatCircle({ className = '' }: { className?: string }) {
  return (
    <span className={`great-circle ${className}`} aria-hidden>
      <svg viewBox="0 0 400 400" fill="none" stroke="currentColor">
        <g className="turn-slow">
          <circle cx="200" cy="200" r="192" strokeWidth="1.5" />
          <circle cx="200" cy="200" r="164" strokeWidth="1" />
          {Array.from({ length: 24 }, (_, i) => (
            <path
              key={i}
              d={runeStrokes[i % runeStrokes.length]}
              transform={`rotate(${i * 15} 200 200) translate(200 22)`}
              strokeWidth="1.6"
              strokeLinecap="round"
            />
          ))}
        </g>
        <g className="turn-back">
          <circle cx="200" cy="200" r="150" strokeWidth="1" strokeDasharray="2 7" />
          <path d={polygon(200, 142, 3, 0)} strokeWidth="1.3" />
          <path d={polygon(200, 142, 3, 60)} strokeWidth="1.3" />
          <circle cx="200" cy="200" r="71" strokeWidth="1.2" />
          {[0, 60, 120, 180, 240, 300].map((deg) => {
            const rad = ((deg - 90) * Math.PI) / 180
            return <circle key={deg} cx={round(200 + 142 * Math.cos(rad))} cy={round(200 + 142 * Math.sin(rad))} r="11" strokeWidth="1.2" />
          })}
        </g>
        <g className="turn-slow">
          <path d={polygon(200, 62, 8, 0, 3)} strokeWidth="1" />
          <circle cx="200" cy="200" r="24" strokeWidth="1.2" />
        </g>
      </svg>
    </span>
  )
})

// Eight signs of our own, each a few strokes around the origin.
const runeStrokes = [
  'M-4 -8V8M-4 -6L5 -1M-4 0L5 5',
  'M-4 8V-8L5 -2V8',
  'M0 -8V8M0 -5L5 0L0 5',
  'M-4 -8V8M-4 -4L4 4M4 -8V8',
  'M-5 -6L5 6M5 -6L-5 6',
  'M0 -8V8M-5 -3L0 -8L5 -3',
  'M-4 -8L4 0L-4 8M4 -8V8',
  'M0 -8L5 -1L0 6L-5 -1ZM0 6V9',
]

function polygon(c: number, r: number, n: number, turn: number, step = 1): string {
  const at = (i: number) => {
    const rad = (((360 / n) * i + turn - 90) * Math.PI) / 180
    return `${round(c + r * Math.cos(rad))} ${round(c + r * Math.sin(rad))}`
  }
  const d: string[] = []
  for (let i = 0; i < n; i++) d.push(`M${at(i)}L${at((i + step) % n)}`)
  return d.join('')
}
