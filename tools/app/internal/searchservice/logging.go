package searchservice

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/logfile"
	"github.com/dougu-go/dougu/security/redact"
)

// Rotation of log files, as the specification defines it.
const (
	maxLogFile  = 10 << 20 // bytes
	keptLogs    = 5        // rotated files
	longestText = 2000     // bytes of a value in the log
)

// logging is the log of a service, with secrets redacted.
type logging struct {
	log  *slog.Logger
	file *logfile.File // nil without a log file
}

// openLogging opens the log that the settings describe. A command for a person logs only warnings
// and errors, on standard error.
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
