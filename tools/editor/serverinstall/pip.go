package serverinstall

import (
	"context"
	"embed"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
)

// requirements are requirements files of pip, one for each recipe, with the sha256 of each wheel.
//
//go:embed pip/*.txt
var requirements embed.FS

// installWheels installs the wheels of a requirements file into a virtual environment.
func installWheels(ctx context.Context, r Recipe, c *commands, dir string) (servercache.Record, error) {
	text := r.files
	if text == nil {
		var err error
		if text, err = requirements.ReadFile("pip/" + r.Name + ".txt"); err != nil {
			return servercache.Record{}, err
		}
	}
	python, err := c.lookUp("Python 3", "python3", "python")
	if err != nil {
		return servercache.Record{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, "requirements.txt"), text, 0o600); err != nil {
		return servercache.Record{}, err
	}
	run := func(program string, args ...string) error {
		_, err := c.run(ctx, command{
			program: program, args: args, dir: dir,
			removed: []string{"PYTHON*", "VIRTUAL_ENV", "PIP_*", "__PYVENV_LAUNCHER__"},
			// They say where packages come from and how to reach it.
			kept: []string{"PIP_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CERT", "PIP_PROXY", "PIP_TRUSTED_HOST", "PIP_CACHE_DIR", "PIP_CONFIG_FILE", "PIP_DEFAULT_TIMEOUT"},
		})
		return err
	}
	venv := filepath.Join(dir, "venv")
	if err := run(python, "-I", "-m", "venv", venv); err != nil {
		if strings.Contains(err.Error(), "ensurepip") {
			return servercache.Record{}, &missingVenvError{err}
		}
		return servercache.Record{}, err
	}
	scripts := filepath.Join(venv, "bin")
	if runtime.GOOS == "windows" {
		scripts = filepath.Join(venv, "Scripts")
	}
	err = run(filepath.Join(scripts, programName("python")), "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar=off",
		"--require-hashes", "--only-binary=:all:", "--no-deps", "--requirement=requirements.txt")
	if err != nil {
		return servercache.Record{}, err
	}
	record := servercache.Record{Version: r.Version, Programs: map[string]string{}}
	for _, name := range r.Programs {
		record.Programs[name] = filepath.Join(scripts, programName(name))
	}
	return record, nil
}

// missingVenvError means that Python has no module to make virtual environments with pip.
type missingVenvError struct{ cause error }

func (e *missingVenvError) Error() string {
	return "Python cannot make virtual environments; install its module venv (python3-venv in Debian and Ubuntu) and repeat the command"
}

func (e *missingVenvError) Unwrap() error { return e.cause }
