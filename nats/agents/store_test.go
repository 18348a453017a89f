package agents_test

import (
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	natsagents "github.com/dougu-go/dougu/nats/agents"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/record/recordtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// timeout is the time limit of an operation, for a busy machine.
const timeout = 60 * time.Second

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, server *natstest.Server, o natsagents.Options) *natsagents.Store {
	t.Helper()
	return openAt(t, server.URL(), o)
}

// openAt opens a store at an address.
func openAt(t testing.TB, url string, o natsagents.Options) *natsagents.Store {
	t.Helper()
	o.Log = quiet
	if o.Timeout == 0 {
		o.Timeout = timeout
	}
	s, err := natsagents.New(t.Context(), natstest.Connect(t, url), &o)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// small returns options with a prefix of its own and small limits, because NATS reserves the space.
func small() natsagents.Options {
	return natsagents.Options{Prefix: "t" + rand.Text(), MaxBytes: 32 << 20, MaxEventBytes: 4 << 20, MaxOutputBytes: 100 << 20, MaxRunBytes: 32 << 20}
}

func TestStore(t *testing.T) {
	server := natstest.Start(t)
	recordtest.TestStore(t, func(t *testing.T) record.Store { return open(t, server, small()) })
}

func TestLog(t *testing.T) {
	server := natstest.Start(t)
	recordtest.TestLog(t, func(t *testing.T) record.Log { return open(t, server, small()).Log() })
}

func TestOutputs(t *testing.T) {
	server := natstest.Start(t)
	recordtest.TestOutputs(t, func(t *testing.T) record.Outputs { return open(t, server, small()).Outputs() })
}
