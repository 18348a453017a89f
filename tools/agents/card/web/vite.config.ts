import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Puts script and style into the page, and lets the page run these two and nothing else, wherever it is shown. */
function whole(): Plugin {
  return {
    name: 'whole',
    enforce: 'post',
    generateBundle(_, bundle) {
      let script = ''
      let style = ''
      let page = ''
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') script += part.code.trim()
        else if (name.endsWith('.css')) style += String(part.source).trim()
        else if (name.endsWith('.html')) page = String(part.source)
        delete bundle[name]
      }
      if (/<\/(script|style)|<!--/i.test(script + style)) this.error('the script or the style would end its element')
      const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`
      const source = page
        .replace(/\s*<(script|link)\b[^>]*>(<\/script>)?/g, '')
        .replace('<head>', () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`)
        .replace('</head>', () => `  <style>${style}</style>\n  </head>`)
        .replace('</body>', () => `  <script type="module">${script}</script>\n  </body>`)
      this.emitFile({ type: 'asset', fileName: 'card.html', source })
    },
  }
}

// What is built is committed and embedded into the server: one document that loads nothing.
export default defineConfig({
  base: './',
  plugins: [whole()],
  build: { target: 'es2022', modulePreload: false, sourcemap: false, cssCodeSplit: false },
  test: {
    environment: 'jsdom',
    include: ['test/**/*.test.ts'],
    // A loaded machine is no failure.
    testTimeout: 120_000,
  },
})
