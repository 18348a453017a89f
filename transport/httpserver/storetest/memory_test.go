package storetest_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/httpserver/storetest"
)

func TestMain(m *testing.M) { testleak.Main(m) }

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) (a, b httpserver.Shared) {
		m := new(storetest.Memory)
		return m, m
	})
}
