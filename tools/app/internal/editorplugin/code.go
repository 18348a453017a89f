package editorplugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/vscode/extension"
)

// Limits of the programs of editors. A program opens no window for these tasks, and takes about a second.
const (
	maxOutput      = 256 << 10 // bytes of output that are read
	maxReason      = 400       // bytes of output in an error
	listTimeout    = 30 * time.Second
	installTimeout = 2 * time.Minute
)

// codeEditor is VS Code or a relative. All have the command line of VS Code.
type codeEditor struct {
	product
	program string   // absolute path
	env     []string // environment of the program
	// timeout replaces the timeouts of all tasks; 0 selects the default ones.
	timeout time.Duration
}

// Name implements Editor.
func (c *codeEditor) Name() string { return c.name }

// Title implements Editor.
func (c *codeEditor) Title() string { return c.title }

// Where implements Editor.
func (c *codeEditor) Where() string { return c.program }

// Steps implements Editor.
func (c *codeEditor) Steps(version string) string {
	return fmt.Sprintf("%s --install-extension %s --force", c.program, vsixName(version))
}

// Reload implements Editor.
func (c *codeEditor) Reload() string {
	return fmt.Sprintf("Open windows of %s use it after the command \"Developer: Reload Window\".", c.title)
}

// listed matches the line of the extension in the list of extensions.
var listed = regexp.MustCompile(`(?i)^` + regexp.QuoteMeta(extension.ID) + `@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)\s*$`)

// Version implements Editor.
func (c *codeEditor) Version(ctx context.Context) (string, error) {
	out, err := c.run(ctx, listTimeout, "", "--list-extensions", "--show-versions")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if found := listed.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			return found[1], nil
		}
	}
	return "", nil
}

// Install implements Editor.
func (c *codeEditor) Install(ctx context.Context, version string) (err error) {
	dir, err := os.MkdirTemp("", "dougu-vsix-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, vsixName(version))
	if err := writeExtension(file, version); err != nil {
		return err
	}
	argument := file
	if isBatch(c.program) {
		argument = filepath.Base(file) // cmd.exe would interpret characters of the directory
	}
	out, err := c.run(ctx, installTimeout, dir, "--install-extension", argument, "--force")
	if err != nil {
		return err
	}
	switch got, err := c.Version(ctx); {
	case err != nil:
		return fmt.Errorf("the extension may be installed, but its version is unknown: %w", err)
	case got == "":
		return fmt.Errorf("%s does not list the extension after the installation: %s", c.program, said(out))
	case got != version:
		return fmt.Errorf("%s lists version %s after the installation of version %s", c.program, got, version)
	}
	return nil
}

// Uninstall implements Editor.
func (c *codeEditor) Uninstall(ctx context.Context) error {
	if _, err := c.run(ctx, installTimeout, "", "--uninstall-extension", extension.ID); err != nil {
		return err
	}
	switch got, err := c.Version(ctx); {
	case err != nil:
		return fmt.Errorf("the extension may be uninstalled, but that is not known: %w", err)
	case got != "":
		return fmt.Errorf("%s lists version %s of the extension after it was uninstalled", c.program, got)
	}
	return nil
}

// run runs the program of the editor in a directory, by default one without programs, and returns its output. The program and all
// that it has started end with the timeout.
func (c *codeEditor) run(ctx context.Context, timeout time.Duration, dir string, args ...string) (string, error) {
	if dir == "" {
		dir = filepath.Dir(c.program)
	}
	cmd := exec.Command(c.program, args...)
	cmd.Dir, cmd.Env = dir, c.env
	var out bytes.Buffer
	running, err := process.Capture(cmd, process.CaptureOptions{Output: func(_ process.Stream, p []byte) {
		out.Write(p[:min(len(p), maxOutput-out.Len())])
	}})
	if err != nil {
		return "", fmt.Errorf("starting %s: %w", c.program, err)
	}
	if c.timeout > 0 {
		timeout = c.timeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case <-running.Ended():
	case <-limited.Done():
		if err := running.Close(); err != nil {
			return "", err
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%s %s did not end within %s, and was ended: close the windows of %s, and try again", c.program, args[0], timeout, c.title)
	}
	exit := running.Exit()
	if err := running.Close(); err != nil {
		return "", err
	}
	if text := exit.String(); exit.Code != 0 || exit.Signal != "" {
		return "", fmt.Errorf("%s %s has failed (%s): %s", c.program, args[0], text, said(out.String()))
	}
	return out.String(), nil
}

// said returns the output of a program as one line for an error.
func said(out string) string {
	if text := truncate.Line(strings.TrimSpace(out), maxReason); text != "" {
		return text
	}
	return "it said nothing"
}

// vsixName returns the name of the file with the extension.
func vsixName(version string) string { return "dougu-" + version + ".vsix" }

// writeExtension writes the extension to a file.
func writeExtension(file, version string) error {
	var content bytes.Buffer
	if err := extension.Write(&content, version); err != nil {
		return err
	}
	return os.WriteFile(file, content.Bytes(), 0o644)
}
