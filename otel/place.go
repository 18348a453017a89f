package otel

import (
	"net"
	"net/url"
	"strconv"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

// addressBehind is where a transport leads, as far as it is one of this library.
func addressBehind(t protocol.Transport) peerAddress {
	switch t := t.(type) {
	case *httpclient.Client:
		return addressOfURL(t.URL, "http")
	case *websocket.Client:
		return addressOfURL(t.URL, "websocket")
	case websocket.Client:
		return addressOfURL(t.URL, "websocket")
	case transport.Dial:
		return addressOf(t.Network, t.Address)
	case *transport.Dial:
		return addressOf(t.Network, t.Address)
	case transport.Command, *transport.Command:
		return peerAddress{transport: "pipe"}
	case transport.Reconnecting:
		return addressBehind(t.Transport)
	case *transport.Reconnecting:
		return addressBehind(t.Transport)
	}
	return peerAddress{}
}

// addressOfURL keeps host and port of a URL, and nothing that may be secret.
func addressOfURL(address, scheme string) peerAddress {
	p := addressOfTransport(scheme)
	parsed, err := url.Parse(address)
	if err != nil {
		return p
	}
	p.server = parsed.Hostname()
	switch parsed.Scheme {
	case "http", "ws":
		p.port = 80
	case "https", "wss":
		p.port = 443
	}
	if n, err := strconv.Atoi(parsed.Port()); err == nil {
		p.port = n
	}
	return p
}

func addressOf(network, address string) peerAddress {
	p := addressOfTransport(network)
	host, port, err := net.SplitHostPort(address)
	if err != nil || network == "unix" {
		p.server = address
		return p
	}
	p.server = host
	p.port, _ = strconv.Atoi(port)
	return p
}
