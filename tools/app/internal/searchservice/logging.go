package searchservice

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/logfile"
	"github.com/dougu-go/dougu/security/redact"
)

// How log files are set aside, as the specification has it.
const (
	maxLogFile  = 10 << 20
	keptLogs    = 5
	longestText = 2000 // bytes of a value in the log
)

// logging is where a service logs, as its settings have it, without secrets.
type logging struct {
	log  *slog.Logger
	file *logfile.File // nil: there is none
}

func openLogging(c Config, p Purpose) (*logging, error) {
	var least slog.Level
	if err := least.UnmarshalText([]byte(c.Logging.Level)); err != nil {
		return nil, fmt.Errorf("logging.level: %w", err)
	}
	if p.Person {
		least = max(least, slog.LevelWarn)
	}
	l := new(logging)
	var to []slog.Handler
	if c.Logging.Console || p.Person {
		to = append(to, console(p.Stderr, c.Logging.Structured && !p.Person))
	}
	if c.Logging.File != "" && p.Serves {
		path, err := filepath.Abs(c.Logging.File)
		if err != nil {
			return nil, fmt.Errorf("finding the log file: %w", err)
		}
		l.file = logfile.NewFile(nil)
		if err := l.file.Use(&logfile.Place{Name: path, Max: maxLogFile, Keep: keptLogs}); err != nil {
			return nil, fmt.Errorf("opening the log file: %w; choose another with logging.file", err)
		}
		to = append(to, l.file)
	}
	switched := logfile.NewSwitch()
	switched.Set(least, to...)
	l.log = slog.New(redact.NewHandler(switched, redact.New(redact.Options{MaxValue: longestText})))
	return l, nil
}

func console(w io.Writer, structured bool) slog.Handler {
	o := &slog.HandlerOptions{Level: slog.LevelDebug}
	if structured {
		return slog.NewJSONHandler(w, o)
	}
	return slog.NewTextHandler(w, o)
}

func (l *logging) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
