package safehttp_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/safehttp"
)

func TestIsPublic_Addresses(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true, "172.32.0.1": true, "100.128.0.1": true,
		"127.0.0.1": false, "127.255.0.1": false, "::1": false, "0.0.0.0": false, "0.1.2.3": false, "::": false,
		"10.1.2.3": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false, "fc00::1": false, "fd12::1": false,
		"169.254.169.254": false, "fe80::1": false, "fe80::1%eth0": false, "224.0.0.1": false, "ff02::1": false, "255.255.255.255": false,
		"100.64.0.1": false, "192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false, "240.0.0.1": false, "2001:db8::1": false,
		"::ffff:10.0.0.1": false, "::ffff:127.0.0.1": false, "64:ff9b::a00:1": false, "2002:7f00:1::": false, "::7f00:1": false, "2001::1": false, "fec0::1": false,
		"64:ff9b::5db8:d822": false, "2002:5db8:d822::1": false, "192.88.99.1": false, "2001:1ff::1": false, "3fff::1": false, "168.63.129.16": false, "100.100.100.200": false, "fd00:ec2::254": false,
	} {
		if got := safehttp.IsPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is public: %v", address, got)
		}
	}
}

func TestURLs(t *testing.T) {
	for text, want := range map[string]string{
		"https://h.example/a?b": "", "http://127.0.0.1:1/": "", "http://[::1]/": "", "http://localhost": "", "http://LOCALHOST": "",
		"http://h.example": "not encrypted", "http://10.0.0.1": "not encrypted", "http://127.0.0.1.example": "not encrypted", "http://a.localhost": "not encrypted",
		"": "is not a URL", "h.example": "is not a URL", "ftp://h.example": "is not a URL", "https:///x": "is not a URL", "https:h": "is not a URL",
		"https://u:secret@h.example": "has a user", "https://h.example/#x": "fragment", "https://h.example/%zz": "is not a URL",
	} {
		if err := safehttp.CheckURL(text); (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestClient(t *testing.T) {
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"a":"secret"}`)) }))
	t.Cleanup(secret.Close)
	known := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/to":
			http.Redirect(w, r, secret.URL, http.StatusFound)
		case "/endless":
			for err := error(nil); err == nil; {
				_, err = w.Write([]byte(strings.Repeat(" ", 4096)))
			}
		case "/list":
			_, _ = w.Write([]byte(`[]`))
		default:
			_, _ = w.Write([]byte(`{"a":"` + r.Header.Get("Accept") + `"}`))
		}
	}))
	t.Cleanup(known.Close)
	client := safehttp.Client(strings.ToUpper(known.URL[:4])+known.URL[4:], "")
	t.Cleanup(client.CloseIdleConnections)
	for url, want := range map[string]string{
		known.URL: "", known.URL + "/to": "status 302", known.URL + "/list": "cannot unmarshal", known.URL + "/endless": "larger than 262144",
		secret.URL: "not a public one: 127.0.0.1", strings.Replace(secret.URL, "127.0.0.1", "localhost", 1): "not a public one", strings.Replace(secret.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1): "not a public one",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ A string }
		err = safehttp.JSON(client, req, &got)
		if want == "" && (err != nil || got.A != "application/json") || want != "" && (err == nil || !strings.Contains(err.Error(), want) || got.A != "") {
			t.Errorf("%s: %+v, %v; want %q", url, got, err, want)
		}
		if strings.Contains(want, "public") && !errors.Is(err, safehttp.ErrPrivate) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
