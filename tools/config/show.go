package config

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"
)

// Document is the configuration as a file would have it.
func (l *Loaded[C]) Document() Node {
	return l.table.document("", func(k *Key[C]) (Node, bool) { return k.show(&l.Config), true }, func(n Node) Node { return n })
}

// Differences returns the keys whose values differ from another configuration of the same table, in order.
func (l *Loaded[C]) Differences(other *Loaded[C]) []string {
	var paths []string
	for _, k := range l.table.keys {
		if k.show(&l.Config).JSON() != k.show(&other.Config).JSON() {
			paths = append(paths, k.path)
		}
	}
	return paths
}

// Show writes every value with its source as text, masked by the Mask of the table.
func (l *Loaded[C]) Show(w io.Writer) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tVALUE\tFROM")
	for _, k := range l.table.keys {
		fmt.Fprintf(table, "%s\t%s\t%s\n", k.path, k.show(&l.Config).masked(l.table.mask(k.path)).JSON(), l.origins[k])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// Reference writes the reference of the table in Markdown.
func (t *Table[C]) Reference(w io.Writer) error {
	var doc strings.Builder
	doc.WriteString("| key | default | allowed | environment | flags | meaning |\n|---|---|---|---|---|---|\n")
	for _, k := range t.keys {
		flags := "`-" + k.Flag() + "`"
		for _, alias := range k.aliases {
			flags += ", `-" + alias + "`"
		}
		fmt.Fprintf(&doc, "| `%s` | `%s` | %s | `%s` | %s | %s |\n",
			k.path, k.defaults().JSON(), capitalized(k.allowed), t.Variable(k), flags, capitalized(k.plainDoc()))
	}
	_, err := io.WriteString(w, strings.ReplaceAll(doc.String(), "`\"\"`", "empty"))
	return err
}

func capitalized(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
