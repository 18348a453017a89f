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

// browserTime limits the wait for an error of the command that opens the browser.
const browserTime = 3 * time.Second

// OpenBrowser opens an http or https page in the user's browser, with the command of the operating
// system and without a shell. It returns an error if the command is missing or fails within 3
// seconds.
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

// browser returns the command that opens a page on an operating system.
func browser(system, page string) []string {
	switch system {
	case "darwin":
		return []string{"open", page}
	case "windows":
		return []string{"rundll32.exe", "url.dll,FileProtocolHandler", page}
	}
	return []string{"xdg-open", page}
}

// run starts a command and waits up to browserTime for it to fail. The command continues to run
// after that, because it may be the browser itself.
func run(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	var waiting group.Group // until the browser command ends
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
