// Serves the host: its page at one origin, with the MCP server behind it, and the sandbox at another.

import { build } from 'esbuild'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'

const here = (name) => new URL(name, import.meta.url)

/** The token of the MCP server, which the host has and its page has not. */
export const token = 'a-token-of-the-tests-0123456789abcdef'

let bundled

async function script() {
  bundled ??= build({ entryPoints: [here('host.js').pathname], bundle: true, format: 'esm', platform: 'browser', conditions: ['browser'], write: false, logLevel: 'error' })
  return (await bundled).outputFiles[0].text
}

async function listen(t, handler) {
  const server = createServer(handler)
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${server.address().port}`
}

/** Serves a host of the MCP server at a URL, and answers the address of its page. */
export async function serve(t, mcp) {
  const [page, code, proxy] = await Promise.all([readFile(here('page.html')), script(), readFile(here('sandbox.html'))])
  const sandbox = await listen(t, (req, res) => {
    const policy = new URL(req.url, 'http://host').searchParams.get('policy')
    res.writeHead(policy ? 200 : 404, { 'content-type': 'text/html', ...(policy && { 'content-security-policy': policy }) }).end(policy ? proxy : '')
  })
  const host = await listen(t, (req, res) => {
    const path = req.url.split('?')[0]
    if (path === '/mcp') return forward(mcp, req, res)
    if (path === '/host.js') return res.writeHead(200, { 'content-type': 'text/javascript' }).end(code)
    if (path === '/') return res.writeHead(200, { 'content-type': 'text/html' }).end(page)
    res.writeHead(404).end()
  })
  return { sandbox, host, at: (settings) => `${host}/?${new URLSearchParams({ sandbox, ...settings })}` }
}

/** The page of a host is of another origin than the server, which lets in none. */
function forward(mcp, req, res) {
  const { origin: _, referer: __, ...headers } = req.headers
  const out = request(mcp, { method: req.method, headers: { ...headers, host: new URL(mcp).host, authorization: `Bearer ${token}` } }, (answer) => {
    res.writeHead(answer.statusCode, answer.headers)
    answer.pipe(res)
  })
  out.on('error', () => res.destroy())
  res.on('close', () => out.destroy())
  req.pipe(out)
}
