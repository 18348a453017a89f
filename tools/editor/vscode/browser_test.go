//go:build linux

package vscode_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// page is the window of VS Code in the browser, as its user has it.
type page struct {
	t    *testing.T
	conn *websocket.Conn
	last int

	target string // the name of the window in the browser; empty for the first
}

// user sits down at the window.
func (s *codeServer) user(t *testing.T) *page {
	t.Helper()
	p := &page{t: t}
	eventually(t, 30*time.Second, func() error {
		answer, err := http.Get("http://" + s.debug + "/json/list")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		var targets []struct{ Type, URL, WebSocketDebuggerURL string }
		if err := json.Unmarshal(text, &targets); err != nil {
			return err
		}
		for _, target := range targets {
			if target.Type == "page" && strings.Contains(target.URL, s.address) {
				p.conn, _, err = websocket.Dial(t.Context(), target.WebSocketDebuggerURL, nil)
				return err
			}
		}
		return fmt.Errorf("no page in %s", text)
	})
	p.conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { _ = p.conn.CloseNow() })
	return p
}

// open opens another window of VS Code. query is that of its address, for example "folder=/home/me/project".
func (s *codeServer) open(t *testing.T, query string) *page {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+s.debug+"/json/new?"+url.QueryEscape("http://"+s.address+"/?"+query), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var target struct{ ID, WebSocketDebuggerURL string }
	if err := json.NewDecoder(answer.Body).Decode(&target); err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, target: target.ID}
	if p.conn, _, err = websocket.Dial(t.Context(), target.WebSocketDebuggerURL, nil); err != nil {
		t.Fatal(err)
	}
	p.conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { _ = p.conn.CloseNow() })
	p.do("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	return p
}

// close closes the window.
func (s *codeServer) close(t *testing.T, p *page) {
	t.Helper()
	answer, err := http.Get("http://" + s.debug + "/json/close/" + p.target)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
}

// do carries out a command of the browser's protocol for developers.
func (p *page) do(method string, params any, result any) {
	p.t.Helper()
	p.last++
	if err := wsjson.Write(p.t.Context(), p.conn, map[string]any{"id": p.last, "method": method, "params": params}); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	for {
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := wsjson.Read(p.t.Context(), p.conn, &answer); err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
		if answer.ID != p.last {
			continue // an event
		}
		if answer.Error != nil {
			p.t.Fatalf("%s: %s", method, answer.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(answer.Result, result); err != nil {
				p.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// reload loads the window again, and agrees if the browser asks whether to leave it.
func (p *page) reload() {
	p.t.Helper()
	p.do("Page.enable", nil, nil)
	p.last++
	if err := wsjson.Write(p.t.Context(), p.conn, map[string]any{"id": p.last, "method": "Page.reload"}); err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for {
		var event struct{ Method string }
		if err := wsjson.Read(ctx, p.conn, &event); err != nil {
			p.t.Fatalf("waiting for the reloaded page: %v", err)
		}
		switch event.Method {
		case "Page.javascriptDialogOpening":
			p.last++
			answer := map[string]any{"id": p.last, "method": "Page.handleJavaScriptDialog", "params": map[string]any{"accept": true}}
			if err := wsjson.Write(ctx, p.conn, answer); err != nil {
				p.t.Fatal(err)
			}
		case "Page.loadEventFired":
			p.do("Page.disable", nil, nil)
			return
		}
	}
}

const (
	control = 2
	shift   = 8
)

// press presses a key, for example "KeyZ" with control.
func (p *page) press(code string, virtual, modifiers int) {
	p.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p.do("Input.dispatchKeyEvent", map[string]any{
			"type": kind, "code": code, "key": strings.TrimPrefix(code, "Key"), "modifiers": modifiers, "windowsVirtualKeyCode": virtual,
		}, nil)
	}
}

// write types text.
func (p *page) write(text string) {
	p.t.Helper()
	p.do("Input.insertText", map[string]any{"text": text}, nil)
}

// command runs a command of the palette.
func (p *page) command(name string) {
	p.t.Helper()
	p.press("F1", 112, 0)
	p.sees("", "input.input[aria-controls]")
	p.write(name)
	p.sees(name, ".quick-input-list .focused")
	p.press("Enter", 13, 0)
}

// sees waits until an element shows a text.
func (p *page) sees(text, selector string) {
	p.t.Helper()
	quoted, _ := json.Marshal(selector)
	eventually(p.t, 30*time.Second, func() error {
		var answer struct {
			Result struct{ Value string }
		}
		p.do("Runtime.evaluate", map[string]any{
			"expression": `[...document.querySelectorAll(` + string(quoted) + `)].filter(e => e.checkVisibility()).map(e => "[" + e.innerText + "]").join("\n")`,
		}, &answer)
		shown := strings.ReplaceAll(answer.Result.Value, "\u00a0", " ")
		if shown == "" || !strings.Contains(shown, text) {
			return fmt.Errorf("%s shows %.500q, not %q", selector, shown, text)
		}
		return nil
	})
}

// picture returns a screenshot of the window as PNG.
func (p *page) picture() []byte {
	p.t.Helper()
	var answer struct{ Data string }
	p.do("Page.captureScreenshot", map[string]any{"format": "png"}, &answer)
	data, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}
