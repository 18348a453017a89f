package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// chaotic is an upstream whose tools a test counts.
type chaotic struct {
	*mcp.Server
	ran     atomic.Int32
	release chan struct{} // ends the tool hold
}

func newChaotic() *chaotic {
	c := &chaotic{Server: mcp.NewServer(mcp.Implementation{Name: "chaotic", Version: "1.0.0"}, nil), release: make(chan struct{})}
	hold := func(ctx context.Context, _ echoArgs) (string, error) {
		c.ran.Add(1)
		select {
		case <-c.release:
			return "held", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	features := mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "echo"}, func(_ context.Context, in echoArgs) (string, error) { c.ran.Add(1); return in.Text, nil }),
		mcp.NewTool(mcp.Tool{Name: "hold"}, hold),
		mcp.NewTool(mcp.Tool{Name: "look", Annotations: mcp.ReadOnly()}, hold),
		mcp.NewTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, _ echoArgs) (string, error) {
			timer := time.NewTimer(2 * time.Minute)
			defer timer.Stop()
			select {
			case <-timer.C:
				return "slowly", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}),
	}}
	if err := c.Replace("test", features); err != nil {
		panic(err)
	}
	return c
}

// chaos runs a test with an upstream over HTTP, of either kind of revision, and a second one that is well.
func chaos(t *testing.T, test func(t *testing.T, c calling, f *faulty, up *chaotic)) {
	for name, kind := range map[string]struct {
		rev  protocol.Revision
		with func(int, []byte) (int, []byte)
	}{
		"sessions":     {protocol.Rev20251125, nil},
		"sessions 400": {protocol.Rev20251125, forgets400},
		"modern":       {protocol.Latest, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				up := newChaotic()
				f := newFaulty(t, up)
				f.with = kind.with
				g := newGateway(t, gateway.Options{},
					gateway.Upstream{Name: "up", Connect: gateway.Always(f.transport(t, kind.rev))},
					gateway.Upstream{Name: "well", Server: newServer("well")})
				c := calling{t, g, connect(t, g, protocol.Latest, mcp.ClientOptions{Timeout: time.Hour})}
				if text, _, err := c.try("up_echo"); text != "x" || err != nil {
					t.Fatalf("before any fault: %q, %v", text, err)
				}
				test(t, c, f, up)
			})
		})
	}
}

// TestChaos_Away lets calls fail in time while the upstream is away in every way, and find it when it is back.
func TestChaos_Away(t *testing.T) {
	page := func(status int, kind, body string) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	for name, begin := range map[string]func(f *faulty){
		"dead":               func(f *faulty) { f.stop() },
		"hung":               func(f *faulty) { f.fail(fault{hangs: true}) },
		"cut and hung":       func(f *faulty) { f.fail(fault{hangs: true}); f.cut() },
		"502 by a proxy":     func(f *faulty) { f.fail(fault{answers: page(502, "text/html", "<h1>Bad gateway</h1>")}) },
		"503 by a proxy":     func(f *faulty) { f.fail(fault{answers: page(503, "text/html", "<h1>Unavailable</h1>")}) },
		"wrong content type": func(f *faulty) { f.fail(fault{answers: page(200, "text/html", "<h1>Welcome</h1>")}) },
		"trickle": func(f *faulty) {
			f.fail(fault{answers: func(w http.ResponseWriter) bool {
				w.Header().Set("Content-Type", "application/json")
				for {
					if _, err := w.Write([]byte(" ")); err != nil || http.NewResponseController(w).Flush() != nil {
						return true
					}
					time.Sleep(time.Second)
				}
			}})
		},
		"cut after headers": func(f *faulty) {
			f.fail(fault{answers: func(w http.ResponseWriter) bool {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", "1000")
				w.WriteHeader(200)
				panic(http.ErrAbortHandler)
			}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, away := range []time.Duration{100 * time.Millisecond, 5 * time.Second, 2 * time.Minute} {
				t.Run(away.String(), func(t *testing.T) {
					chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
						time.Sleep(time.Second) // it is quiet
						begin(f)
						back := time.Now().Add(away)
						for time.Now().Before(back) && away > failsWithin {
							c.fails("up_echo", "call again")
							if text, took, err := c.try("well_echo"); err != nil || took > 0 {
								t.Errorf("the other server says %q after %v, %v", text, took, err)
							}
							if status := c.state(); status.State == gateway.Ready || status.Reason() == "" || status.LastAnswer.IsZero() {
								t.Errorf("the status is %+v", status)
							}
							time.Sleep(away / 20)
						}
						time.Sleep(time.Until(back))
						f.heal()
						c.returns("up_echo")
						synctest.Wait()
						if status := c.state(); status.State != gateway.Ready || status.Err != nil {
							t.Errorf("then the status is %+v", status)
						}
					})
				})
			}
		})
	}
}

