package record_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/record/recordtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory returns a Memory that the cleanup of the test closes.
func memory(t testing.TB, o record.MemoryOptions) *record.Memory {
	t.Helper()
	m := record.NewMemory(o)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func TestMemory(t *testing.T) {
	t.Run("store", func(t *testing.T) {
		recordtest.TestStore(t, func(t *testing.T) record.Store { return memory(t, record.MemoryOptions{}) })
	})
	t.Run("log", func(t *testing.T) {
		recordtest.TestLog(t, func(t *testing.T) record.Log { return memory(t, record.MemoryOptions{}).Log() })
	})
	t.Run("outputs", func(t *testing.T) {
		recordtest.TestOutputs(t, func(t *testing.T) record.Outputs { return memory(t, record.MemoryOptions{Dir: t.TempDir()}).Outputs() })
	})
}
