package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/transport/localuser"
)

// DefaultAddress is the default address of Listen.
const DefaultAddress = "127.0.0.1:9696"

// maxPortAttempts is the number of higher ports to try.
const maxPortAttempts = 100

// Listen serves at an address until Close. Default: DefaultAddress. If the port is in use, it tries
// the next hundred ports. It returns the address; URL returns the URL of the page.
func (d *Dashboard) Listen(ctx context.Context, address string) (net.Addr, error) {
	if address == "" {
		address = DefaultAddress
	}
	l, err := listen(ctx, address)
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler:           d.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		BaseContext:       func(net.Listener) context.Context { return d.ctx },
	}
	d.mu.Lock()
	d.public = d.public || !loopback(l.Addr())
	d.url = addressURL(l.Addr())
	d.servers = append(d.servers, server)
	d.mu.Unlock()
	if len(d.o.Hosts) == 0 { // otherwise a proxy of another user may connect
		l = localuser.Listen(l, d.o.Log)
	}
	d.running.Go(func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			d.o.Log.Error("the dashboard stopped serving", "error", err)
		}
	})
	return l.Addr(), nil
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address of the dashboard: %w; it is HOST:PORT, such as %s", err, DefaultAddress)
	}
	first, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("the port of the dashboard is %q; it is a number from 0 to 65535", service)
	}
	var config net.ListenConfig
	for port := int(first); ; port++ {
		l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		switch {
		case err == nil:
			return l, nil
		case !isAddressInUse(err) || first == 0:
			return nil, fmt.Errorf("listening for the dashboard: %w", err)
		case port-int(first) == maxPortAttempts || port == 65535:
			return nil, fmt.Errorf("listening for the dashboard: the ports from %d to %d are all taken; choose another", first, port)
		}
	}
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// addressURL returns the URL of an address: localhost for unspecified addresses.
func addressURL(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return "http://" + a.String() + "/"
	}
	host := at.Addr().Unmap()
	if host.IsUnspecified() || host == netip.MustParseAddr("127.0.0.1") {
		return fmt.Sprintf("http://localhost:%d/", at.Port())
	}
	return "http://" + netip.AddrPortFrom(host, at.Port()).String() + "/"
}

// URL returns the URL of the page; it is empty before Listen. The URL with the token is a secret of
// the owner.
func (d *Dashboard) URL(withToken bool) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if withToken && d.url != "" {
		return d.url + "#token=" + d.secret
	}
	return d.url
}

// needsToken reports whether reading needs the token.
func (d *Dashboard) needsToken() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.public || !d.o.Open
}
