// A host of MCP Apps, on the packages that hosts are made of. Tests call what is in globalThis.host.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge'

const me = { name: 'e2e-host', version: '1.0.0' }
const settings = new URLSearchParams(location.search)
const context = {
  theme: settings.get('theme') ?? 'light',
  locale: settings.get('locale') ?? 'en-US',
  displayMode: 'inline',
  availableDisplayModes: ['inline', 'fullscreen'],
  containerDimensions: { maxHeight: Number(settings.get('maxHeight') ?? 640), width: 680 },
  platform: 'web',
}
document.documentElement.dataset.theme = context.theme

/** Whom a tool is for, when it does not say. */
const both = ['model', 'app']
const visibleTo = (tool, who) => (tool._meta?.ui?.visibility ?? both).includes(who)

const host = {
  tools: new Map(),
  refused: [], // calls of pages that were not let through
  called: [], // those that were
  sizes: [],
  modes: [],

  /** Connects to the server behind /mcp, in one of the ways of the client. */
  async connect(mode) {
    host.client = new Client(me, { capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } }, versionNegotiation: { mode } })
    await host.client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href)))
    for (const tool of (await host.client.listTools()).tools) host.tools.set(tool.name, tool)
    return { revision: host.client.getNegotiatedProtocolVersion(), capabilities: host.client.getServerCapabilities() }
  },

  async call(name, args) {
    return host.client.callTool({ name, arguments: args })
  },

  /** Calls a tool as a model would, with its page. */
  async show(name, args, policy) {
    const tool = host.tools.get(name)
    if (!visibleTo(tool, 'model')) throw new Error(`${name} is not for models`)
    const { contents } = await host.client.readResource({ uri: getToolUiResourceUri(tool) })
    if (contents[0].mimeType !== RESOURCE_MIME_TYPE) throw new Error(contents[0].mimeType)
    const view = await host.open(contents[0].text, { tool, args, policy, client: host.client })
    const result = await host.call(name, args)
    await view.bridge.sendToolResult(result)
    return { result, contents: contents[0] }
  },

  /** Shows a page, which talks with a server or with whatever answers. */
  async open(html, { tool, args, policy, client, answer }) {
    const title = document.createElement('p')
    title.className = 'call'
    title.textContent = tool?.name ?? ''
    const frame = document.createElement('iframe')
    frame.title = 'view'
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin')
    document.getElementById('talk').append(title, frame)
    const bridge = new AppBridge(
      client ?? null,
      me,
      { serverTools: {}, logging: {} },
      { hostContext: { ...context, ...(tool && { toolInfo: { tool } }) } },
    )
    const ready = new Promise((done) => (bridge.onsandboxready = done))
    const initialized = new Promise((done) => (bridge.oninitialized = done))
    bridge.onsizechange = ({ height }) => {
      host.sizes.push(height)
      frame.style.height = `${Math.min(height, context.containerDimensions.maxHeight) + 2}px`
    }
    bridge.onrequestdisplaymode = async ({ mode }) => {
      host.modes.push(mode)
      await bridge.sendHostContextChange({ displayMode: mode })
      return { mode }
    }
    frame.src = `${settings.get('sandbox')}/?${new URLSearchParams({ host: location.origin, policy })}`
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
    bridge.oncalltool = async (params) => {
      const wanted = host.tools.get(params.name)
      if (client && (!wanted || !visibleTo(wanted, 'app'))) {
        host.refused.push(params.name)
        throw new Error(`${params.name} is not for pages`)
      }
      host.called.push(params.name)
      return client ? client.callTool(params) : answer(params)
    }
    await ready
    await bridge.sendSandboxResourceReady({ html, sandbox: 'allow-scripts' })
    await initialized
    await bridge.sendToolInput({ arguments: args })
    host.last = { bridge, frame }
    return host.last
  },
}

globalThis.host = host
