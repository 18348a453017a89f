import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Language, Words } from '../i18n'
import type { Api } from '../wire/api'
import type { Phase } from '../wire/connection'
import type { Clock } from './clock'
import type { Data } from './reduce'
import type { Store } from './store'

/** A short notice. */
export interface Notice {
  id: number
  tone: 'good' | 'bad'
  title: string
  text?: string
}

/** What every part of the page can use. It stays the same while the page lives, but for the words. */
export interface App {
  store: Store
  clock: Clock
  api: Api
  words: Words
  language: Language
  /** Asks the server to do something; tells the reader and answers undefined when it did not. */
  ask(type: string, body?: object): Promise<{ data: unknown } | undefined>
  notify(n: Omit<Notice, 'id'>): void
  retry(): void
}

export const AppContext = createContext<App | null>(null)

export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error('there is no App around this')
  return app
}

/** A part of what the server has told. The selector must answer the same object while nothing has changed. */
export function useData<T>(select: (d: Data) => T): T {
  const { store } = useApp()
  return useSyncExternalStore(store.subscribe, () => select(store.get()))
}

const never = () => () => undefined

/** The server's time, once a second while it is needed. */
export function useNow(running = true): number {
  const { clock } = useApp()
  return useSyncExternalStore(running ? clock.subscribe : never, clock.now)
}

export const PhaseContext = createContext<Phase>({ name: 'connecting', attempt: 0 })
export const usePhase = () => useContext(PhaseContext)

/** Whether things can be changed now. */
export function useWritable(): boolean {
  const writable = useData((d) => d.writable)
  return usePhase().name === 'open' && writable
}
