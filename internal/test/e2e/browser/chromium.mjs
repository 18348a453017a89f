// The browser that the suites of one process share.
import { chromium } from 'playwright-core'

let shared

/** Starts the browser at the first call. */
export async function browser() {
  shared ??= chromium.launch({ executablePath: process.env.DOUGU_CHROMIUM || '/usr/bin/chromium' })
  return shared
}

/** Closes the browser if it was started. */
export async function leave() {
  if (shared) await (await shared).close()
  shared = undefined
}
