import { useEffect, useRef, useState } from 'react'
import { PhaseContext, useApp, useData, usePhase } from './state/app'
import type { Notice } from './state/app'
import { routeHash, screens, useRoute } from './state/route'
import type { Screen } from './state/route'
import { ended } from './wire/types'
import type { Agent } from './wire/types'
import type { Phase } from './wire/connection'
import type { Language } from './i18n'
import { Icon } from './ui/icons'
import type { IconName } from './ui/icons'
import { GreatCircle } from './ui/sigil'
import { DashboardScreen } from './screens/dashboard'
import { DetailDrawer } from './screens/detail'
import { HealthScreen } from './screens/health'
import { HistoryScreen } from './screens/history'
import { RolesScreen } from './screens/roles'

interface Props {
  phase: Phase
  notices: readonly Notice[]
  onDismiss(id: number): void
  onLanguage(l: Language): void
}

export function Page({ phase, notices, onDismiss, onLanguage }: Props) {
  const { words } = useApp()
  const { screen, params } = useRoute()
  const agent = params.get('agent')
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    scrollTo({ top: 0 })
  }, [screen])
  return (
    <PhaseContext.Provider value={phase}>
      <a
        className="skip"
        href="#main"
        onClick={(e) => {
          e.preventDefault()
          main.current?.focus()
        }}
      >
        {words.skip}
      </a>
      <GreatCircle className="backdrop" />
      <Header screen={screen} onLanguage={onLanguage} />
      <Lost />
      <main id="main" tabIndex={-1} ref={main}>
        {screen === 'dashboard' && <DashboardScreen />}
        {screen === 'roles' && <RolesScreen />}
        {screen === 'history' && <HistoryScreen />}
        {screen === 'health' && <HealthScreen />}
      </main>
      {agent && <DetailDrawer key={agent} id={agent} />}
      <Notices notices={notices} onDismiss={onDismiss} />
      <Announcer />
    </PhaseContext.Provider>
  )
}

const icons: Record<Screen, IconName> = { dashboard: 'circle', roles: 'mask', history: 'scroll', health: 'pulse' }

function Header({ screen, onLanguage }: { screen: Screen; onLanguage(l: Language): void }) {
  const { words, language } = useApp()
  const name = useData((d) => d.server?.name) || 'kuromajutsu'
  const version = useData((d) => d.server?.version)
  const ready = useData((d) => d.ready)
  const writable = useData((d) => d.writable)
  const running = useData((d) => [...d.tallies.values()].reduce((n, t) => n + t.running, 0))
  const broken = useData((d) => d.roles.filter((r) => r.state && !r.state.available && ['failed', 'skipped'].includes(r.state.healthCheck.status)).length)
  const checking = useData((d) => d.health !== null && d.health.phase !== 'done')
  useEffect(() => {
    document.title = running > 0 ? `(${running}) ${title(name)}` : title(name)
  }, [name, running])
  return (
    <header className="top">
      <a className="brand" href={routeHash('dashboard')} title={version ? `${name} ${version}` : name}>
        <Logo />
        <span className="brand-text">
          <span className="brand-name">{title(name)}</span>
          {name === 'kuromajutsu' && <span className="brand-tag">{words.tagline}</span>}
        </span>
      </a>
      <nav aria-label={words.nav.label}>
        {screens.map((s) => (
          <a key={s} href={routeHash(s)} aria-current={s === screen ? 'page' : undefined}>
            <Icon name={icons[s]} size={18} />
            <span>{words.nav[s]}</span>
            {s === 'dashboard' && running > 0 && <span className="nav-count">{running}</span>}
            {s === 'health' && (broken > 0 ? <span className="nav-count bad">{broken}</span> : checking && <span className="nav-dot" />)}
          </a>
        ))}
      </nav>
      <div className="top-end">
        {ready && !writable && (
          <span className="read-only" title={words.connection.readOnlyHint}>
            <Icon name="lock" size={14} /> <span>{words.connection.readOnly}</span>
          </span>
        )}
        <ConnectionLight />
        <button type="button" className="language" onClick={() => onLanguage(language === 'ja' ? 'en' : 'ja')} lang={language === 'ja' ? 'en' : 'ja'} title={words.language}>
          {language === 'ja' ? 'English' : '日本語'}
        </button>
      </div>
    </header>
  )
}

const title = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

