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
	maxAnswer = 256 << 20 // of all that comes over a connection: a text of 32 MB as JSON may be six times as long
	maxLine   = maxAnswer
	// lastWords is how long Emacs may take to end a line that says what is wrong; old ones do not end it at all.
	lastWords = 300 * time.Millisecond
)

// quoteArg writes an argument as the server of Emacs reads it: no blanks, no line ends, and none that begins with a dash.
func quoteArg(arg string) string {
	quoted := quoting.Replace(arg)
	if strings.HasPrefix(quoted, "-") {
		quoted = "&" + quoted
	}
	return quoted
}

var quoting = strings.NewReplacer("&", "&&", " ", "&_", "\n", "&n")

// unquoteArg is the opposite of quoteArg.
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

// lispString is a string of ASCII as Emacs Lisp reads it.
func lispString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// ascii is JSON without any other character: how Emacs decodes those is its user's choice.
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

// saying is a line of Emacs.
type saying struct{ verb, text string }

// errRefused is what Emacs says with -error.
type errRefused struct{ message string }

func (e *errRefused) Error() string { return "Emacs refuses: " + e.message }

var errTooLong = errors.New("Emacs answers more than can be taken")

// exchange sends a line to Emacs and hands on what it says, until use has enough. It ends with ctx.
func exchange(ctx context.Context, conn net.Conn, line string, use func(saying) (enough bool)) error {
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
			_ = conn.SetReadDeadline(time.Now().Add(lastWords))
		}
	}
}

// parse reads a line of Emacs.
func parse(line []byte) saying {
	verb, text, _ := strings.Cut(string(line), " ")
	if verb != "-dougu" {
		text = unquoteArg(text)
	}
	return saying{verb, text}
}
