import { useCallback, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Page } from './app'
import { chooseLanguage, saveLanguage, savedLanguage, words } from './i18n'
import type { Language } from './i18n'
import { AppContext } from './state/app'
import type { App, Notice } from './state/app'
import { Clock } from './state/clock'
import type { Told } from './state/reduce'
import { Store } from './state/store'
import { Api } from './wire/api'
import { Connection, RequestError } from './wire/connection'
import type { Phase } from './wire/connection'
import type { SnapshotMessage, WireEvent } from './wire/types'
import { takeToken } from './wire/token'
import './styles/base.css'
import './styles/head.css'
import './styles/parts.css'
import './styles/form.css'
import './styles/messages.css'
import './styles/dashboard.css'
import './styles/card.css'
import './styles/detail.css'
import './styles/roles.css'
import './styles/history.css'
import './styles/health.css'

const base = new URL('.', document.baseURI)
const token = takeToken(location, history, sessionStorage)
const store = new Store()
const clock = new Clock()
const api = new Api(base.href, token)

function socketURL(): string {
  const url = new URL('ws', base)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}

const noticeTime = { good: 4000, bad: 12_000 }

function Root() {
  const [phase, setPhase] = useState<Phase>({ name: 'connecting', attempt: 0 })
  const [language, setLanguage] = useState<Language>(() => chooseLanguage(savedLanguage(), navigator.languages, undefined))
  const [notices, setNotices] = useState<readonly Notice[]>([])
  const w = words[language]

  const notify = useCallback((n: Omit<Notice, 'id'>) => {
    const id = Math.random()
    setNotices((all) => [...all.slice(-3), { ...n, id }])
    setTimeout(() => setNotices((all) => all.filter((o) => o.id !== id)), noticeTime[n.tone])
  }, [])

  const connection = useMemo(() => {
    const told = (told: Told[]) => {
      for (const t of told) {
        if (t.type !== 'snapshot') {
          clock.heard((t as WireEvent).at)
          continue
        }
        const { server } = (t as SnapshotMessage).data
        clock.reset()
        if (server.now) clock.heard(server.now)
        setLanguage(chooseLanguage(savedLanguage(), navigator.languages, server.language))
      }
      store.push(told)
    }
    return new Connection(socketURL(), token, { phase: setPhase, told }, { alive: () => api.alive() })
  }, [])

  useEffect(() => {
    connection.start()
    const wake = () => {
      if (document.hidden) return
      connection.retry()
      void connection.look()
    }
    // Pasted into a page that is open already, a token changes nothing but the address.
    const given = () => {
      if (takeToken(location, history, sessionStorage) !== token) location.reload()
    }
    addEventListener('hashchange', given)
    addEventListener('online', wake)
    document.addEventListener('visibilitychange', wake)
    return () => {
      removeEventListener('hashchange', given)
      removeEventListener('online', wake)
      document.removeEventListener('visibilitychange', wake)
      connection.stop()
    }
  }, [connection])

  useEffect(() => {
    document.documentElement.lang = language
  }, [language])

  const app = useMemo<App>(
    () => ({
      store,
      clock,
      api,
      words: w,
      language,
      notify,
      retry: () => connection.retry(),
      async ask(type, body) {
        try {
          return { data: await connection.request(type, body) }
        } catch (e) {
          notify({ tone: 'bad', title: w.failed, text: explain(e, w) })
          return undefined
        }
      },
    }),
    [w, language, notify, connection],
  )

  return (
    <AppContext.Provider value={app}>
      <Page
        phase={phase}
        notices={notices}
        onDismiss={(id) => setNotices((all) => all.filter((n) => n.id !== id))}
        onLanguage={(l) => {
          saveLanguage(l)
          setLanguage(l)
        }}
      />
    </AppContext.Provider>
  )
}

function explain(e: unknown, w: (typeof words)['ja']): string {
  if (e instanceof RequestError) {
    if (e.code === 'NOT_CONNECTED') return w.notConnected
    if (e.code === 'NO_ANSWER') return w.noAnswer
    return e.next ? `${e.message} — ${e.next}` : e.message
  }
  return e instanceof Error ? e.message : String(e)
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<Root />)
