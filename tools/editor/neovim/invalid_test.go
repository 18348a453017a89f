//go:build unix

package neovim_test

import (
	"context"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/neovim"
)

// buffer returns the document that the fake sends for a buffer, with some members changed.
func buffer(change map[string]any) any {
	d := map[string]any{
		"buf": 1, "tick": 5, "text": "one\n", "ending": "\n", "dirty": false, "editable": true, "filetype": "text", "tab": 8, "spaces": false,
		"clients": []any{map[string]any{"id": 3, "name": "speller", "encoding": "utf-16"}},
	}
	for name, v := range change {
		d[name] = v
	}
	return value(d)
}

var one = adapter.Document{Path: "/project/a.txt", Text: "one\n", Version: 5}

func TestDocument_Invalid(t *testing.T) {
	for name, c := range map[string]struct {
		answer any
		want   string
	}{
		"no version":         {buffer(map[string]any{"tick": 0}), "without a version"},
		"a negative version": {buffer(map[string]any{"tick": -1}), "without a version"},
		"strange line ends":  {buffer(map[string]any{"ending": "--"}), "line ends"},
		"bytes":              {buffer(map[string]any{"text": "\xff"}), "not UTF-8"},
		"a number for text":  {buffer(map[string]any{"text": 5}), "invalid result"},
		"a text for numbers": {buffer(map[string]any{"tick": "x"}), "invalid result"},
		"a text left out":    {buffer(map[string]any{"same": true}), "not read before"},
		"nothing":            {nil, "invalid result"},
		"a list":             {[]any{1, 2}, "decode response"},
		"a fault":            {map[string]any{"fault": "error", "message": "E37:\x1b[31m\nno"}, "E37:[31m no"},
		"a long fault":       {map[string]any{"fault": "error", "message": strings.Repeat("x", 1_000_000)}, "x…"},
		"no MessagePack":     {[]byte{0xc1}, "not running"},
	} {
		t.Run(name, func(t *testing.T) {
			n, l := lie(t, map[string]any{documents: c.answer})
			_, open, err := n.Document(l.ctx, one.Path)
			if open || err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1000 {
				t.Errorf("open %v, %.1000v", open, err)
			}
		})
	}
}

func TestActive_InvalidPositions(t *testing.T) {
	for name, c := range map[string]map[string]any{
		"before the text":   {"cursor": []int{-1, 0}},
		"one number":        {"cursor": []int{1}},
		"none":              {},
		"a large one":       {"cursor": []int{1, math.MaxInt64}},
		"an end before":     {"cursor": []int{1, 1}, "start": []int{2, 0}, "stop": []int{1, 0}},
		"no end":            {"cursor": []int{1, 1}, "start": []int{2, 0}},
		"words for numbers": {"cursor": []string{"a", "b"}},
	} {
		c["buf"], c["path"] = 1, "/project/a.txt"
		n, l := lie(t, map[string]any{activity: value(c)})
		if a, ok, err := n.Active(l.ctx); err == nil {
			t.Errorf("%s: %+v, %v", name, a, ok)
		}
	}
	n, l := lie(t, map[string]any{activity: value(map[string]any{"buf": 1, "path": "relative", "cursor": []int{0, 0}})})
	if a, ok, err := n.Active(l.ctx); err != nil || !ok || a.Path != "" {
		t.Errorf("%+v, %v, %v", a, ok, err)
	}
}