// TestChaos_ShortRestart lets a call wait for a server that is restarted.
func TestChaos_ShortRestart(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		for _, away := range []time.Duration{0, 100 * time.Millisecond, time.Second} {
			f.stop()
			back := make(chan struct{})
			go func() { defer close(back); time.Sleep(away); f.heal() }()
			if text, took, err := c.try("up_echo"); text != "x" || err != nil || took > failsWithin {
				t.Errorf("away for %v: after %v %q, %v", away, took, text, err)
			}
			<-back
			time.Sleep(time.Minute)
		}
	})
}

// TestChaos_Idle notices a death without any call, and the return.
func TestChaos_Idle(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		time.Sleep(time.Second) // it is quiet
		f.stop()
		ctx, cancel := context.WithTimeout(t.Context(), failsWithin)
		c.g.Check(ctx, "")
		cancel()
		if status := c.state(); status.State == gateway.Ready {
			t.Errorf("after a check the status is %+v", status)
		}
		time.Sleep(time.Minute)
		f.heal()
		time.Sleep(returnWithin)
		if status := c.state(); status.State != gateway.Ready {
			t.Errorf("back, without a call, the status is %+v", status)
		}
		f.fail(fault{hangs: true})
		time.Sleep(20 * time.Second)
		if status := c.state(); status.State == gateway.Ready {
			t.Errorf("hung, without a call or a check, the status is %+v", status)
		}
	})
}

// TestChaos_Slow does not cut a call that takes long at a server that lives.
func TestChaos_Slow(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		if text, took, err := c.try("up_slow"); text != "slowly" || err != nil {
			t.Errorf("after %v: %q, %v", took, text, err)
		}
		if status := c.state(); status.State != gateway.Ready {
			t.Errorf("the status is %+v", status)
		}
	})
}

// TestChaos_Broken ends a call in time whose connection breaks, and repeats only calls that change nothing.
func TestChaos_Broken(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		var broke time.Time
		restart := func() {
			time.Sleep(10 * time.Second)
			broke = time.Now()
			f.stop()
			time.Sleep(100 * time.Millisecond)
			f.heal()
		}
		var running sync.WaitGroup
		defer running.Wait()
		running.Go(restart)
		_, _, err := c.try("up_hold")
		failure := new(mcp.ToolFailure)
		if took := time.Since(broke); !asFailure(err, &failure) || !strings.Contains(failure.Error(), "may have taken effect") || took > failsWithin {
			t.Errorf("%v after the break: %v", took, err)
		}
		if up.ran.Load() != 2 { // with the echo before
			t.Errorf("%d calls were carried out", up.ran.Load())
		}
		c.returns("up_echo")
		ran := up.ran.Load()
		running.Go(func() { restart(); time.Sleep(10 * time.Second); close(up.release) })
		if text, _, err := c.try("up_look"); text != "held" || err != nil || up.ran.Load() != ran+2 {
			t.Errorf("a call that only reads: %q, %v after %d runs", text, err, up.ran.Load()-ran)
		}
	})
}

