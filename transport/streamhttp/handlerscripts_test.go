package streamhttp_test

import (
	"testing"

	"github.com/dougu-go/dougu/transport/streamhttp"
)

func TestServerScripts(t *testing.T) {
	runScripts(t, "testdata/server-*.txt", func(t *testing.T) shutdowner {
		return streamhttp.NewHandler(newFixture(t), &streamhttp.Options{Log: noLog, MaxMessage: 4096})
	})
}