function Logo() {
  return (
    <span className="logo" aria-hidden>
      <svg className="logo-ring" viewBox="0 0 64 64" width="36" height="36" fill="none">
        <circle cx="32" cy="32" r="29" stroke="currentColor" strokeWidth="2" />
        <circle cx="32" cy="32" r="23.5" stroke="currentColor" strokeOpacity=".5" strokeWidth="1.6" strokeDasharray="3 4.4 9 4.4" />
      </svg>
      <svg viewBox="0 0 64 64" width="36" height="36" fill="none">
      <path d="M38.5 17a16 16 0 1 0 0 30 13.5 13.5 0 0 1 0-30Z" className="logo-moon" />
      <path d="M42 24.5l2 5.5 5.5 2-5.5 2-2 5.5-2-5.5-5.5-2 5.5-2Z" className="logo-star" />
      </svg>
    </span>
  )
}

function ConnectionLight() {
  const { words } = useApp()
  const phase = usePhase()
  const ready = useData((d) => d.ready)
  const name = phase.name === 'connecting' && ready ? 'lost' : phase.name
  return (
    <span className={`light light-${name}`} role="status" title={words.connection[name]}>
      <span className="light-dot" />
      <span className="light-text">{words.connection[name]}</span>
    </span>
  )
}

/** Says that what is shown is old, once it is. */
function Lost() {
  const { words, retry } = useApp()
  const phase = usePhase()
  const ready = useData((d) => d.ready)
  const [, tick] = useState(0)
  const lost = phase.name === 'lost'
  useEffect(() => {
    if (!lost) return
    const timer = setInterval(() => tick((n) => n + 1), 500)
    return () => clearInterval(timer)
  }, [lost])
  if (phase.name === 'open' || (phase.name === 'connecting' && phase.attempt === 0)) return null
  const seconds = lost ? Math.max(0, Math.ceil((phase.retryAt - Date.now()) / 1000)) : 0
  return (
    <div className="lost" role="alert">
      <Icon name="warning" size={16} />
      <span>{phase.name === 'refused' ? `${words.connection.refused} — ${words.connection.refusedHint}` : ready ? words.connection.stale : words.connection.lost}</span>
      <span className="push" />
      {phase.name !== 'refused' && <span className="muted nowrap">{lost ? words.connection.retryIn(seconds) : words.connection.connecting}</span>}
      <button type="button" className="button" disabled={phase.name === 'connecting'} onClick={retry}>
        {words.connection.retryNow}
      </button>
    </div>
  )
}

function Notices({ notices, onDismiss }: { notices: readonly Notice[]; onDismiss(id: number): void }) {
  const { words } = useApp()
  // Above a dialog, which lies on top of everything else, only what is in the top layer can be seen.
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const box = ref.current
    if (!box?.showPopover) return
    if (box.matches(':popover-open')) box.hidePopover()
    if (notices.length > 0) box.showPopover()
  }, [notices])
  return (
    <div className="notices" role="status" ref={ref} popover="manual">
      {notices.map((n) => (
        <div key={n.id} className={`notice ${n.tone}`}>
          <Icon name={n.tone === 'good' ? 'check' : 'warning'} size={17} />
          <div>
            <strong>{n.title}</strong>
            {n.text && <p>{n.text}</p>}
          </div>
          <button type="button" className="icon-button" aria-label={words.dismiss} onClick={() => onDismiss(n.id)}>
            <Icon name="cross" size={14} />
          </button>
        </div>
      ))}
    </div>
  )
}

/** Tells screen readers of ends, not of everything. */
function Announcer() {
  const { store, words } = useApp()
  const [text, setText] = useState('')
  useEffect(() => {
    let over: Agent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const say = () => {
      timer = undefined
      const [one] = over
      if (one && over.length === 1) setText(one.status === 'completed' || one.outcome === 'completed' ? words.announce.completed(one.agentId) : words.announce.failed(one.agentId))
      else if (over.length > 1) setText(words.announce.many(over.length))
      over = []
    }
    const untap = store.tap((_, before, after) => {
      if (before.agents === after.agents) return
      for (const [id, a] of after.agents) {
        const was = before.agents.get(id)
        if (was && was !== a && ended(a.status) && !ended(was.status)) over.push(a)
      }
      if (over.length > 0) timer ??= setTimeout(say, 1500)
    })
    return () => {
      untap()
      clearTimeout(timer)
    }
  }, [store, words])
  return (
    <div className="visually-hidden" aria-live="polite">
      {text}
    </div>
  )
}
