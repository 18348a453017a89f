package storetest_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/transport/streamhttp"
	"github.com/dougu-go/dougu/transport/streamhttp/storetest"
)

func TestMain(m *testing.M) { testleak.Main(m) }

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) (a, b streamhttp.Shared) {
		m := new(storetest.Memory)
		return m, m
	})
}
