// A stand-in for the server: the same wire, with a world that tests can steer.

import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { accept } from './socket.mjs'

const dist = fileURLToPath(new URL('../../dist', import.meta.url))
const kinds = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.md': 'text/plain' }
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves a world, as world.mjs makes it, on a port; 0 is any. */
export async function serve(world, { port = 0, token = 'secret' } = {}) {
  const pages = new Set()
  const requests = []
  const server = createServer((request, response) => {
    answer(world, request, response).catch((e) => {
      response.writeHead(500).end(String(e))
    })
  })
  const message = (page, m) => {
    if (m.type === 'hello') {
      page.writable = m.token === token
      page.send({ type: 'reply', id: m.id, ok: true, data: { writable: page.writable } })
      page.send(world.snapshot(page.writable))
      pages.add(page)
      return
    }
    requests.push(m)
    const refuse = (code, text) => page.send({ type: 'reply', id: m.id, ok: false, error: { code, message: text } })
    if (!page.writable) return refuse('UNAUTHORIZED', 'this page is read-only')
    try {
      page.send({ type: 'reply', id: m.id, ok: true, data: world.request(m) ?? null })
    } catch (e) {
      refuse(e.code ?? 'INTERNAL_ERROR', e.message)
    }
  }
  server.on('upgrade', (request, socket) => accept(request, socket, { message, closed: (page) => pages.delete(page) }))
  world.tell = (events) => {
    for (const page of pages) page.send(events)
  }
  await new Promise((done) => server.listen(port, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    token,
    requests,
    /** Breaks every connection, as a server that dies does. */
    drop() {
      for (const page of pages) page.close()
    },
    async close() {
      world.stop()
      this.drop()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function answer(world, request, response) {
  const url = new URL(request.url, 'http://localhost')
  const json = (value, status = 200) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    response.end(JSON.stringify(value))
  }
  const parts = url.pathname.split('/').filter(Boolean).map(decodeURIComponent)
  if (parts[0] === 'api') {
    if (parts[1] === 'health') return json({ status: 'ok' })
    if (parts[1] === 'history') return json(world.history(url.searchParams))
    const agent = world.agents.get(parts[2])
    if (!agent) return json({ error: { code: 'NOT_FOUND', message: 'it does not exist' } }, 404)
    return json(parts[3] === 'output' ? world.output(agent, url.searchParams) : agent)
  }
  const name = url.pathname === '/' ? '/index.html' : normalize(url.pathname)
  const content = await readFile(join(dist, name)).catch(() => undefined)
  if (!content) return response.writeHead(404).end()
  response.writeHead(200, { 'Content-Type': kinds[extname(name)] ?? 'application/octet-stream', 'Content-Security-Policy': policy })
  response.end(content)
}
