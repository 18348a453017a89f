package neovim_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// serverVariable turns the test program into a language server (languageserver_test.go).
const serverVariable = "DOUGU_TEST_LANGUAGE_SERVER"

func TestMain(m *testing.M) {
	if encoding := os.Getenv(serverVariable); encoding != "" {
		serveLanguage(os.Stdin, os.Stdout, encoding)
		return
	}
	goleak.VerifyTestMain(m)
}
