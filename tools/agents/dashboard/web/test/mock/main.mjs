// Serves a scene to look at: node test/mock/main.mjs [scene] [language] [port]

import * as scenes from './scenes.mjs'
import { serve } from './server.mjs'

const [name = 'rich', language = 'ja', port = '9696'] = process.argv.slice(2)
const world = scenes[name](language)
if (name === 'checking') world.runHealth(1500)
else scenes.enliven(world, name === 'crowd' ? 400 : 4)
const server = await serve(world, { port: Number(port) })
console.log(`${server.url}#token=${server.token}`)
