package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	rootVariable    = "DOUGU_WINE_ROOT" // directory of the module, for execTest
	programVariable = "DOUGU_WINE"      // path of Wine, for internal/test/e2e and execTest
	compiler        = "x86_64-w64-mingw32-gcc"
)

//go:embed dll/bcryptprimitives.c
var librarySource []byte

// prefix is a Wine prefix in a temporary directory with its running Wine server.
type prefix struct {
	dir    string // contains the directory prefix
	wine   string // path of the Wine program
	server string // path of wineserver

	// A program that waits for the end of its input. Wine ends its services with the
	// last program. Without it the next test would start the services, which keep the
	// output of the test open after its end.
	holder  *exec.Cmd
	holding io.Closer
}

// newPrefix makes a prefix in which Go programs run.
func newPrefix(ctx context.Context) (_ *prefix, err error) {
	p := new(prefix)
	// The loader itself: the script /usr/bin/wine demands 32-bit libraries.
	if p.wine, err = findProgram("/usr/lib/wine/wine64", "wine64", "wine"); err != nil {
		return nil, fmt.Errorf("%w; install the Debian packages wine and wine64", err)
	}
	if p.server, err = findProgram("/usr/lib/wine/wineserver64", "wineserver"); err != nil {
		return nil, fmt.Errorf("%w; install the Debian packages wine and wine64", err)
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return nil, fmt.Errorf("%w; install the Debian package gcc-mingw-w64-x86-64", err)
	}
	if p.dir, err = os.MkdirTemp("", "wine-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if err := p.call(ctx, p.wine, "wineboot", "-i"); err != nil {
		return nil, fmt.Errorf("making a Wine prefix: %w", err)
	}
	if err := p.buildLibrary(ctx); err != nil {
		return nil, err
	}
	return p, p.hold(ctx)
}

// findProgram returns the first program that exists.
func findProgram(names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("none of the programs %s exists", strings.Join(names, ", "))
}

// env returns the environment of programs that use the prefix.
func (p *prefix) env() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "DISPLAY" || name == "WAYLAND_DISPLAY" || strings.HasPrefix(name, "WINE")
	})
	return append(env,
		"WINEPREFIX="+filepath.Join(p.dir, "prefix"), "WINEARCH=win64", "WINEDEBUG=-all",
		"WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe=", // no offers to install Mono and Gecko
		programVariable+"="+p.wine,
	)
}

func (p *prefix) call(ctx context.Context, name string, args ...string) error {
	var output strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Dir, cmd.Stderr = p.env(), p.dir, &output
	// Services inherit standard output and outlive the call.
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, output.String())
	}
	return nil
}

// buildLibrary puts bcryptprimitives.dll into system32.
func (p *prefix) buildLibrary(ctx context.Context) error {
	source := filepath.Join(p.dir, "bcryptprimitives.c")
	if err := os.WriteFile(source, librarySource, 0o600); err != nil {
		return err
	}
	library := filepath.Join(p.dir, "prefix/drive_c/windows/system32/bcryptprimitives.dll")
	return p.call(ctx, compiler, "-shared", "-O2", "-Wall", "-Wextra", "-Werror", "-s", "-o", library, source, "-ladvapi32", "-lntdll")
}

// hold starts the holder.
func (p *prefix) hold(ctx context.Context) error {
	p.holder = exec.CommandContext(ctx, p.wine, "cmd", "/c", "pause")
	p.holder.Env, p.holder.Dir = p.env(), p.dir
	in, err := p.holder.StdinPipe()
	if err != nil {
		return err
	}
	p.holding = in
	return p.holder.Start()
}

// close ends all programs of the prefix and removes it.
func (p *prefix) close() error {
	if p.dir == "" {
		return nil
	}
	if p.holding != nil {
		_ = p.holding.Close()
	}
	err := p.call(context.Background(), p.server, "-k")
	if p.holder != nil && p.holder.Process != nil {
		_ = p.holder.Wait() // killed by the line above
	}
	// Debian's wineserver leaves its directory in /tmp, and writes the name into the prefix.
	if name, e := os.ReadFile(filepath.Join(p.dir, "prefix/wineserver")); e == nil && filepath.IsLocal(string(name)) && strings.HasPrefix(string(name), "wine-") {
		err = errors.Join(err, os.RemoveAll(filepath.Join("/tmp", string(name))))
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}
