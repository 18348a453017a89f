package jetbrains

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// webServer is the built-in web server of an IDE.
type webServer struct {
	base   string // without a slash at the end
	client *http.Client
}

// newWebServer is the one at a URL; nil if there is none.
func newWebServer(at string) (*webServer, error) {
	if at == "" {
		return nil, nil
	}
	u, err := url.Parse(at)
	if err != nil {
		return nil, fmt.Errorf("the URL of the web server: %w", err)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if u.Scheme != "http" || u.User != nil || u.RawQuery != "" || strings.Trim(u.Path, "/") != "" || u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%.100q is no web server of this machine; write it as http://127.0.0.1:63342", at)
	}
	transport := &http.Transport{Proxy: nil, DialContext: new(net.Dialer).DialContext, DisableKeepAlives: true}
	return &webServer{strings.TrimRight(u.Scheme+"://"+u.Host, "/"), &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// open has the IDE open a file. Lines and columns count from 1 here.
func (w *webServer) open(ctx context.Context, path string, at *adapter.Position) error {
	query := url.Values{"file": {filepath.ToSlash(path)}, "focused": {"true"}}
	if at != nil {
		query.Set("line", strconv.Itoa(at.Line))
		query.Set("column", strconv.Itoa(at.Column))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/api/file?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := w.client.Do(request)
	if err != nil {
		if ctx.Err() == nil {
			if _, ok := errors.AsType[*net.OpError](err); ok {
				return fmt.Errorf("%w: %w", adapter.ErrNotRunning, err)
			}
		}
		return err
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
	switch response.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusForbidden, http.StatusUnauthorized:
		return fmt.Errorf("the IDE does not allow it (%s); its user has to, when it asks", response.Status)
	case http.StatusNotFound:
		return fmt.Errorf("the IDE does not have the file, or no web server that opens files: %w", adapter.ErrUnsupported)
	}
	return fmt.Errorf("the IDE returns %s: %s", truncate.Line(response.Status, 100), truncate.Line(string(text), maxErrorText))
}
