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
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

//go:embed lisp/dougu.el
var source string

// deferredRequest is the request that responds after the evaluation of its form.
const deferredRequest = "request"

const (
	callTimeout  = time.Minute // timeout if the context has no deadline
	maxErrorText = 500         // bytes of an error text
	// silenceTimeout is the silence after which a request fails, because Emacs is busy or waits for a program.
	silenceTimeout = 10 * time.Second
	startMargin    = 100 * time.Millisecond // requests are not started in the last 100 ms before the deadline
)

// program returns the Lisp source and the prefix of its names. The prefix depends on the source, so that several versions can be
// loaded.
func program() (text, prefix string) {
	sum := sha256.Sum256([]byte(source))
	prefix = "dougu--" + hex.EncodeToString(sum[:6]) + "-"
	return strings.ReplaceAll(source, "dougu--", prefix), prefix
}

// request returns the line of the server protocol that calls a function of the program. load also loads the program.
func (p endpoint) request(id string, end time.Time, question string, args []byte, load bool) string {
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
	if question == deferredRequest {
		b.WriteString("-ignore keep ") // the connection open after the form
	}
	b.WriteString("-eval " + quoteArg(form))
	return b.String()
}

// answer is the result that the Lisp program sends.
type answer struct {
	Value   json.RawMessage `json:"value"`
	Fault   string          `json:"fault"`
	Message string          `json:"message"`
}

var (
	errNotLoaded = errors.New("the Lisp program is not loaded in Emacs")
	errBusy      = fmt.Errorf("Emacs is busy: it %w", presence.ErrNoAnswer)
	errNoResult  = errors.New("Emacs ended the request without a result; its user may have interrupted it")
)

// ask calls a function of the Lisp program and decodes its value into result, unless that is nil. The program is loaded if
// necessary. Emacs does not start the function after the deadline of ctx.
func (p endpoint) ask(ctx context.Context, question string, args, result any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	a, err := p.askOnce(ctx, question, raw, false)
	if errors.Is(err, errNotLoaded) {
		a, err = p.askOnce(ctx, question, raw, true)
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
		return fmt.Errorf("the language server returned an error: %s", text)
	default:
		return fmt.Errorf("Emacs returned an error: %s", text)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.Value, result); err != nil {
		return fmt.Errorf("decode the result of %q from Emacs: %w", question, err)
	}
	return nil
}

// askOnce sends a request over its own connection, so that requests do not wait for each other.
func (p endpoint) askOnce(ctx context.Context, question string, args []byte, load bool) (a answer, err error) {
	end, _ := ctx.Deadline()
	conn, err := p.dial(ctx)
	if err != nil {
		return a, connectionError(err)
	}
	defer conn.Close()
	silent := &silence{conn: conn}
	silent.timer = group.AfterFunc(silenceTimeout, silent.end)
	defer silent.timer.Stop()
	id := rand.Text()
	found := false
	var trouble error
	err = exchange(ctx, conn, p.request(id, end.Add(-startMargin), question, args, load), func(s message) bool {
		if silent.timer.Stop() {
			silent.timer.Reset(silenceTimeout)
		}
		switch s.verb {
		case "-dougu":
			found = true
			if err := json.Unmarshal([]byte(s.text), &a); err != nil {
				trouble = fmt.Errorf("decode JSON from Emacs: %w", err)
			}
			return true
		case "-print", "-print-nonl":
			if trouble = errNoResult; strings.TrimSpace(s.text) == "dougu-unknown" {
				trouble = errNotLoaded
			} else if question == deferredRequest {
				trouble = nil // the result follows later, without a time limit of its own
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
	return a, connectionError(err)
}

// connectionError converts an error of a connection. A connection that ended is adapter.ErrNotRunning.
func connectionError(err error) error {
	if refused, ok := errors.AsType[*errRefused](err); ok {
		return fmt.Errorf("Emacs returned an error: %s", truncate.Line(refused.message, maxErrorText))
	}
	if errors.Is(err, errTooLong) || errors.Is(err, errBusy) {
		return err
	}
	return fmt.Errorf("%w: %w", adapter.ErrNotRunning, err)
}
