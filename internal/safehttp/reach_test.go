package safehttp_test

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"testing"

	"github.com/dougu-go/dougu/internal/safehttp"
)

// TestReach checks each Reach against addresses of each network.
func TestReach(t *testing.T) {
	all := []safehttp.Reach{safehttp.Public, safehttp.Link, safehttp.Private, safehttp.Local}
	for address, want := range map[string][]safehttp.Reach{
		"93.184.216.34": all, "2606:2800:220:1::1": all, "64:ff9b::5db8:d822": all, "2002:5db8:d822::1": all,
		"10.0.0.1": {safehttp.Private, safehttp.Local}, "172.31.255.255": {safehttp.Private, safehttp.Local}, "192.168.1.1": {safehttp.Private, safehttp.Local},
		"100.127.255.255": {safehttp.Private, safehttp.Local}, "fd12::1": {safehttp.Private, safehttp.Local}, "fec0::1": {safehttp.Private, safehttp.Local}, "::ffff:10.0.0.1": {safehttp.Private, safehttp.Local},
		"::10.0.0.1": {safehttp.Private, safehttp.Local}, "64:ff9b::a00:1": {safehttp.Private, safehttp.Local},
		"127.0.0.1": {safehttp.Local}, "127.255.0.1": {safehttp.Local}, "::1": {safehttp.Local}, "::ffff:127.0.0.1": {safehttp.Local}, "2002:7f00:1::": {safehttp.Local},
		"169.254.1.1": {safehttp.Link, safehttp.Local}, "fe80::1": {safehttp.Link, safehttp.Local}, "fe80::1%eth0": {safehttp.Link, safehttp.Local},
		"169.254.169.254": nil, "::ffff:169.254.169.254": nil, "64:ff9b::a9fe:a9fe": nil, "fd00:ec2::254": nil, "100.100.100.200": nil, "168.63.129.16": nil,
		"0.0.0.0": nil, "0.1.2.3": nil, "::": nil, "224.0.0.1": nil, "255.255.255.255": nil, "ff02::1": nil, "240.0.0.1": nil, "198.18.0.1": nil, "2001::1": nil, "192.0.0.8": nil, "2001:db8::1": nil,
		"192.88.99.1": nil, "2001:1ff::1": nil, "3fff::1": nil, "64:ff9b:1::1": nil, "100::1": nil, "198.51.100.1": nil, "203.0.113.1": nil, "192.0.2.1": nil,
	} {
		addr := netip.MustParseAddr(address)
		for _, r := range all {
			covered := false
			for _, w := range want {
				covered = covered || w == r
			}
			if r.Covers(addr) != covered || r.CoversHost(address) != covered {
				t.Errorf("%s from %d: %v, want %v", address, r, r.Covers(addr), covered)
			}
			if err := r.Control("tcp", netip.AddrPortFrom(addr, 443).String(), nil); (err == nil) != covered || err != nil && !errors.Is(err, safehttp.ErrPrivate) {
				t.Errorf("%s from %d: %v", address, r, err)
			}
		}
		if !safehttp.Any.Covers(addr) {
			t.Errorf("%s is not anywhere", address)
		}
	}
	if err := safehttp.Any.Control("unix", "/run/socket", nil); !errors.Is(err, safehttp.ErrPrivate) {
		t.Error(err)
	}
	for host, want := range map[string]safehttp.Reach{"localhost": safehttp.Local, "A.LOCALHOST.": safehttp.Local, "127.0.0.1": safehttp.Local, "10.0.0.1": safehttp.Private, "example.com": safehttp.Public, "169.254.169.254": safehttp.Public} {
		if got := safehttp.ReachOfHost(host); got != want {
			t.Errorf("%s has %d", host, got)
		}
	}
	if safehttp.Public.CoversHost("localhost") || !safehttp.Public.CoversHost("example.com") {
		t.Error("names are judged wrongly")
	}
	if _, ok := safehttp.ReachOf(nil); ok {
		t.Error("nothing has an address")
	}
	if _, ok := safehttp.ReachOf(&net.UnixAddr{Name: "/run/x", Net: "unix"}); ok {
		t.Error("a socket has an address")
	}
	if got, ok := safehttp.ReachOf(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1}); !ok || got != safehttp.Private {
		t.Errorf("10.0.0.1 has %d, %v", got, ok)
	}
}

func TestHostPort(t *testing.T) {
	for raw, want := range map[string]string{
		"http://p": "p:80", "https://p": "p:443", "socks5://p": "p:1080", "socks5h://p": "p:1080", "http://p:3128": "p:3128", "http://[::1]": "[::1]:80",
	} {
		u, err := url.Parse(raw)
		if err != nil || safehttp.HostPort(u) != want {
			t.Errorf("%s is dialled at %s, %v", raw, safehttp.HostPort(u), err)
		}
	}
}
