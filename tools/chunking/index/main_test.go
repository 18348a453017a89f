package index_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("DOUGU_INDEX_CRASH"); dir != "" {
		crash(dir)
		return
	}
	goleak.VerifyTestMain(m)
}
