package app

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// Reference writes the documentation of all commands and flags in Markdown. It reads the
// declarations of the flags, so it is always current. A name in MainFlags that is no flag is
// an error.
func (a *App) Reference(w io.Writer) error {
	if err := a.checkMainFlags(); err != nil {
		return err
	}
	var doc strings.Builder
	fmt.Fprintf(&doc, "## %s\n\n%s.\n\n", a.Name, capitalized(a.Summary))
	common := a.flagSet(command{name: "serve"})
	doc.WriteString("Flags of every command:\n\n")
	writeFlags(&doc, common, nil)
	for _, c := range a.commands() {
		fmt.Fprintf(&doc, "\n### %s\n\n%s.\n", strings.TrimSpace(a.Name+" "+c.name+" "+c.args), capitalized(c.summary))
		if c.flags != nil {
			doc.WriteString("\n")
			writeFlags(&doc, a.flagSet(c), common)
		}
	}
	_, err := io.WriteString(w, doc.String())
	return err
}

// writeFlags writes a table of the flags that are not in known, which may be nil.
func writeFlags(doc *strings.Builder, flags, known *flag.FlagSet) {
	doc.WriteString("| flag | value | default | meaning |\n|---|---|---|---|\n")
	flags.VisitAll(func(f *flag.Flag) {
		if known != nil && known.Lookup(f.Name) != nil {
			return
		}
		value, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(doc, "| `-%s` | %s | %s | %s |\n", f.Name, value, code(f.DefValue), capitalized(usage))
	})
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func capitalized(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
