package emacs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxAnswer = 256 << 20 // bytes of a response; a text of 32 MB can be six times as long in JSON
	maxLine   = maxAnswer
	// errorLineTimeout is the timeout for the rest of an error line. Old versions of Emacs do not end the line.
	errorLineTimeout = 300 * time.Millisecond
)

// quoteArg encodes an argument of the server protocol: without blanks, line ends and leading dashes.
func quoteArg(arg string) string {
	quoted := quoting.Replace(arg)
	if strings.HasPrefix(quoted, "-") {
		quoted = "&" + quoted
	}
	return quoted
}

var quoting = strings.NewReplacer("&", "&&", " ", "&_", "\n", "&n")

// unquoteArg decodes an argument of the server protocol.
func unquoteArg(arg string) string {
	if !strings.Contains(arg, "&") {
		return arg
	}
	var b strings.Builder
	for i := 0; i < len(arg); i++ {
		if arg[i] != '&' || i+1 == len(arg) {
			b.WriteByte(arg[i])
			continue
		}
		switch i++; arg[i] {
		case '_':
			b.WriteByte(' ')
		case 'n':
			b.WriteByte('\n')
		default:
			b.WriteByte(arg[i])
		}
	}
	return b.String()
}

// lispString returns an ASCII string as an Emacs Lisp literal.
func lispString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// ascii returns JSON with ASCII characters only. How Emacs decodes others depends on the user's settings.
func ascii(text []byte) string {
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// message is a line received from Emacs.
type message struct{ verb, text string }

// errRefused is an -error line of Emacs.
type errRefused struct{ message string }

func (e *errRefused) Error() string { return "Emacs returned an error: " + e.message }

var errTooLong = errors.New("the response of Emacs is too long")

// exchange sends a line to Emacs and passes received lines to use, until use returns true. It ends with ctx.
func exchange(ctx context.Context, conn net.Conn, line string, use func(message) (enough bool)) error {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	var pending []byte
	buffer := make([]byte, 64<<10)
	for total := 0; ; {
		n, err := conn.Read(buffer)
		if total += n; total > maxAnswer {
			return errTooLong
		}
		pending = append(pending, buffer[:n]...)
		searched := len(pending) - n
		for {
			end := bytes.IndexByte(pending[searched:], '\n')
			if end < 0 {
				break
			}
			said := parse(pending[:searched+end])
			pending, searched = pending[searched+end+1:], 0
			if said.verb == "-error" {
				return &errRefused{said.text}
			}
			if use(said) {
				return nil
			}
		}
		refused := bytes.HasPrefix(pending, []byte("-error "))
		switch {
		case refused && err != nil:
			return &errRefused{parse(pending).text}
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case refused:
			_ = conn.SetReadDeadline(time.Now().Add(errorLineTimeout))
		}
	}
}

// parse parses a line received from Emacs.
func parse(line []byte) message {
	verb, text, _ := strings.Cut(string(line), " ")
	if verb != "-dougu" {
		text = unquoteArg(text)
	}
	return message{verb, text}
}