func TestDiagnose_Invalid(t *testing.T) {
	item := func(change map[string]any) any {
		d := map[string]any{"path": one.Path, "loaded": true, "row": 0, "column": 1, "last": 0, "stop": 2, "severity": 1, "message": "m", "code": "", "source": "", "client": 0, "lsp": ""}
		for name, v := range change {
			d[name] = v
		}
		return value(map[string]any{"clients": 1, "more": false, "items": []any{d}, "covered": []any{}})
	}
	ask := func(answer any) (adapter.Diagnostics, error) {
		n, l := lie(t, map[string]any{diagnosing: answer})
		return n.Diagnose(l.ctx, []string{one.Path})
	}
	for name, change := range map[string]map[string]any{
		"before the text": {"row": -1},
		"a large number":  {"stop": math.MaxInt64},
	} {
		if found, err := ask(item(change)); err == nil {
			t.Errorf("%s: %+v", name, found)
		}
	}
	found, err := ask(item(map[string]any{"last": 0, "stop": 0, "severity": 99, "message": strings.Repeat("m", 10_000)}))
	if err != nil || len(found.Items) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if d := found.Items[0]; d.Range != between(1, 2, 1, 2) || d.Severity != adapter.Error || len(d.Message) > 5000 {
		t.Errorf("got %+v", d)
	}
	if found, err = ask(item(map[string]any{"path": "/etc/passwd"})); err != nil || len(found.Items) != 0 {
		t.Errorf("nobody has asked for %+v, %v", found, err)
	}
	n, l := lie(t, map[string]any{diagnosing: value(map[string]any{"clients": 1, "covered": []any{
		map[string]any{"path": one.Path, "buf": 1, "tick": 5}, map[string]any{"path": "/etc/passwd", "buf": 2, "tick": 5}}})})
	ctx, cancel := context.WithTimeout(l.ctx, 3*time.Second)
	defer cancel()
	if found, err := n.Diagnose(ctx, []string{one.Path}); err != nil || found.Fresh || len(found.Covered) != 1 {
		t.Errorf("nobody has asked for %+v, %v", found, err)
	}
}

// answered returns a fake whose language server returns a text for each request.
func answered(t *testing.T, text string) (*neovim.Neovim, *liar) {
	n, l := lie(t, map[string]any{documents: buffer(nil), requesting: value(1), listing: value([]any{map[string]any{"id": 3, "encoding": "utf-16"}})})
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() { // the response is sent repeatedly
		defer close(done)
		for id := 1; ; id++ {
			l.tell("answer", (id%5)+1, "", text)
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
	})
	return n, l
}

