package otel

import (
	"net"
	"net/url"
	"strconv"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

// placeBehind is where a transport leads, as far as it is one of this library.
func placeBehind(t mcp.Transport) place {
	switch t := t.(type) {
	case *httpclient.Client:
		return placeOfURL(t.URL, "http")
	case *websocket.Client:
		return placeOfURL(t.URL, "websocket")
	case websocket.Client:
		return placeOfURL(t.URL, "websocket")
	case transport.Dial:
		return placeOfAddress(t.Network, t.Address)
	case *transport.Dial:
		return placeOfAddress(t.Network, t.Address)
	case transport.Command, *transport.Command:
		return place{transport: "pipe"}
	case transport.Reconnecting:
		return placeBehind(t.Transport)
	case *transport.Reconnecting:
		return placeBehind(t.Transport)
	}
	return place{}
}

// placeOfURL keeps host and port of a URL, and nothing that may be secret.
func placeOfURL(address, protocol string) place {
	p := placeOf(protocol)
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

func placeOfAddress(network, address string) place {
	p := placeOf(network)
	host, port, err := net.SplitHostPort(address)
	if err != nil || network == "unix" {
		p.server = address
		return p
	}
	p.server = host
	p.port, _ = strconv.Atoi(port)
	return p
}
