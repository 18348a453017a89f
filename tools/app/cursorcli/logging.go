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

// longestLogged is the size in bytes beyond which a value in the log is cut.
const longestLogged = 2000

// logging is where the program logs, as the settings have it.
type logging struct {
	log     *slog.Logger
	console slog.Handler
	file    *logfile.File
	to      *logfile.Switch

	place filePlace // where file writes
}

// filePlace says where a log file is.
type filePlace struct {
	name string // as the setting has it; empty for none
	max  int64
	keep int
}

func newLogging(stderr io.Writer) *logging {
	console := slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug})
	file := logfile.NewFile(func(err error) {
		slog.New(console).Error("the log file cannot be written", slog.Any("error", err))
	})
	l := &logging{console: console, file: file, to: logfile.NewSwitch()}
	l.log = slog.New(redact.NewHandler(l.to, redact.New(redact.Options{MaxValue: longestLogged})))
	l.to.Set(slog.LevelWarn, console)
	return l
}

// person logs for somebody who looks on: to standard error, and not much unless
// they asked for it.
func (l *logging) person(level slog.Level, asked bool) {
	if !asked {
		level = max(level, slog.LevelWarn)
	}
	l.to.Set(level, l.console)
}

// apply logs as the settings have it. A log file that cannot be opened is told of
// and left out.
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

// levelOf is the least severe level that is logged.
func levelOf(c Config) slog.Level {
	return map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}[c.Logging.Level]
}

// use makes the log file write elsewhere. In the server's own directory no link
// is followed: whoever wrote the files of the project may have put one there.
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
	dir, err := logfile.Below(project, filepath.FromSlash(path.Dir(rel)))
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

// close ends the log file.
func (l *logging) close() error { return l.file.Close() }
