package httpserver_test

import (
	"testing"

	"github.com/dougu-go/dougu/transport/httpserver"
)

func TestHandler_Scripts(t *testing.T) {
	runScripts(t, "testdata/server-*.txt", func(t *testing.T) shutdowner {
		return httpserver.NewHandler(newFixture(t), &httpserver.Options{Log: noLog, MaxMessage: 4096})
	})
}
