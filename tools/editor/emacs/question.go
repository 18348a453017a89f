package emacs

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"crypto/rand"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

//go:embed lisp/dougu.el
var source string

// later is the question whose answer comes after its form is evaluated.
const later = "request"

const (
	longestCall  = time.Minute // of a context without an end
	maxErrorText = 500         // of an error, in bytes
	// patience is how long an Emacs is waited for that does not answer, because it is busy or waits for a program.
	patience = 10 * time.Second
	lateness = 100 * time.Millisecond // before the end of the context when a question is not begun any more
)

// program is the source with names of its own, so that several versions do not get into each other's way, and what its names
// begin with.
func program() (text, prefix string) {
	sum := sha256.Sum256([]byte(source))
	prefix = "dougu--" + hex.EncodeToString(sum[:6]) + "-"
	return strings.ReplaceAll(source, "dougu--", prefix), prefix
}

// request is the line that asks a question, and loads the program before if Emacs does not have it.
func (p place) request(id string, end time.Time, question string, args []byte, load bool) string {
	text, prefix := program()
	call := fmt.Sprintf(`(%scall %s %d %s %s)`, prefix, lispString(id), end.UnixMilli(), lispString(question), lispString(ascii(args)))
	form := fmt.Sprintf(`(if (fboundp '%scall) %s 'dougu-unknown)`, prefix, call)
	if load {
		form = fmt.Sprintf(`(progn (with-temp-buffer (set-buffer-multibyte t) (insert (decode-coding-string (base64-decode-string %s) 'utf-8)) (setq lexical-binding t) (let ((inhibit-message t)) (eval-buffer))) %s)`,
			lispString(base64.StdEncoding.EncodeToString([]byte(text))), call)
	}
	var b strings.Builder
	if p.key != "" {
		b.WriteString("-auth " + p.key + " ")
	}
	b.WriteString("-env " + quoteArg("DOUGU="+id) + " ")
	if question == later {
		b.WriteString("-ignore keep ") // the connection open after the form
	}
	b.WriteString("-eval " + quoteArg(form))
	return b.String()
}

// answer is what the program sends.
type answer struct {
	Value   json.RawMessage `json:"value"`
	Fault   string          `json:"fault"`
	Message string          `json:"message"`
}

var (
	errUnknown = errors.New("Emacs does not have the program yet")
	errBusy    = errors.New("Emacs is busy with something else, and does not answer")
	errNothing = errors.New("Emacs has not answered the question: its user may have interrupted it")
)

// ask asks an Emacs a question of the program. What has not been begun when ctx ends is not begun later.
func (p place) ask(ctx context.Context, question string, args, result any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	a, err := p.once(ctx, question, raw, false)
	if errors.Is(err, errUnknown) {
		a, err = p.once(ctx, question, raw, true)
	}
	if err != nil {
		return err
	}
	switch text := truncate.Line(a.Message, maxErrorText); a.Fault {
	case "":
	case "stale":
		return fmt.Errorf("%w: %s", adapter.ErrStale, text)
	case "unsupported":
		return fmt.Errorf("%w: %s", adapter.ErrUnsupported, text)
	case "refused":
		return fmt.Errorf("it refuses: %s", text)
	default:
		return fmt.Errorf("Emacs refuses: %s", text)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.Value, result); err != nil {
		return fmt.Errorf("Emacs answers the question %q with what cannot be understood: %w", question, err)
	}
	return nil
}

// once asks over a connection of its own, so that one question does not wait for another.
func (p place) once(ctx context.Context, question string, args []byte, load bool) (a answer, err error) {
	end, _ := ctx.Deadline()
	conn, err := p.dial(ctx)
	if err != nil {
		return a, gone(err)
	}
	defer conn.Close()
	silent := &silence{conn: conn}
	silent.timer = group.AfterFunc(patience, silent.end)
	defer silent.timer.Stop()
	id := rand.Text()
	found := false
	var trouble error
	err = exchange(ctx, conn, p.request(id, end.Add(-lateness), question, args, load), func(s saying) bool {
		if silent.timer.Stop() {
			silent.timer.Reset(patience)
		}
		switch s.verb {
		case "-dougu":
			found = true
			if err := json.Unmarshal([]byte(s.text), &a); err != nil {
				trouble = fmt.Errorf("Emacs answers what is no JSON: %w", err)
			}
			return true
		case "-print", "-print-nonl":
			if trouble = errNothing; strings.TrimSpace(s.text) == "dougu-unknown" {
				trouble = errUnknown
			} else if question == later {
				trouble = nil // the answer is still to come, whenever that is
				silent.timer.Stop()
				return false
			}
			return true
		}
		return false
	})
	switch {
	case trouble != nil:
		return a, trouble
	case found:
		return a, nil
	case silent.ended.Load():
		return a, errBusy
	case ctx.Err() != nil:
		return a, fmt.Errorf("%w in time: %w", errBusy, context.Cause(ctx))
	}
	return a, gone(err)
}

// gone says what an error of a connection means.
func gone(err error) error {
	if refused, ok := errors.AsType[*errRefused](err); ok {
		return fmt.Errorf("Emacs refuses: %s", truncate.Line(refused.message, maxErrorText))
	}
	if errors.Is(err, errTooLong) {
		return err
	}
	return fmt.Errorf("%w: %w", adapter.ErrNotRunning, err)
}
