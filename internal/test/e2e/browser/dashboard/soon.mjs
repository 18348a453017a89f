import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const patience = 60_000

/** Looks again until it is as wanted; after a minute it is a failure that says how it is. */
export async function expectSoon(look, wanted) {
  const until = Date.now() + patience
  let last
  while (Date.now() < until) {
    try {
      last = await look()
      if (typeof wanted === 'function') {
        if (wanted(last)) return last
      } else if (wanted instanceof RegExp) {
        if (wanted.test(last)) return last
      } else {
        assert.deepEqual(last, wanted)
        return last
      }
    } catch (e) {
      if (e.code !== 'ERR_ASSERTION') last = e
    }
    await sleep(40)
  }
  if (typeof wanted === 'function') assert.fail(`not as wanted: ${typeof last === 'string' ? last : JSON.stringify(last)}`)
  if (wanted instanceof RegExp) assert.match(String(last), wanted)
  assert.deepEqual(last, wanted)
}
