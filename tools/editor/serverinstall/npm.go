package serverinstall

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
)

// locks are lock files of npm, one for each recipe. Their packages have checksums and no addresses, so that npm fetches them from the
// registry of the user. The first package is the package.json of the directory.
//
//go:embed npm/*.json
var locks embed.FS

// installNPM installs the packages of a lock file with npm.
func installNPM(ctx context.Context, r Recipe, c *commands, dir string) (servercache.Record, error) {
	lock := r.files
	if lock == nil {
		var err error
		if lock, err = locks.ReadFile("npm/" + r.Name + ".json"); err != nil {
			return servercache.Record{}, err
		}
	}
	npm, err := c.lookUp("Node.js with npm", "npm")
	if err != nil {
		return servercache.Record{}, err
	}
	if err := checkNode(ctx, r, c, dir); err != nil {
		return servercache.Record{}, err
	}
	var content struct {
		Packages map[string]json.RawMessage `json:"packages"`
	}
	if err := json.Unmarshal(lock, &content); err != nil {
		return servercache.Record{}, fmt.Errorf("lock file: %w", err)
	}
	for name, data := range map[string][]byte{"package-lock.json": lock, "package.json": content.Packages[""]} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return servercache.Record{}, err
		}
	}
	_, err = c.run(ctx, command{
		program: npm, dir: dir,
		// Options replace the configuration of the user. The prefix keeps npm from looking for a project in the directories above.
		args: []string{
			"ci", "--prefix=" + dir, "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=http", "--progress=false",
			"--include=optional", "--bin-links", "--global=false", "--workspaces=false", "--install-strategy=hoisted", "--package-lock=true", "--dry-run=false",
		},
		removed: []string{"NODE_OPTIONS", "NODE_PATH", "NPM_CONFIG_*", "INIT_CWD", "npm_package_*", "npm_lifecycle_*"},
		// They say where packages come from and how to reach it.
		kept: []string{
			"NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_CACHE", "NPM_CONFIG_CAFILE", "NPM_CONFIG_CA", "NPM_CONFIG_STRICT_SSL",
			"NPM_CONFIG_PROXY", "NPM_CONFIG_HTTPS_PROXY", "NPM_CONFIG_HTTP_PROXY", "NPM_CONFIG_NOPROXY",
		},
	})
	if err != nil {
		return servercache.Record{}, err
	}
	record := servercache.Record{Version: r.Version, Programs: map[string]string{}}
	for _, name := range r.Programs {
		record.Programs[name] = filepath.Join(dir, "node_modules", ".bin", scriptName(name))
	}
	return record, nil
}

// scriptName returns the file name of a script that starts a program.
func scriptName(program string) string {
	if runtime.GOOS == "windows" {
		return program + ".cmd"
	}
	return program
}

// checkNode returns an error if the installed Node.js is too old for a server.
func checkNode(ctx context.Context, r Recipe, c *commands, dir string) error {
	if r.Node == 0 {
		return nil
	}
	node, err := c.lookUp("Node.js", "node")
	if err != nil {
		return err
	}
	out, err := c.run(ctx, command{program: node, args: []string{"--version"}, dir: dir, removed: []string{"NODE_OPTIONS", "NODE_PATH"}})
	if err != nil {
		return err
	}
	version := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err == nil && n < r.Node {
		return fmt.Errorf("it needs Node.js %d or later, and %s is version %s; install a later version and repeat the command", r.Node, node, version)
	}
	return nil
}
