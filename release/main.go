// Command release builds all files of a release and publishes nothing: archives, MCP bundles, plugins, the extension of VS Code, container
// images, software bills of materials, registry files, and the web site.
//
//	go -C release run . -out ../dist -version 1.2.3
//
// The result depends only on the source, the version of Go and the time of the commit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/gobuild"
	"github.com/dougu-go/dougu/release/internal/release"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	root := flags.String("source", "..", "`directory` of the source")
	out := flags.String("out", "../dist", "`directory` of the release, which must be empty")
	version := flags.String("version", "", "`version`, such as 1.2.3 (default the tag of the commit, or 0.0.0-dev)")
	targets := flags.String("targets", "", "comma-separated `targets`, such as linux/amd64 (default all)")
	programs := flags.String("programs", "", "comma-separated `names` of programs (default all)")
	verify := flags.String("verify", "", "`target` to build a second time, in another directory, and to compare")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o, err := options(ctx, *root, *version)
	if err != nil {
		return err
	}
	if o.Targets, err = gobuild.Parse(list(*targets)...); err != nil {
		return err
	}
	var unknown []string
	if o.Programs, unknown = catalog.Named(list(*programs)...); len(unknown) > 0 {
		return fmt.Errorf("there are no programs %q", unknown)
	}
	if *verify != "" {
		again, err := gobuild.Parse(*verify)
		if err != nil {
			return err
		}
		o.Verify = &again[0]
	}
	if o.Out, err = filepath.Abs(*out); err != nil {
		return err
	}
	return release.Make(ctx, o)
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// semantic matches a semantic version, as registries accept it.
var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// options returns the release options, with defaults from the commit.
func options(ctx context.Context, root, version string) (o release.Options, err error) {
	o.Log, o.Version = os.Stderr, version
	if o.Root, err = filepath.Abs(root); err != nil {
		return o, err
	}
	if o.Version == "" {
		tag, _ := git(ctx, o.Root, "describe", "--tags", "--exact-match", "--match", "v*")
		if o.Version = strings.TrimPrefix(tag, "v"); tag == "" {
			o.Version = "0.0.0-dev"
		}
	}
	if !semantic.MatchString(o.Version) {
		return o, fmt.Errorf("%q is no version such as 1.2.3", o.Version)
	}
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		if seconds, err = git(ctx, o.Root, "log", "-1", "--format=%ct"); err != nil {
			return o, fmt.Errorf("finding the time of the commit, which SOURCE_DATE_EPOCH may say as well: %w", err)
		}
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	o.Time = time.Unix(at, 0).UTC()
	return o, err
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
