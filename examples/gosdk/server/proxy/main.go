// Command proxy forwards the HTTP headers of a client's call through one server to another, which returns them.
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"sync"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

type headersKey struct{}

// forwarding is an http.RoundTripper that adds the headers in the context of a request.
type forwarding struct{}

func (forwarding) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	headers, _ := req.Context().Value(headersKey{}).(http.Header)
	for name, values := range headers {
		if req.Header.Get(name) == "" {
			req.Header[name] = values
		}
	}
	return http.DefaultTransport.RoundTrip(req)
}

// tool is the handler of a tool that returns headers.
type tool func(context.Context, mcp.None) (http.Header, error)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	var servers sync.WaitGroup
	defer servers.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	serve := func(name string, handler tool) (url string, err error) {
		server := mcp.NewServer(mcp.Implementation{Name: name, Version: "1.0.0"}, nil)
		if err := mcp.AddTool(server, mcp.Tool{Name: "headers", Description: "Returns the headers of the call."}, handler); err != nil {
			return "", err
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		servers.Go(func() {
			routes := map[string]transport.Route{"/mcp": httpserver.Options{}}
			if err := transport.Serve(ctx, server, transport.HTTP{Listener: listener, Routes: routes}); err != nil {
				log.Print(err)
			}
		})
		return "http://" + listener.Addr().String() + "/mcp", nil
	}
	backend, err := serve("backend-server", func(ctx context.Context, _ mcp.None) (http.Header, error) {
		return mcp.CallFrom(ctx).Request.Peer.Headers, nil
	})
	if err != nil {
		return err
	}
	forward := &http.Client{Transport: forwarding{}}
	upstream, err := mcp.Connect(ctx, &httpclient.Client{URL: backend, HTTPClient: forward}, mcp.Implementation{Name: "proxy-client", Version: "1.0.0"}, nil)
	if err != nil {
		return err
	}
	defer upstream.Close()
	proxy, err := serve("proxy-server", func(ctx context.Context, _ mcp.None) (http.Header, error) {
		ctx = context.WithValue(ctx, headersKey{}, mcp.CallFrom(ctx).Request.Peer.Headers)
		return mcp.Call[http.Header](ctx, upstream, "headers", nil)
	})
	if err != nil {
		return err
	}
	client, err := mcp.Connect(ctx, &httpclient.Client{URL: proxy, Header: http.Header{"X-Request-Source": {"client"}}}, mcp.Implementation{Name: "client", Version: "1.0.0"}, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	received, err := mcp.Call[http.Header](ctx, client, "headers", nil)
	if err != nil {
		return err
	}
	log.Printf("Client received result: %v", received)
	return nil
}
