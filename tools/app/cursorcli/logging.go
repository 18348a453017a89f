package cursorcli

import (
	"io"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/internal/logfile"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/redact"
)

// maxLoggedValue is the maximum length of a logged value, in bytes.
const maxLoggedValue = 2000

// logging is the log of the program. Its outputs and its level follow the settings.
type logging struct {
	log     *slog.Logger
	console slog.Handler
	file    *logfile.File
	to      *logfile.Switch

	// place is the current log file.
	place filePlace
}

// filePlace is the location of a log file and its rotation.
type filePlace struct {
	// name is the value of the setting; empty for no file.
	name string
	// max is the size in bytes at which the file is rotated.
	max int64
	// keep is the number of rotated files that are kept.
	keep int
}

func newLogging(stderr io.Writer) *logging {
	console := slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug})
	file := logfile.NewFile(func(err error) {
		slog.New(console).Error("the log file cannot be written", slog.Any("error", err))
	})
	l := &logging{console: console, file: file, to: logfile.NewSwitch()}
	l.log = slog.New(redact.NewHandler(l.to, redact.New(redact.Options{MaxValue: maxLoggedValue})))
	l.to.Set(slog.LevelWarn, console)
	return l
}

// useStderr logs to standard error for a command other than serve: warnings and errors, or
// from level on if the user set the level.
func (l *logging) useStderr(level slog.Level, asked bool) {
	if !asked {
		level = max(level, slog.LevelWarn)
	}
	l.to.Set(level, l.console)
}

// apply switches to the outputs and the level of the settings. If the log file cannot be
// opened, it reports the error and uses the other outputs.
func (l *logging) apply(c Config, project string) {
	outputs := c.Logging.Outputs
	var wanted filePlace
	if slices.Contains(outputs, toFile) {
		wanted = filePlace{c.Logging.LogFile, c.Logging.MaxLogSize, c.Logging.RotationCount}
	}
	var failed error
	if wanted != l.place {
		if failed = l.use(wanted, project); failed == nil {
			l.place = wanted
		}
	}
	var to []slog.Handler
	if l.place.name != "" && wanted.name != "" {
		to = append(to, l.file)
	}
	console := slices.Contains(outputs, toConsole)
	if console {
		to = append(to, l.console)
	}
	switch panel := slices.Contains(outputs, toPanel); {
	case panel && console:
		to = append(to, mcp.NewLogHandler(nil))
	case panel:
		to = append(to, mcp.NewLogHandler(l.console))
	}
	if failed != nil && len(to) == 0 {
		to = append(to, l.console)
	}
	l.to.Set(levelOf(c), to...)
	if failed != nil {
		slog.New(l.console).Error("the log file cannot be opened", slog.String("file", wanted.name), slog.Any("error", failed))
	}
}

// levelOf returns the least severe level that is logged.
func levelOf(c Config) slog.Level {
	return map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}[c.Logging.Level]
}

// use opens another log file. In the settings directory of the project it follows no links,
// because the project's files are not trusted.
func (l *logging) use(at filePlace, project string) error {
	if at.name == "" {
		return l.file.Use(nil)
	}
	place := &logfile.Place{Name: absolute(project, at.name), Max: at.max, Keep: at.keep}
	rel, own := ownFile(project, at.name)
	if !own {
		if err := os.MkdirAll(filepath.Dir(place.Name), 0o700); err != nil {
			return err
		}
		return l.file.Use(place)
	}
	dir, err := logfile.OpenBelow(project, filepath.FromSlash(path.Dir(rel)))
	if err != nil {
		return err
	}
	place.Name, place.Dir = path.Base(rel), dir
	if err := l.file.Use(place); err != nil {
		_ = dir.Close() // it was only read
		return err
	}
	return nil
}

// close closes the log file.
func (l *logging) close() error { return l.file.Close() }