// TestChaos_Resumed brings the answer of a call whose stream is cut while the server goes on, where the server can resume it.
func TestChaos_Resumed(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		var running sync.WaitGroup
		defer running.Wait()
		running.Go(func() {
			time.Sleep(15 * time.Second) // the answer has become a stream
			f.cut()
			time.Sleep(15 * time.Second)
			close(up.release)
		})
		text, took, err := c.try("up_hold")
		if modern := c.state().Revision == string(protocol.Latest); modern && (err == nil || took > 15*time.Second+failsWithin) {
			t.Errorf("without sessions: after %v %q, %v", took, text, err)
		} else if !modern && (text != "held" || err != nil) {
			t.Errorf("in a session: after %v %q, %v", took, text, err)
		}
		if up.ran.Load() != 2 { // with the echo before
			t.Errorf("%d calls were carried out", up.ran.Load())
		}
	})
}

// TestChaos_HungCall ends a call at a server that hangs in the middle, and refuses others.
func TestChaos_HungCall(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		ended := make(chan time.Duration)
		var hung time.Time
		go func() {
			_, _, err := c.try("up_hold")
			if failure := new(mcp.ToolFailure); !asFailure(err, &failure) || !strings.Contains(failure.Error(), "may have taken effect") {
				t.Errorf("the call that was under way ends with %v", err)
			}
			ended <- time.Since(hung)
		}()
		time.Sleep(10 * time.Second) // pings were answered meanwhile
		hung = time.Now()
		f.fail(fault{hangs: true})
		time.Sleep(100 * time.Millisecond)
		c.fails("up_echo", "nothing was done")
		if took := <-ended; took > 10*time.Second {
			t.Errorf("the call that was under way ended %v after the hang", took)
		}
		f.heal()
		c.returns("up_echo")
		close(up.release)
	})
}

// TestChaos_Busy leaves calls alone at a server that answers nothing while it carries out one.
func TestChaos_Busy(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		var calls sync.WaitGroup
		calls.Go(func() {
			if text, _, err := c.try("up_hold"); text != "held" || err != nil {
				t.Errorf("the call that keeps it busy: %q, %v", text, err)
			}
		})
		time.Sleep(500 * time.Millisecond) // before the first ping
		idle := make(chan struct{})
		f.fail(fault{stops: idle})
		calls.Go(func() {
			if text, _, err := c.try("up_echo"); text != "x" || err != nil {
				t.Errorf("a call meanwhile: %q, %v", text, err)
			}
		})
		time.Sleep(20 * time.Second)
		if status := c.state(); status.State != gateway.Ready {
			t.Errorf("the status is %+v", status)
		}
		f.heal()
		close(idle)
		close(up.release)
		calls.Wait()
	})
}

// TestChaos_Flapping answers as soon as a server is up for good that went up and down before.
func TestChaos_Flapping(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		good := 0
		for range 30 {
			f.stop()
			time.Sleep(time.Second)
			f.heal()
			end := time.Now().Add(time.Second)
			for time.Now().Before(end) {
				if _, took, err := c.try("up_echo"); err == nil {
					good++
				} else if took > failsWithin {
					t.Errorf("a call took %v: %v", took, err)
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
		t.Logf("%d calls were answered in the meantime", good)
		c.returns("up_echo")
	})
}

// TestChaos_ManyCalls keeps 100 calls from coming down on a server that is away or just back.
func TestChaos_ManyCalls(t *testing.T) {
	chaos(t, func(t *testing.T, c calling, f *faulty, up *chaotic) {
		many := func() (failed int) {
			var mu sync.Mutex
			var calls sync.WaitGroup
			for range 100 {
				calls.Go(func() {
					_, took, err := c.try("up_echo")
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						failed++
					}
					if took > failsWithin {
						t.Errorf("a call took %v: %v", took, err)
					}
				})
			}
			calls.Wait()
			return failed
		}
		time.Sleep(time.Second)
		f.stop()
		dials := f.dials.Load()
		for range 20 {
			if failed := many(); failed != 100 {
				t.Errorf("%d calls have failed", failed)
			}
			time.Sleep(time.Second)
		}
		if n := f.dials.Load() - dials; n > 200 { // some for each attempt
			t.Errorf("2000 calls have dialled %d times", n)
		}
		f.heal()
		c.returns("up_echo")
		if failed := many(); failed != 0 {
			t.Errorf("%d calls have failed after the outage", failed)
		}
	})
}
