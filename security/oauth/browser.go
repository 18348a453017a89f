package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// browserTime is how long is waited for the program that opens the browser to say that it cannot.
const browserTime = 3 * time.Second

// OpenBrowser opens a page in the user's browser, by the program that the system has for that and without a shell. Only http and
// https are opened.
func OpenBrowser(ctx context.Context, page string) error {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("only web pages are opened")
	}
	line := browser(runtime.GOOS, u.String())
	path, err := exec.LookPath(line[0])
	if err != nil {
		return fmt.Errorf("%s, which opens browsers, is not installed", line[0])
	}
	return run(ctx, exec.Command(path, line[1:]...))
}

// browser is the command that opens a page on a system.
func browser(system, page string) []string {
	switch system {
	case "darwin":
		return []string{"open", page}
	case "windows":
		return []string{"rundll32.exe", "url.dll,FileProtocolHandler", page}
	}
	return []string{"xdg-open", page}
}

// run starts a command, and waits a little for it to fail. It may become the browser itself, and is left alone then.
func run(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	var waiting group.Group // as long as the program of the user runs
	waiting.Go(func() { ended <- cmd.Wait() })
	timer := time.NewTimer(browserTime)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", cmd.Path, err)
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}
