//go:build unix

package emacs_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/emacs"
)

// fake is a scripted Emacs server.
type fake struct {
	*emacs.Emacs
	ctx    context.Context
	socket string

	mu     sync.Mutex
	answer func(question, line string) string // without it a question is never answered
	asked  []string
}

const hello = `-emacs-pid 1` + "\n" + `-dougu {"value":{"version":"29.4"}}` + "\n"

// pretend starts a fake that responds to "hello"; answer returns the other responses.
func pretend(t *testing.T, answer func(question, line string) string) *fake {
	t.Helper()
	f := pretendAnything(t, func(question, line string) string {
		if question == "hello" {
			return hello
		}
		return answer(question, line)
	})
	f.Emacs = connectTo(t, emacs.Options{Server: f.socket})
	return f
}

func pretendAnything(t *testing.T, answer func(question, line string) string) *fake {
	t.Helper()
	dir, err := os.MkdirTemp("", "em")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ctx, cancel := context.WithTimeout(t.Context(), long)
	t.Cleanup(cancel)
	f := &fake{ctx: ctx, socket: filepath.Join(dir, "server"), answer: answer}
	listener, err := net.Listen("unix", f.socket)
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	var conns []net.Conn
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			f.mu.Lock()
			conns = append(conns, conn)
			f.mu.Unlock()
			open.Go(func() { f.serve(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		f.mu.Lock()
		for _, conn := range conns {
			conn.Close()
		}
		f.mu.Unlock()
		open.Wait()
	})
	return f
}

// serve reads a request and sends the response.
func (f *fake) serve(conn net.Conn) {
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	question := ""
	for _, known := range []string{"hello", "document", "edit", "active", "open", "diagnostics", "changed", "servers", "request"} {
		if strings.Contains(line, `&_"`+known+`"&_`) {
			question = known
		}
	}
	f.mu.Lock()
	f.asked = append(f.asked, question)
	answer := f.answer
	f.mu.Unlock()
	_, _ = conn.Write([]byte(answer(question, line)))
	if question != "hello" || !strings.HasPrefix(answer(question, line), "-emacs-pid") {
		conn.Close()
	}
}
