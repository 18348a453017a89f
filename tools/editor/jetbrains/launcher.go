package jetbrains

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// launchers are the known launchers, by their names in Toolbox and in the archives.
var launchers = []string{
	"idea", "goland", "pycharm", "webstorm", "rider", "clion", "phpstorm", "rustrover", "rubymine", "datagrip", "studio", "idea.sh",
}

// findLauncher is the path of a program, in $PATH or where Toolbox puts its scripts; empty if it is not there.
func findLauncher(name string) string {
	if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
		return path
	}
	if filepath.IsAbs(name) || strings.ContainsAny(name, `/\`) {
		return ""
	}
	if dir := toolbox(); dir != "" {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// toolbox is where JetBrains Toolbox puts the scripts that start IDEs; empty if that is not known.
func toolbox() string {
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "JetBrains", "Toolbox", "scripts")
		}
		return ""
	case "darwin":
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, "Library", "Application Support", "JetBrains", "Toolbox", "scripts")
		}
		return ""
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "share", "JetBrains", "Toolbox", "scripts")
	}
	return ""
}

var errBatch = errors.New("a script of Windows cannot be given such a path")

// launch has a launcher open a file. One that has not ended soon has become the IDE, and is left alone.
func (j *JetBrains) launch(ctx context.Context, launcher, path string, at *adapter.Position) error {
	var args []string
	if at != nil {
		// Its columns count from 0.
		args = append(args, "--line", strconv.Itoa(at.Line), "--column", strconv.Itoa(at.Column-1))
	}
	if isBatch(launcher) && strings.ContainsAny(path, "\"%&|<>^!") {
		return fmt.Errorf("%w: %w", errBatch, adapter.ErrUnsupported)
	}
	cmd := exec.Command(launcher, append(args, path)...)
	cmd.Dir = filepath.Dir(path)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", launcher, err)
	}
	ended := make(chan error, 1)
	j.started.Go(func() { ended <- cmd.Wait() })
	patience, cancel := context.WithTimeout(ctx, launchTimeout)
	defer cancel()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s has failed: %w", launcher, err)
		}
		return nil
	case <-patience.Done():
		j.options.Log.Info("the launcher of JetBrains has not ended; it has started the IDE", "program", launcher)
		return nil
	}
}

func isBatch(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".cmd" || ext == ".bat"
}
