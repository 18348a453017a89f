import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// What is built is committed and embedded into the server: one script, one style
// sheet, nothing inline, so that the strictest Content-Security-Policy holds.
export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: false,
    sourcemap: false,
    license: { fileName: 'licenses.md' },
  },
  server: {
    proxy: {
      '/api': 'http://127.0.0.1:9696',
      '/ws': { target: 'ws://127.0.0.1:9696', ws: true },
    },
  },
  test: {
    environment: 'jsdom',
    include: ['test/**/*.test.{ts,tsx}'],
    // A loaded machine is no failure.
    testTimeout: 120_000,
  },
})
