package bridge_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
	"github.com/dougu-go/dougu/tools/internal/unitytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = time.Minute // upper limit, never reached

// start starts a Unity, and a bridge to it.
func start(t *testing.T) (*unitytest.Editor, *bridge.Bridge, bridge.Editor) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u := unitytest.Start(t, filepath.Join(dir, "status"), filepath.Join(dir, "Game"))
	b := bridge.New(u.StatusDir)
	all := b.Editors(t.Context())
	if len(all) != 1 {
		t.Fatalf("found %v", all)
	}
	return u, b, all[0]
}

func TestEditors(t *testing.T) {
	u, b, e := start(t)
	b.Gap = time.Millisecond
	if e.Project != u.Project || e.Name != "Game" || e.Version != "2022.3.10f1" || e.Reloading || time.Since(e.Heartbeat) > patience {
		t.Errorf("found %+v", e)
	}
	if n := u.Connections(); n != 0 {
		t.Errorf("finding it took %d connections, each of which ends those of other clients", n)
	}
	answer, err := b.Call(t.Context(), e.Hash, "get_editor_state", struct{}{}, patience, true)
	if err != nil || !answer.Success || len(answer.Data) == 0 {
		t.Errorf("%+v, %v", answer, err)
	}
	u.Quit()
	if _, err := b.Call(t.Context(), e.Hash, "get_editor_state", struct{}{}, patience, true); !errors.Is(err, bridge.ErrGone) {
		t.Errorf("after its end: %v", err)
	}
	waittest.Until(t, "it is not found any more", func() bool { return len(b.Editors(t.Context())) == 0 })
}

