// As much of a WebSocket server as a page needs: text both ways, close, ping.

import { createHash } from 'node:crypto'

/** Takes an upgraded connection over; messages are handed to handlers.message. */
export function accept(request, socket, handlers) {
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`)
  let rest = Buffer.alloc(0)
  const page = {
    send: (message) => socket.writable && socket.write(frame(1, Buffer.from(JSON.stringify(message)))),
    close: () => socket.destroy(),
  }
  socket.on('data', (data) => {
    rest = Buffer.concat([rest, data])
    for (let f = read(rest); f; f = read(rest)) {
      rest = rest.subarray(f.size)
      if (f.kind === 8) socket.end(frame(8, Buffer.alloc(0)))
      if (f.kind === 9) socket.write(frame(10, f.data))
      if (f.kind === 1) handlers.message(page, JSON.parse(f.data.toString()))
    }
  })
  socket.on('close', () => handlers.closed(page))
  socket.on('error', () => socket.destroy())
  return page
}

function frame(kind, data) {
  const n = data.length
  const head = n < 126 ? Buffer.from([0x80 | kind, n]) : n < 65536 ? Buffer.from([0x80 | kind, 126, n >> 8, n & 255]) : Buffer.alloc(10)
  if (head.length === 10) {
    head[0] = 0x80 | kind
    head[1] = 127
    head.writeBigUInt64BE(BigInt(n), 2)
  }
  return Buffer.concat([head, data])
}

function read(b) {
  if (b.length < 2) return undefined
  let n = b[1] & 127
  let at = 2
  if (n === 126) {
    if (b.length < 4) return undefined
    n = b.readUInt16BE(2)
    at = 4
  } else if (n === 127) {
    if (b.length < 10) return undefined
    n = Number(b.readBigUInt64BE(2))
    at = 10
  }
  const size = at + 4 + n
  if (b.length < size) return undefined
  const mask = b.subarray(at, at + 4)
  const data = Buffer.from(b.subarray(at + 4, size))
  for (let i = 0; i < n; i++) data[i] ^= mask[i & 3]
  return { kind: b[0] & 15, data, size }
}
