// Command wine lets go test run Windows programs under Wine.
//
//	wine run COMMAND ARG …   runs a command with a Wine prefix, made for it
//	wine exec PROGRAM ARG …  runs a test program in that prefix: go test -exec='wine exec'
//	wine packages            prints the packages to test
//
// It needs the Debian packages wine, wine64 and gcc-mingw-w64-x86-64. The prefix is in a temporary directory and has the
// bcryptprimitives.dll that Go programs need and Wine 8 lacks. The list skips names the tests that Wine 8 cannot run; exec skips them.
// run fails if an entry of skips or excluded names something that does not exist. The command gets the path of Wine in DOUGU_WINE;
// with it, the tests TestWine_… of internal/test/e2e run real clients.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"
)

const module = "github.com/dougu-go/dougu"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wine:", err)
		os.Exit(1)
	}
}

// run executes one subcommand.
func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "packages":
		root, err := moduleRoot(ctx)
		if err != nil {
			return err
		}
		packages, err := listPackages(ctx, root, "./mcp/...", "./transport/...", "./internal/...", "./security/...", "./tools/...")
		if err == nil {
			fmt.Println(strings.Join(packages, "\n"))
		}
		return err
	case len(args) > 1 && args[0] == "exec":
		return execTest(args[1:])
	case len(args) > 1 && args[0] == "run":
		return runCommand(ctx, args[1:])
	}
	return fmt.Errorf("give run, exec or packages, not %q", args)
}

// runCommand runs a command with a new Wine prefix.
func runCommand(ctx context.Context, args []string) (err error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if err := checkLists(root, skips, excluded); err != nil {
		return err
	}
	prefix, err := newPrefix(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prefix.close()) }()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(prefix.env(), rootVariable+"="+root)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

// moduleRoot returns the directory of the main module.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f={{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("finding the module %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// listPackages returns the packages that match the patterns, have tests for
// Windows and are not excluded.
func listPackages(ctx context.Context, root string, patterns ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-f={{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, patterns...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	var packages []string
	for line := range strings.Lines(string(out)) {
		path := strings.TrimSpace(line)
		if path == "" || excludes(excluded, strings.TrimPrefix(path, module+"/")) {
			continue
		}
		packages = append(packages, path)
	}
	if len(packages) == 0 {
		return nil, errors.New("no package has tests")
	}
	return packages, nil
}