// A file that is being written is no reason to think that the editor is gone.
func TestEditors_PartialFile(t *testing.T) {
	u, b, e := start(t)
	b.Gap = patience
	u.Quit()
	for _, content := range []string{"", `{"unity_port":64`} {
		if err := os.WriteFile(u.StatusFile(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if all := b.Editors(t.Context()); len(all) != 1 || all[0].Hash != e.Hash {
			t.Errorf("with %q: %v", content, all)
		}
	}
}

// Unity is started again during a call, at another port.
func TestEditors_Restart(t *testing.T) {
	u, b, e := start(t)
	b.Gap = patience
	u.Kill(0)
	done := make(chan error, 1)
	go func() {
		_, err := b.Call(t.Context(), e.Hash, "read_console", struct{}{}, patience, true)
		done <- err
	}()
	again := unitytest.Start(t, u.StatusDir, u.Project)
	if err := <-done; err != nil || again.Connections() == 0 {
		t.Errorf("%v, %d connections", err, again.Connections())
	}
}

// A killed editor leaves its file. A busy editor does not update its file, but responds.
func TestEditors_OldHeartbeat(t *testing.T) {
	t.Run("busy", func(t *testing.T) {
		u, b, _ := start(t)
		defer u.Block()()
		u.Age(10 * time.Minute)
		if all := b.Editors(t.Context()); len(all) != 1 {
			t.Errorf("found %v", all)
		}
		if b.Editors(t.Context()); u.Connections() != 1 {
			t.Errorf("there were %d connections for two looks", u.Connections())
		}
	})
	t.Run("killed", func(t *testing.T) {
		u, b, _ := start(t)
		u.Kill(10 * time.Minute)
		if all := b.Editors(t.Context()); len(all) != 0 {
			t.Errorf("found %v", all)
		}
	})
	t.Run("killed, and another program has the port", func(t *testing.T) {
		u, b, _ := start(t)
		u.Greet("SSH-2.0-OpenSSH_9.2\r\n")
		u.Age(10 * time.Minute)
		if all := b.Editors(t.Context()); len(all) != 0 {
			t.Errorf("found %v", all)
		}
	})
}

// A reload ends connections; commands wait until it is over, or say that it is not.
func TestReload(t *testing.T) {
	u, b, e := start(t)
	end := u.BeginReload(t)
	if _, err := b.Call(t.Context(), e.Hash, "refresh_unity", struct{}{}, time.Millisecond, false); !errors.Is(err, bridge.ErrReloading) {
		t.Errorf("during it: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := b.Call(t.Context(), e.Hash, "refresh_unity", struct{}{}, patience, false)
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("a command did not wait: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	end()
	if err := <-done; err != nil || !slices.Equal(u.Commands(), []string{"refresh_unity"}) {
		t.Errorf("after it: %v, %q", err, u.Commands())
	}
}

// A command without an answer is repeated only if it has no side effects.
func TestCall_LostAnswer(t *testing.T) {
	for _, repeat := range []bool{true, false} {
		u, b, e := start(t)
		u.Drop("read_console")
		_, err := b.Call(t.Context(), e.Hash, "read_console", struct{}{}, patience, repeat)
		if repeat && (err != nil || len(u.Commands()) != 2) || !repeat && (!errors.Is(err, bridge.ErrDropped) || len(u.Commands()) != 1) {
			t.Errorf("repeat %v: %v, %q", repeat, err, u.Commands())
		}
	}
}

func TestRefusals(t *testing.T) {
	u, b, e := start(t)
	u.CommandTimeout = 10 * time.Millisecond
	u.TurnOff("run_tests")
	is := func(command string, holds func(*bridge.Refusal) bool) {
		t.Helper()
		_, err := b.Call(t.Context(), e.Hash, command, struct{}{}, patience, true)
		if refusal, ok := errors.AsType[*bridge.Refusal](err); !ok || !holds(refusal) {
			t.Errorf("%s: %v", command, err)
		}
	}
	is("run_tests", (*bridge.Refusal).Disabled)
	is("brew_tea", (*bridge.Refusal).Unknown)
	release := u.Block()
	is("read_console", (*bridge.Refusal).TimedOut)
	release()
	if _, err := b.Call(t.Context(), e.Hash, "read_console", strings.Repeat("x", 2<<20), time.Millisecond, true); err == nil {
		t.Error("a command of 2 MiB was sent")
	}
}

// Commands are sent only to a bridge, and its responses are limited in size.
func TestCall_HostilePeer(t *testing.T) {
	for name, tt := range map[string]struct {
		greeting string
		raw      string
		want     error
	}{
		"another program":          {greeting: "HTTP/1.1 400 Bad Request\r\n\r\n", want: bridge.ErrForeign},
		"no frames":                {greeting: "WELCOME UNITY-MCP 0\n", want: bridge.ErrForeign},
		"almost":                   {greeting: "I AM NOT UNITY-MCP 1 FRAMING=1\n", want: bridge.ErrForeign},
		"no end of the line":       {greeting: strings.Repeat("x", 10_000), want: bridge.ErrForeign},
		"a frame of 8 EiB":         {raw: "\x7f\xff\xff\xff\xff\xff\xff\xff{}", want: bridge.ErrDropped},
		"a frame that ends early":  {raw: "\x00\x00\x00\x00\x00\x00\x00\x09{}", want: bridge.ErrDropped},
		"a frame without its head": {raw: "\x00\x00", want: bridge.ErrDropped},
		"no JSON":                  {raw: "\x00\x00\x00\x00\x00\x00\x00\x02{x", want: bridge.ErrDropped},
		"no status":                {raw: "\x00\x00\x00\x00\x00\x00\x00\x02{}", want: bridge.ErrDropped},
		"a result that is none":    {raw: "\x00\x00\x00\x00\x00\x00\x00\x1f" + `{"status":"success","result":7}`, want: bridge.ErrDropped},
		"heartbeats":               {raw: strings.Repeat("\x00", 8*20_000), want: bridge.ErrDropped},
	} {
		t.Run(name, func(t *testing.T) {
			u, b, e := start(t)
			if tt.greeting != "" {
				u.Greet(tt.greeting)
			}
			if tt.raw != "" {
				u.AnswerRaw([]byte(tt.raw))
			}
			_, err := b.Call(t.Context(), e.Hash, "read_console", struct{}{}, patience, false)
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
	t.Run("heartbeats, then an answer", func(t *testing.T) {
		u, b, e := start(t)
		answer := `{"status":"success","result":{"success":true}}`
		u.AnswerRaw([]byte(strings.Repeat("\x00", 8*5) + "\x00\x00\x00\x00\x00\x00\x00" + string(rune(len(answer))) + answer))
		if got, err := b.Call(t.Context(), e.Hash, "read_console", struct{}{}, patience, false); err != nil || !got.Success {
			t.Errorf("%v, %v", got, err)
		}
	})
}

// A cancelled command ends at once and does not block the next one.
func TestCall_Cancelled(t *testing.T) {
	u, b, e := start(t)
	release := u.Block()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := b.Call(ctx, e.Hash, "read_console", struct{}{}, patience, true)
			done <- err
		}()
	}
	waittest.Until(t, "one is connected", func() bool { return u.Connections() == 1 })
	cancel()
	for range 2 {
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	}
	release()
	if _, err := b.Call(t.Context(), e.Hash, "read_console", struct{}{}, patience, true); err != nil {
		t.Error(err)
	}
}

func TestStatus_Invalid(t *testing.T) {
	u, _, e := start(t)
	u.Quit()
	good := `{"unity_port":6400,"reloading":false,"project_path":"` + filepath.ToSlash(u.Project) + `/Assets","last_heartbeat":"2999-01-01T00:00:00Z"}`
	for name, tt := range map[string]struct{ file, content string }{
		"no JSON":               {u.StatusFile(), "unity"},
		"empty":                 {u.StatusFile(), ""},
		"no port":               {u.StatusFile(), strings.Replace(good, "6400", "0", 1)},
		"too high a port":       {u.StatusFile(), strings.Replace(good, "6400", "65536", 1)},
		"another project":       {filepath.Join(u.StatusDir, "unity-mcp-status-0123abcd.json"), good},
		"a name with a way out": {filepath.Join(u.StatusDir, "unity-mcp-status-.json"), good},
		"too long":              {u.StatusFile(), good + strings.Repeat(" ", 100_000)},
		"a port file":           {filepath.Join(u.StatusDir, "unity-mcp-port-"+e.Hash+".json"), good},
	} {
		if err := os.WriteFile(tt.file, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if all := bridge.New(u.StatusDir).Editors(t.Context()); len(all) != 0 {
			t.Errorf("%s: found %+v", name, all)
		}
		os.Remove(tt.file)
	}
	if err := os.Mkdir(u.StatusFile(), 0o700); err != nil {
		t.Fatal(err)
	}
	if all := bridge.New(u.StatusDir).Editors(t.Context()); len(all) != 0 {
		t.Errorf("a directory: found %+v", all)
	}
	if bridge.New(filepath.Join(u.StatusDir, "none")).Editors(t.Context()) != nil {
		t.Error("found something in no directory")
	}
}

// Hashes of projects are those that Unity computes from the path of Assets.
func TestHash(t *testing.T) {
	if got := bridge.Hash("/home/me/My Game/Assets"); len(got) != 8 || got == bridge.Hash("/home/me/My Game/assets") {
		t.Errorf("%q", got)
	}
}

func TestDir(t *testing.T) {
	t.Setenv("UNITY_MCP_STATUS_DIR", "/elsewhere")
	if got, err := bridge.Dir(""); got != "/elsewhere" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, _ := bridge.Dir("/given"); got != "/given" {
		t.Errorf("%q", got)
	}
	t.Setenv("UNITY_MCP_STATUS_DIR", " ")
	if got, err := bridge.Dir(""); filepath.Base(got) != ".unity-mcp" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// A new status file without a listening port is reported soon and does not count as a reload.
func TestCall_NoListener(t *testing.T) {
	u, b, e := start(t)
	b.Gap = time.Millisecond
	u.Kill(0)
	_, err := b.Call(t.Context(), e.Hash, "read_console", struct{}{}, patience, true)
	if !errors.Is(err, bridge.ErrGone) {
		t.Errorf("%v", err)
	}
	if _, ok := errors.AsType[*net.OpError](err); !ok {
		t.Errorf("%v does not say why", err)
	}
}