func TestRename_InvalidEdits(t *testing.T) {
	const zero = `{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}`
	edit := func(uri, spans string) string { return `{"changes":{"` + uri + `":[` + spans + `]}}` }
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":             {`{`, "decode the response"},
		"another kind":        {`"text"`, "cannot be used"},
		"a web page":          {edit("https://example.com/", ""), "a path that is no file"},
		"a relative file":     {edit("file:a", ""), "a path that is no file"},
		"a file to nowhere":   {edit("file:///none/such", `{"range":`+zero+`,"newText":"x"}`), "no such file"},
		"a device":            {edit("file:///dev/zero", `{"range":`+zero+`,"newText":"x"}`), "not a UTF-8 text file"},
		"a snippet":           {edit("file:///project/a.txt", `{"range":`+zero+`,"newText":"x","insertTextFormat":2}`), "snippet"},
		"edits that overlap":  {edit("file:///project/a.txt", `{"range":`+zero+`,"newText":"x"},{"range":`+zero+`,"newText":"y"}`), "overlap"},
		"a position outside":  {edit("file:///project/a.txt", `{"range":{"start":{"line":9,"character":0},"end":{"line":9,"character":1}},"newText":"x"}`), "no line"},
		"an end before":       {edit("file:///project/a.txt", `{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":1}},"newText":"x"}`), "before it begins"},
		"a strange operation": {`{"documentChanges":[{"kind":"format","uri":"file:///project/a.txt"}]}`, "format"},
		"several steps":       {`{"documentChanges":[{"kind":"delete","uri":"file:///project/a.txt"},{"kind":"delete","uri":"file:///project/a.txt"}]}`, "several steps"},
		"a change of nothing": {`{"documentChanges":[{}]}`, "no file"},
	} {
		t.Run(name, func(t *testing.T) {
			n, l := answered(t, c.text)
			if name == "a file to nowhere" || name == "a device" { // which is not read through Neovim
				n, l = elsewhere(t, c.text)
			}
			edits, err := n.Rename(l.ctx, one, at(1, 1), "x")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v", edits, err)
			}
		})
	}
	n, l := answered(t, `[{"uri":"file:///project/a.txt","range":{"start":{"line":4294967295,"character":4294967295},"end":{"line":0,"character":0}}},{"uri":"jdt://x"}]`)
	found, err := n.Definition(l.ctx, one, at(1, 1))
	if err != nil || len(found) != 1 || found[0].Range.End.Before(found[0].Range.Start) {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestRename_FileOperations(t *testing.T) {
	n, l := answered(t, `{"documentChanges":[{"kind":"rename","oldUri":"file:///project/b.txt","newUri":"file:///project/c.txt"},{"kind":"create","uri":"file:///project/d.txt"},
		{"textDocument":{"uri":"file:///project/d.txt"},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"new"}]},
		{"textDocument":{"uri":"file:///project/a.txt","version":null},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":99,"character":0}},"newText":"all"}]},
		{"kind":"delete","uri":"file:///project/e.txt"}]}`)
	edits, err := n.Rename(l.ctx, one, at(1, 1), "x")
	if err != nil || len(edits) != 4 {
		t.Fatalf("%+v, %v", edits, err)
	}
	if e := edits[0]; e.Op != adapter.ChangeFile || e.Path != one.Path || e.Version != 5 || e.Edits[0].Range != between(1, 1, 2, 1) {
		t.Errorf("got %+v", e)
	}
	if e := edits[1]; e.Op != adapter.RenameFile || e.NewPath != "/project/c.txt" {
		t.Errorf("got %+v", e)
	}
	if e := edits[2]; e.Op != adapter.CreateFile || len(e.Edits) != 1 || e.Edits[0].NewText != "new" {
		t.Errorf("got %+v", e)
	}
	if e := edits[3]; e.Op != adapter.DeleteFile || e.Path != "/project/e.txt" {
		t.Errorf("got %+v", e)
	}
}

func TestConnect_UnsupportedNeovim(t *testing.T) {
	for name, c := range map[string]struct {
		question string
		answer   any
		want     string
	}{
		"old":                {describing, []any{1, map[string]any{"version": map[string]any{"major": 0, "minor": 6}}}, "version 0.6.0"},
		"without a version":  {describing, []any{1, map[string]any{}}, "version 0.0.0"},
		"something else":     {describing, "HTTP/1.1 400", "decode response"},
		"no directory":       {watching, value(map[string]any{"folders": []string{"relative"}}), "no absolute path"},
		"many directories":   {watching, value(map[string]any{"folders": make([]string, 200)}), "more than 100"},
		"a prompt at once":   {modeAsking, map[string]any{"mode": "r", "blocking": true}, "waits for a key"},
		"rubbish in between": {introducing, []byte{0xc1, 0xc1}, "connection"},
	} {
		t.Run(name, func(t *testing.T) {
			l := listen(t, map[string]any{c.question: c.answer})
			n := neovim.New(neovim.Options{Address: l.address})
			defer n.Close(context.Background())
			var s adapter.State
			eventually(t, c.want, func() bool { s = n.State(); return strings.Contains(s.Detail, c.want) })
			if s.Running || s.Start == "" {
				t.Errorf("got %+v", s)
			}
		})
	}
}

func TestConnect_NeovimHangs(t *testing.T) {
	n, l := lie(t, map[string]any{documents: []byte{}})
	ctx, cancel := context.WithTimeout(l.ctx, 200*time.Millisecond)
	defer cancel()
	want := "Neovim (process " + strconv.Itoa(os.Getpid()) + ") does not answer"
	if runtime.GOOS != "linux" {
		want = "Neovim does not answer"
	}
	if _, _, err := n.Document(ctx, one.Path); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if _, ok, err := n.Active(l.ctx); ok || err == nil {
		t.Errorf("others have to do with it: %v, %v", ok, err)
	}
}

func TestConnect_RemoteAddress(t *testing.T) {
	for _, address := range []string{"example.com:7000", "192.0.2.1:7000", "2001:db8::1:7000"} {
		n := neovim.New(neovim.Options{Address: address})
		eventually(t, "it is refused", func() bool { return strings.Contains(n.State().Detail, "not an address of this machine") })
		if err := n.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
